"""Texts after a step of gradient ascent, against a copy of the model whose weights are written anew for each text."""

import copy
import math

import pytest
import torch
from transformers import PreTrainedModel

from mechaware.models.ascent import STEP, log_probs_after_ascent
from tests.architectures import tiny_model

TEXTS = [[1, 7, 30, 8, 100, 9], [1, 210, 3], [1, 5, 5, 5, 60, 61, 62, 63, 64, 2]]
POSITIONS = [[1, 2, 3, 4, 5], [2], [1, 4, 5, 9]]
MODELS = {
    "GPT-2, tied": ("gpt2", {"tie_word_embeddings": True}),
    "Llama": ("llama", {"tie_word_embeddings": False}),
    "Mixtral": ("mixtral", {"num_local_experts": 4, "num_experts_per_tok": 2}),
}


def mean_log_prob(model: PreTrainedModel, ids: list[int], positions: list[int]) -> torch.Tensor:
    log_probs = model(torch.tensor([ids])).logits[0].log_softmax(-1)
    return sum(log_probs[position - 1, ids[position]] for position in positions) / len(positions)


def after_a_step(model: PreTrainedModel, ids: list[int], positions: list[int]) -> float:
    """Down the text's log-probability, in a copy."""
    moved = copy.deepcopy(model)
    mean_log_prob(moved, ids, positions).backward()
    squares = gradient_squares = 0.0
    for weight in moved.parameters():
        squares += float(weight.detach().double().square().sum())
        if weight.grad is not None:
            gradient_squares += float(weight.grad.double().square().sum())
    length = STEP * math.sqrt(squares)
    for weight in moved.parameters():
        if weight.grad is not None:
            weight.data = weight.data - length / math.sqrt(gradient_squares) * weight.grad
    return float(mean_log_prob(moved, ids, positions).detach())


@pytest.mark.parametrize("name", MODELS)
def test_a_text_after_the_step_is_as_likely_as_under_weights_written_anew(name: str) -> None:
    model = tiny_model(*MODELS[name])
    before = [weight.detach().clone() for weight in model.parameters()]
    after = log_probs_after_ascent(model, TEXTS, POSITIONS)
    slow = []
    for ids, positions in zip(TEXTS, POSITIONS, strict=True):
        slow.append(after_a_step(model, ids, positions))
        assert slow[-1] < float(mean_log_prob(model, ids, positions).detach()) - 1e-4
    assert after.tolist() == pytest.approx(slow, rel=1e-5)

    for weight, old in zip(model.parameters(), before, strict=True):
        assert torch.equal(weight, old)
        assert weight.grad is None
