"""Sums of ranks, against values worked out by hand and against ranks counted pair by pair."""

import zlib
from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest

from mechaware.core.errors import UserError
from mechaware.instruments.radar.detectors.gradients import GRADIENT_NORM
from mechaware.instruments.radar.detectors.likelihood import LOSS, MIN_K_PLUS_PLUS, ZLIB
from mechaware.instruments.radar.detectors.ranks import (
    LIKELIHOOD_RANKS,
    MIN_K_PLUS_PLUS_WITH_GRADIENT,
    scores_among,
)
from mechaware.instruments.radar.detectors.registry import score_items
from mechaware.instruments.radar.evidence.evidence import Evidence
from tests.unit.instruments.radar.detectors.made_evidence import (
    items_under_two_models,
    rearranged,
    scored,
    tokens,
)

# The detectors that sum ranks, and those whose ranks they sum.
RANKED_AND_SUMMED = (
    LOSS,
    ZLIB,
    MIN_K_PLUS_PLUS,
    GRADIENT_NORM,
    LIKELIHOOD_RANKS,
    MIN_K_PLUS_PLUS_WITH_GRADIENT,
)


def test_ranks_by_min_k_plus_plus_and_by_the_gradient_are_summed() -> None:
    # One token each, with mean -2 and deviation 1, so that Min-K%++ is log p + 2.
    log_probs = [-4, -1, -2, -0.5, -3]
    norms = [1.0, 7.0, 2.0, 2.0, 0.5]
    rows = [tokens([log_prob], means=[-2], deviations=[1]) for log_prob in log_probs]
    evidence = scored(*rows, gradient_norms=np.array(norms))

    # Min-K%++ is -2, 1, 0, 1.5 and -1; the lowest has rank 1.
    ranks_by_likelihood = np.array([1, 4, 3, 5, 2])
    # The largest norm has rank 1; two equal norms share the ranks 2 and 3.
    ranks_by_gradient = np.array([4, 1, 2.5, 2.5, 5])
    expected = (ranks_by_likelihood + ranks_by_gradient) / 5
    np.testing.assert_allclose(MIN_K_PLUS_PLUS_WITH_GRADIENT.score(evidence, 0), expected)


def test_ranks_by_loss_zlib_and_min_k_plus_plus_are_summed() -> None:
    """Texts of one token each.

    The third compresses badly, so that its log-probability per byte is the highest.
    """
    long = "".join(chr(ord("a") + number * 7 % 26) for number in range(26)) * 2 + "0123456789"
    texts = ["aa", "bb", long, "dd"]
    rows = [
        tokens([-4.0], means=[-4.0], deviations=[1.0]),
        tokens([-1.0], means=[-3.0], deviations=[2.0]),
        tokens([-2.0], means=[-1.0], deviations=[1.0]),
        tokens([-1.0], means=[-1.5], deviations=[1.0]),
    ]
    sizes = [len(zlib.compress(text.encode())) for text in texts]
    assert sizes[0] == sizes[1] == sizes[3] < sizes[2] / 2

    # The log-probabilities are -4, -1, -2 and -1; the two equal ones share the ranks 3 and 4.
    by_loss = np.array([1, 3.5, 2, 3.5])
    # Divided by the compressed sizes s, s, more than 2 s, and s, they are -4/s, -1/s, more than
    # -1/s, and -1/s.
    by_zlib = np.array([1, 2.5, 4, 2.5])
    # (log p - mean) / deviation is 0, 1, -1 and 0.5.
    by_min_k_plus_plus = np.array([2, 4, 1, 3])
    expected = (by_loss + by_zlib + by_min_k_plus_plus) / 4
    evidence = scored(*rows, texts=texts)
    np.testing.assert_allclose(LIKELIHOOD_RANKS.score(evidence, 0), expected)


def test_equal_sums_of_unequal_ranks_are_equal_scores() -> None:
    """Each of six rows has the ranks k and 7 - k, whose sum is 7.

    Sums of ranks that are divided before they are added may differ in floats.
    """
    assert 1 / 6 + 6 / 6 != 3 / 6 + 4 / 6
    rows = [tokens([-value], means=[0], deviations=[1]) for value in range(1, 7)]
    evidence = scored(*rows, gradient_norms=np.arange(6.0, 0, -1))
    assert len(set(MIN_K_PLUS_PLUS_WITH_GRADIENT.score(evidence, 0))) == 1


