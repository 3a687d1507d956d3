"""`score_tokens` against a float64 loop over the model's own logits, token by token."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from transformers import PreTrainedModel

from mechaware.models.summaries import TokenScores
from mechaware.models.token_scores import score_tokens
from tests.unit.models.tiny_llama import tiny_llama, with_start

ONE_BATCH = 10_000  # tokens per batch, more than all texts have
TEXTS = [[0, 5, 9, 3], [0, 7, 7, 8, 70, 90, 2, 11, 4], [0, 250], [0, 31, 32, 33, 34, 35, 36]]


@pytest.fixture(scope="module")
def llama() -> PreTrainedModel:
    return tiny_llama(with_start(["some text"]))


def naive_scores(model: PreTrainedModel, ids: list[int]) -> TokenScores:
    """The scores of all tokens but the first, by their definitions, one token at a time."""
    with torch.inference_mode():
        logits = model(torch.tensor([ids])).logits[0].double().numpy()
    log_probs, means, deviations, best = [], [], [], []
    for position in range(1, len(ids)):
        shifted = logits[position - 1] - max(logits[position - 1])
        log_sum = math.log(sum(math.exp(value) for value in shifted))
        all_log_probs = [float(value - log_sum) for value in shifted]

        mean = sum(math.exp(value) * value for value in all_log_probs)
        variance = sum(math.exp(value) * (value - mean) ** 2 for value in all_log_probs)
        log_probs.append(all_log_probs[ids[position]])
        means.append(mean)
        deviations.append(math.sqrt(variance))
        best.append(max(all_log_probs))
    return TokenScores(
        ids=np.array(ids[1:]),
        log_probs=np.array(log_probs),
        means=np.array(means),
        deviations=np.array(deviations),
        best=np.array(best),
    )


def assert_close(ours: TokenScores, theirs: TokenScores, *, rtol: float, atol: float) -> None:
    assert ours.ids.tolist() == theirs.ids.tolist()
    for name in ("log_probs", "means", "deviations", "best"):
        np.testing.assert_allclose(
            getattr(ours, name), getattr(theirs, name), rtol=rtol, atol=atol, err_msg=name
        )


class FixedLogits:
    """A model with the given logits at every position of every text."""

    device = torch.device("cpu")

    def __init__(self, logits: list[float]) -> None:
        self.logits = torch.tensor(logits)

    def __call__(self, *, input_ids: torch.Tensor, **_settings: bool) -> SimpleNamespace:
        return SimpleNamespace(logits=self.logits.expand(*input_ids.shape, len(self.logits)))


@pytest.mark.parametrize("logit", [0.0, 0.3, -1.7])
def test_constant_logits_give_a_deviation_of_exactly_zero(logit: float) -> None:
    model = FixedLogits([logit] * 1000)
    (scores,) = score_tokens(model, [[0, 1, 2]], [1], tokens_per_batch=ONE_BATCH)
    assert scores.deviations.tolist() == [0.0, 0.0]
    assert scores.means.tolist() == scores.log_probs.tolist() == scores.best.tolist()
    np.testing.assert_allclose(scores.log_probs, -math.log(1000), rtol=1e-12)


def test_a_nearly_certain_token_has_the_deviation_of_its_rare_alternative() -> None:
    """The alternative has p = exp(-40), and its log-probability is 40 lower.

    So the variance is p (1 - p) 40^2, in which 1 - p rounds to 1. Computed from the logits 40 and 0
    themselves, the mean square less the squared mean would be 1600 - 1600 = 0 in float64.
    """
    model = FixedLogits([40.0, 0.0])
    (scores,) = score_tokens(model, [[0, 0]], [1], tokens_per_batch=ONE_BATCH)
    np.testing.assert_allclose(scores.deviations, [40 * math.exp(-20)], rtol=1e-9)


@pytest.mark.parametrize("ids", TEXTS, ids=["4 tokens", "9 tokens", "2 tokens", "7 tokens"])
def test_the_scores_of_a_text_are_those_of_a_loop_in_float64(
    llama: PreTrainedModel, ids: list[int]
) -> None:
    (scores,) = score_tokens(llama, [ids], [1], tokens_per_batch=ONE_BATCH)
    assert_close(scores, naive_scores(llama, ids), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("tokens_per_batch", [1, 14, ONE_BATCH])
def test_the_scores_of_a_text_do_not_depend_on_the_texts_in_its_batch(
    llama: PreTrainedModel, tokens_per_batch: int
) -> None:
    together = score_tokens(llama, TEXTS, [1] * len(TEXTS), tokens_per_batch=tokens_per_batch)
    for ids, scores in zip(TEXTS, together, strict=True):
        (alone,) = score_tokens(llama, [ids], [1], tokens_per_batch=ONE_BATCH)
        # A batch of another shape adds float32 numbers of up to 6 in another order; a unit of the
        # last place of 6 is 5e-7.
        assert_close(scores, alone, rtol=0, atol=5e-6)


def test_the_common_beginning_of_all_texts_is_read_once(llama: PreTrainedModel) -> None:
    """A beginning of 20 tokens, and texts of 3, 5 and 2 more.

    One pass reads 19 tokens. The second reads the last token of the beginning and the rest of each
    text, padded to the longest: 3 rows of 1 + 5 tokens.
    """
    beginning = list(range(1, 21))
    texts = [[*beginning, 4, 7, 9], [*beginning, 4, 7, 2, 8, 3], [*beginning, 6, 1]]
    n_read = []

    def count(_model: object, _arguments: object, options: dict[str, torch.Tensor]) -> None:
        n_read.append(options["input_ids"].numel())

    handle = llama.register_forward_pre_hook(count, with_kwargs=True)
    score_tokens(llama, texts, [20, 20, 20], tokens_per_batch=ONE_BATCH)
    handle.remove()
    assert n_read == [19, 3 * (1 + 5)]


def test_the_common_beginning_that_is_read_once_ends_before_the_earliest_scored_token(
    llama: PreTrainedModel,
) -> None:
    beginning = list(range(1, 23))
    texts = [[*beginning, 4, 7, 9], [*beginning, 6, 1], [*beginning, 3]]
    first_scored = [21, 18, 22]
    all_scores = score_tokens(llama, texts, first_scored, tokens_per_batch=ONE_BATCH)
    for ids, first, scores in zip(texts, first_scored, all_scores, strict=True):
        # `naive_scores` begins with token 1.
        expected = TokenScores(*[values[first - 1 :] for values in naive_scores(llama, ids)])
        assert_close(scores, expected, rtol=0, atol=5e-6)


def test_tokens_before_the_first_scored_one_are_only_context(llama: PreTrainedModel) -> None:
    first_scored = [2, 5, 1, 6]
    all_scores = score_tokens(llama, TEXTS, [1] * len(TEXTS), tokens_per_batch=ONE_BATCH)
    later_scores = score_tokens(llama, TEXTS, first_scored, tokens_per_batch=ONE_BATCH)
    for ids, first, later, scores in zip(
        TEXTS, first_scored, later_scores, all_scores, strict=True
    ):
        assert later.ids.tolist() == ids[first:]
        # `scores` begins with token 1.
        expected = TokenScores(*[values[first - 1 :] for values in scores])
        assert_close(later, expected, rtol=0, atol=0)
