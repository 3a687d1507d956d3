"""Texts after a step of gradient ascent, against a copy of the model whose weights are
written anew for each text.
"""

import pytest
import torch

from mechaware.models.ascent import log_probs_after_ascent
from tests.architectures import tiny_model
from tests.unit.models.ascent_by_hand import after_a_step, mean_log_prob

TEXTS = [[1, 7, 30, 8, 100, 9], [1, 210, 3], [1, 5, 5, 5, 60, 61, 62, 63, 64, 2]]
POSITIONS = [[1, 2, 3, 4, 5], [2], [1, 4, 5, 9]]
MODELS = {
    "GPT-2, tied": ("gpt2", {"tie_word_embeddings": True}),
    "Llama": ("llama", {"tie_word_embeddings": False}),
    "Mixtral": ("mixtral", {"num_local_experts": 4, "num_experts_per_tok": 2}),
}


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
