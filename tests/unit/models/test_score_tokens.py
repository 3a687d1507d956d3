"""Scores of tokens against a float64 loop over the model's own logits, and what padding must not change."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from transformers import PreTrainedModel

from mechaware.models.score_tokens import score_tokens
from mechaware.models.token_scores import TokenScores
from tests.unit.models.tiny_llama import tiny_llama, with_start

MANY = 10_000
TEXTS = [[0, 5, 9, 3], [0, 7, 7, 8, 70, 90, 2, 11, 4], [0, 250], [0, 31, 32, 33, 34, 35, 36]]


@pytest.fixture(scope="module")
def model() -> PreTrainedModel:
    return tiny_llama(with_start(["some text"]))


def naive_scores(model: PreTrainedModel, ids: list[int], first: int) -> list[tuple[float, float, float, float]]:
    """Log-probability, mean, deviation and best of each token, by their definitions, one text and token at a time."""
    with torch.inference_mode():
        logits = model(torch.tensor([ids])).logits[0].double().numpy()
    rows = []
    for place in range(first, len(ids)):
        shifted = logits[place - 1] - max(logits[place - 1])
        log_probs = [float(value) for value in shifted - math.log(sum(math.exp(value) for value in shifted))]
        mean = sum(math.exp(value) * value for value in log_probs)
        variance = sum(math.exp(value) * (value - mean) ** 2 for value in log_probs)
        rows.append((log_probs[ids[place]], mean, math.sqrt(variance), max(log_probs)))
    return rows


def columns(scores: TokenScores) -> np.ndarray:
    return np.column_stack([scores.log_probs, scores.means, scores.deviations, scores.best])


class MadeLogits:
    """A model whose logits are given, the same at every position."""

    device = torch.device("cpu")

    def __init__(self, logits: list[float]) -> None:
        self.logits = torch.tensor(logits)

    def __call__(self, *, input_ids: torch.Tensor, **_settings: bool) -> SimpleNamespace:
        return SimpleNamespace(logits=self.logits.expand(*input_ids.shape, len(self.logits)))


@pytest.mark.parametrize("ids", TEXTS, ids=len)
def test_the_scores_are_those_of_a_loop_in_float64(model: PreTrainedModel, ids: list[int]) -> None:
    (scores,) = score_tokens(model, [ids], [1], tokens_per_batch=MANY)
    assert scores.ids.tolist() == ids[1:]
    np.testing.assert_allclose(columns(scores), naive_scores(model, ids, 1), rtol=1e-9, atol=1e-9)


def test_probabilities_one_half_and_two_quarters_by_hand() -> None:
    model = MadeLogits([math.log(2), 0.0, 0.0])
    (scores,) = score_tokens(model, [[0, 0, 2]], [1], tokens_per_batch=MANY)
    ln2 = math.log(2)
    np.testing.assert_allclose(scores.log_probs, [-ln2, -2 * ln2], rtol=1e-7)
    # The mean is 1/2 (-ln 2) + 1/2 (-2 ln 2); half of the mass is ln 2 / 2 above it, half as much below.
    np.testing.assert_allclose(scores.means, [-1.5 * ln2] * 2, rtol=1e-7)
    np.testing.assert_allclose(scores.deviations, [ln2 / 2] * 2, rtol=1e-7)
    np.testing.assert_allclose(scores.best, [-ln2] * 2, rtol=1e-7)


@pytest.mark.parametrize("vocabulary", [7, 300, 1000])
@pytest.mark.parametrize("logit", [0.0, 0.3, -1.7])
def test_constant_logits_give_a_deviation_of_exactly_zero(vocabulary: int, logit: float) -> None:
    (scores,) = score_tokens(MadeLogits([logit] * vocabulary), [[0, 1, 2]], [1], tokens_per_batch=MANY)
    assert scores.deviations.tolist() == [0.0, 0.0]
    assert scores.means.tolist() == scores.log_probs.tolist() == scores.best.tolist()
    np.testing.assert_allclose(scores.log_probs, -math.log(vocabulary), rtol=1e-12)


def test_a_nearly_certain_token_has_the_deviation_of_its_rare_alternative() -> None:
    # p = exp(-40) of another token: the mean square less the squared mean would be 0 or negative.
    (scores,) = score_tokens(MadeLogits([40.0, 0.0]), [[0, 0]], [1], tokens_per_batch=MANY)
    np.testing.assert_allclose(scores.deviations, [40 * math.exp(-20)], rtol=1e-9)


@pytest.mark.parametrize("tokens_per_batch", [1, 14, MANY])
def test_padding_changes_nothing(model: PreTrainedModel, tokens_per_batch: int) -> None:
    together = score_tokens(model, TEXTS, [1] * len(TEXTS), tokens_per_batch=tokens_per_batch)
    for ids, scores in zip(TEXTS, together, strict=True):
        (alone,) = score_tokens(model, [ids], [1], tokens_per_batch=MANY)
        assert scores.ids.tolist() == alone.ids.tolist() == ids[1:]
        # Another batch adds float32 numbers of up to 6 in another order; there a unit of the last place is 5e-7.
        np.testing.assert_allclose(columns(scores), columns(alone), rtol=0, atol=5e-6)


def test_tokens_before_the_first_are_context_alone(model: PreTrainedModel) -> None:
    first = [2, 5, 1, 6]
    whole = score_tokens(model, TEXTS, [1] * len(TEXTS), tokens_per_batch=MANY)
    later = score_tokens(model, TEXTS, first, tokens_per_batch=MANY)
    for ids, start, part, all_tokens in zip(TEXTS, first, later, whole, strict=True):
        assert part.ids.tolist() == ids[start:]
        np.testing.assert_array_equal(columns(part), columns(all_tokens)[start - 1 :])


@pytest.mark.parametrize(("ids", "first"), [([0, 5], 0), ([0, 5], 2), ([0], 1), ([], 1)])
def test_a_text_without_a_token_to_score_is_refused(model: PreTrainedModel, ids: list[int], first: int) -> None:
    with pytest.raises(ValueError, match="each text needs a token with a context to score"):
        score_tokens(model, [[0, 5, 6], ids], [1, first], tokens_per_batch=MANY)
