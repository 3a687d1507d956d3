"""The scores of tokens against a float64 loop over the model's own logits, one text and token at a time."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from transformers import PreTrainedModel

from mechaware.models.summaries import TokenScores
from mechaware.models.token_scores import score_tokens
from tests.unit.models.tiny_llama import tiny_llama, with_start

MANY = 10_000  # tokens per batch: all texts in one
TEXTS = [[0, 5, 9, 3], [0, 7, 7, 8, 70, 90, 2, 11, 4], [0, 250], [0, 31, 32, 33, 34, 35, 36]]


@pytest.fixture(scope="module")
def llama() -> PreTrainedModel:
    return tiny_llama(with_start(["some text"]))


def naive_scores(
    model: PreTrainedModel, ids: list[int], first: int
) -> list[tuple[float, float, float, float]]:
    """Log-probability, mean, deviation and best of each token, by their definitions, one text and token at a time."""
    with torch.inference_mode():
        logits = model(torch.tensor([ids])).logits[0].double().numpy()
    rows = []
    for place in range(first, len(ids)):
        shifted = logits[place - 1] - max(logits[place - 1])
        log_sum = math.log(sum(math.exp(value) for value in shifted))
        log_probs = [float(value - log_sum) for value in shifted]

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


@pytest.mark.parametrize("logit", [0.0, 0.3, -1.7])
def test_constant_logits_give_a_deviation_of_exactly_zero(logit: float) -> None:
    (scores,) = score_tokens(MadeLogits([logit] * 1000), [[0, 1, 2]], [1], tokens_per_batch=MANY)
    assert scores.deviations.tolist() == [0.0, 0.0]
    assert scores.means.tolist() == scores.log_probs.tolist() == scores.best.tolist()
    np.testing.assert_allclose(scores.log_probs, -math.log(1000), rtol=1e-12)


def test_a_nearly_certain_token_has_the_deviation_of_its_rare_alternative() -> None:
    # p = exp(-40) of another token: the mean square less the squared mean would be 0 or negative.
    (scores,) = score_tokens(MadeLogits([40.0, 0.0]), [[0, 0]], [1], tokens_per_batch=MANY)
    np.testing.assert_allclose(scores.deviations, [40 * math.exp(-20)], rtol=1e-9)


@pytest.mark.parametrize("tokens_per_batch", [1, 14, MANY])
def test_the_scores_are_those_of_a_loop_in_float64_and_padding_changes_nothing(
    llama: PreTrainedModel, tokens_per_batch: int
) -> None:
    together = score_tokens(llama, TEXTS, [1] * len(TEXTS), tokens_per_batch=tokens_per_batch)
    for ids, scores in zip(TEXTS, together, strict=True):
        (alone,) = score_tokens(llama, [ids], [1], tokens_per_batch=MANY)
        np.testing.assert_allclose(
            columns(alone), naive_scores(llama, ids, 1), rtol=1e-9, atol=1e-9
        )
        assert scores.ids.tolist() == alone.ids.tolist() == ids[1:]
        # Another batch adds float32 numbers of up to 6 in another order; there a unit of the last place is 5e-7.
        np.testing.assert_allclose(columns(scores), columns(alone), rtol=0, atol=5e-6)


def test_what_all_texts_begin_with_is_read_once(llama: PreTrainedModel) -> None:
    """A beginning of 20 tokens and texts of 3, 5 and 2 more; the beginning's last token is read with each."""
    beginning = list(range(1, 21))
    texts = [[*beginning, 4, 7, 9], [*beginning, 4, 7, 2, 8, 3], [*beginning, 6, 1]]
    n_read = []

    def count(_model: object, _arguments: object, options: dict[str, torch.Tensor]) -> None:
        n_read.append(options["input_ids"].numel())

    handle = llama.register_forward_pre_hook(count, with_kwargs=True)
    score_tokens(llama, texts, [20, 20, 20], tokens_per_batch=MANY)
    handle.remove()
    assert n_read == [19, 3 * 6]


def test_tokens_before_the_first_are_context_alone(llama: PreTrainedModel) -> None:
    first = [2, 5, 1, 6]
    whole = score_tokens(llama, TEXTS, [1] * len(TEXTS), tokens_per_batch=MANY)
    later = score_tokens(llama, TEXTS, first, tokens_per_batch=MANY)
    for ids, start, part, all_tokens in zip(TEXTS, first, later, whole, strict=True):
        assert part.ids.tolist() == ids[start:]
        np.testing.assert_array_equal(columns(part), columns(all_tokens)[start - 1 :])
