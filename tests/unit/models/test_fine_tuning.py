"""A fine-tuned copy of a model, against AdamW by its formula, one weight at a time."""

import copy

import pytest
import torch
from transformers import PreTrainedModel

from mechaware.models.fine_tuning import EPOCHS, LEARNING_RATE, TEXTS_PER_STEP, fine_tuned
from tests.architectures import tiny_model
from tests.unit.models.ascent_by_hand import mean_log_prob

# One step of eight texts and one of the three that are left, in each epoch.
TEXTS = [[1, 7 + row, 30, 8 * row + 3, 100, 9, 150 - row][: 4 + row % 4] for row in range(11)]
POSITIONS = [list(range(1, len(ids))) for ids in TEXTS]
# The defaults of AdamW (Loshchilov and Hutter 2019).
BETA_1 = 0.9
BETA_2 = 0.999
EPSILON = 1e-8


def by_the_formula(model: PreTrainedModel) -> PreTrainedModel:
    """AdamW without weight decay: w - rate * m / (1 - beta_1^t) / (sqrt(v / (1 - beta_2^t)) + epsilon)."""
    moved = copy.deepcopy(model)
    first = {name: torch.zeros_like(weight) for name, weight in moved.named_parameters()}
    second = {name: torch.zeros_like(weight) for name, weight in moved.named_parameters()}
    step = 0
    for _ in range(EPOCHS):
        for start in range(0, len(TEXTS), TEXTS_PER_STEP):
            step += 1
            batch = range(start, min(start + TEXTS_PER_STEP, len(TEXTS)))
            moved.zero_grad()
            log_probs = [mean_log_prob(moved, TEXTS[text], POSITIONS[text]) for text in batch]
            (-sum(log_probs) / len(batch)).backward()
            for name, weight in moved.named_parameters():
                if weight.grad is None:
                    continue
                first[name] = BETA_1 * first[name] + (1 - BETA_1) * weight.grad
                second[name] = BETA_2 * second[name] + (1 - BETA_2) * weight.grad**2
                m = first[name] / (1 - BETA_1**step)
                v = second[name] / (1 - BETA_2**step)
                weight.data = weight.data - LEARNING_RATE * m / (v.sqrt() + EPSILON)
    return moved


@pytest.mark.parametrize("architecture", ["llama", "gpt2"])
def test_the_copy_is_that_of_steps_by_the_formula(architecture: str) -> None:
    model = tiny_model(architecture, {})
    before = copy.deepcopy(model.state_dict())
    tuned = fine_tuned(model, TEXTS, POSITIONS)
    slow = by_the_formula(model)
    for ids, positions in zip(TEXTS, POSITIONS, strict=True):
        start = float(mean_log_prob(model, ids, positions).detach())
        after = float(mean_log_prob(tuned, ids, positions).detach())
        expected = float(mean_log_prob(slow, ids, positions).detach())
        assert after == pytest.approx(expected, rel=1e-5)
        assert after > start + 1e-3

    for name, weight in model.state_dict().items():
        assert torch.equal(weight, before[name])
    assert all(weight.grad is None for weight in model.parameters())
    assert not any(weight.requires_grad for weight in tuned.parameters())