def test_a_row_whose_gradient_is_no_number_has_no_sum_and_is_refused() -> None:
    """If the missing rank counted as 0, the row would be the least likely seen."""
    rows = [tokens([-value], means=[0], deviations=[1]) for value in range(1, 4)]
    evidence = scored(*rows, gradient_norms=np.array([1.0, np.nan, 2.0]))
    with pytest.raises(UserError, match=r"min_k_plus_plus_with_gradient: row 1 has no finite"):
        score_items(evidence, (MIN_K_PLUS_PLUS_WITH_GRADIENT,), seed=0)


def test_a_part_of_the_rows_is_ranked_by_itself() -> None:
    """The last three of five rows are scored as if there were no others."""
    table = pd.DataFrame(
        {
            "loss": [5.0, 4.0, 3.0, 2.0, 1.0],
            "min_k_plus_plus": [9.0, 8.0, 3.0, 1.0, 2.0],
            "gradient_norm": [-9.0, -8.0, -3.0, -2.0, -1.0],
            "min_k_plus_plus_with_gradient": [0.0] * 5,
        }
    )
    detectors = ["min_k_plus_plus_with_gradient", "loss"]
    alone = scores_among(table.iloc[2:], detectors)
    assert list(alone) == detectors
    # Among the three rows the ranks are 3, 1, 2 by Min-K%++ and 1, 2, 3 by the gradient norm.
    assert alone["min_k_plus_plus_with_gradient"].tolist() == pytest.approx([4 / 3, 3 / 3, 5 / 3])
    # A detector that sums no ranks keeps its scores.
    assert alone["loss"].tolist() == [3, 2, 1]


def test_rows_of_a_table_are_scored_as_their_evidence_is() -> None:
    evidence = items_under_two_models(9, seed=5)
    part = rearranged(evidence, range(3, 11))
    names = [LIKELIHOOD_RANKS.name, MIN_K_PLUS_PLUS_WITH_GRADIENT.name]
    scores = score_items(evidence, RANKED_AND_SUMMED, seed=0)
    among_all = scores.iloc[3:11].reset_index(drop=True)
    by_themselves = score_items(part, RANKED_AND_SUMMED, seed=0)[names]
    assert (among_all[names] != by_themselves).any(axis=None)
    pd.testing.assert_frame_equal(scores_among(among_all, names), by_themselves)


@pytest.mark.parametrize("seed", [2, 11])
def test_the_sum_of_ranks_equals_a_count_pair_by_pair(seed: int) -> None:
    evidence = items_under_two_models(9, seed=seed)
    expected = ranks_pair_by_pair(mean_log_probs(evidence))
    expected += ranks_pair_by_pair(mean_log_probs_per_byte(evidence))
    expected += ranks_pair_by_pair(min_k_plus_plus(evidence))
    n_rows = 9 * 2  # nine items under two models
    expected /= n_rows
    np.testing.assert_allclose(LIKELIHOOD_RANKS.score(evidence, 0), expected)


def ranks_pair_by_pair(values: Sequence[float]) -> np.ndarray:
    """The rank of each value: 1, plus 1 for each lower value, plus 1/2 for each other equal one."""
    ranks = []
    for row, value in enumerate(values):
        rank = 1.0
        for other, compared in enumerate(values):
            if compared < value:
                rank += 1
            elif compared == value and other != row:
                rank += 0.5
        ranks.append(rank)
    return np.array(ranks)


def mean_log_probs(evidence: Evidence) -> list[float]:
    """The mean log-probability of each text's tokens; the detector `LOSS` scores by it."""
    return [sum(text.log_probs) / len(text.log_probs) for text in evidence.scores]


def mean_log_probs_per_byte(evidence: Evidence) -> list[float]:
    """The mean log-probability over the bytes of the compressed text; `ZLIB` scores by it."""
    values = []
    for log_prob, text in zip(mean_log_probs(evidence), evidence.texts, strict=True):
        n_bytes = len(zlib.compress(text.encode()))
        values.append(log_prob / n_bytes)
    return values


def min_k_plus_plus(evidence: Evidence) -> list[float]:
    """The lowest (log p - mean) / deviation of each text.

    Min-K%++ is the mean of the lowest fifth, which is one of eight tokens.
    """
    lowest = []
    for text in evidence.scores:
        tokens_of_text = zip(text.log_probs, text.means, text.deviations, strict=True)
        distances = [(log_prob - mean) / deviation for log_prob, mean, deviation in tokens_of_text]
        assert len(distances) == 8
        lowest.append(min(distances))
    return lowest
