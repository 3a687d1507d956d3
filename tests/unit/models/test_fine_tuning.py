"""A fine-tuned copy of a model, against AdamW by its formula, one parameter tensor at a time."""

import copy

import pytest
import torch
from transformers import PreTrainedModel

from mechaware.models.fine_tuning import EPOCHS, LEARNING_RATE, TEXTS_PER_STEP, fine_tuned
from tests.architectures import tiny_model
from tests.unit.models.ascent_by_hand import mean_log_prob

N_TEXTS = TEXTS_PER_STEP + 3  # each epoch has a full step and one of the three texts that are left
# The first 4 to 7 of seven token ids, some of which differ from text to text.
TEXTS = [[1, 7 + row, 30, 8 * row + 3, 100, 9, 150 - row][: 4 + row % 4] for row in range(N_TEXTS)]
# The positions of the tokens to predict: all but the first.
POSITIONS = [list(range(1, len(ids))) for ids in TEXTS]
# The defaults of AdamW (Loshchilov and Hutter 2019).
BETA_1 = 0.9
BETA_2 = 0.999
EPSILON = 1e-8


def adamw_by_hand(model: PreTrainedModel) -> PreTrainedModel:
    """A copy of the model after steps t = 1, 2, ... of AdamW without weight decay.

    With the gradient g of the mean loss of a step's texts, each weight w and its moments m and v,
    which begin at 0, become

        m = beta_1 m + (1 - beta_1) g
        v = beta_2 v + (1 - beta_2) g^2
        w = w - rate * (m / (1 - beta_1^t)) / (sqrt(v / (1 - beta_2^t)) + epsilon)
    """
    moved = copy.deepcopy(model)
    m = {name: torch.zeros_like(weight) for name, weight in moved.named_parameters()}
    v = {name: torch.zeros_like(weight) for name, weight in moved.named_parameters()}
    t = 0
    for _ in range(EPOCHS):
        for batch in (range(TEXTS_PER_STEP), range(TEXTS_PER_STEP, N_TEXTS)):
            t += 1
            moved.zero_grad()
            log_probs = [mean_log_prob(moved, TEXTS[row], POSITIONS[row]) for row in batch]
            loss = -sum(log_probs) / len(batch)
            loss.backward()
            for name, weight in moved.named_parameters():
                g = weight.grad
                if g is None:
                    continue
                m[name] = BETA_1 * m[name] + (1 - BETA_1) * g
                v[name] = BETA_2 * v[name] + (1 - BETA_2) * g**2
                unbiased_m = m[name] / (1 - BETA_1**t)
                unbiased_v = v[name] / (1 - BETA_2**t)
                weight.data = weight.data - LEARNING_RATE * unbiased_m / (
                    unbiased_v.sqrt() + EPSILON
                )
    return moved


@pytest.mark.parametrize("architecture", ["llama", "gpt2"])
def test_the_copy_scores_texts_as_after_adamw_by_hand(architecture: str) -> None:
    model = tiny_model(architecture, {})
    tuned = fine_tuned(model, TEXTS, POSITIONS)
    by_hand = adamw_by_hand(model)
    for ids, positions in zip(TEXTS, POSITIONS, strict=True):
        before = float(mean_log_prob(model, ids, positions).detach())
        after = float(mean_log_prob(tuned, ids, positions).detach())
        expected = float(mean_log_prob(by_hand, ids, positions).detach())
        assert after == pytest.approx(expected, rel=1e-5)
        assert after > before + 1e-3


@pytest.mark.parametrize("architecture", ["llama", "gpt2"])
def test_the_copy_is_frozen_and_the_model_is_not_changed(architecture: str) -> None:
    model = tiny_model(architecture, {})
    before = copy.deepcopy(model.state_dict())
    tuned = fine_tuned(model, TEXTS, POSITIONS)
    assert not any(weight.requires_grad for weight in tuned.parameters())
    assert all(weight.grad is None for weight in model.parameters())
    for name, weight in model.state_dict().items():
        assert torch.equal(weight, before[name])
