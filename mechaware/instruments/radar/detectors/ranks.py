"""Two detectors that sum the ranks of a text under other detectors, and so need no common scale.

A sum of ranks is often better than each of the detectors whose ranks it sums. A lead of Min-K%++
with the gradient norm over Min-K%++ alone may therefore come from summing ranks, not from
gradients. The fair comparison is with `LIKELIHOOD_RANKS`, which sums ranks of likelihoods only.

Trap: a sum of ranks depends on all rows that are scored together, also on the rows of a control.
It cannot be compared between benchmarks, and rows taken from a larger table need their sums
computed again (`scores_among`).
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from jaxtyping import Float

from mechaware.instruments.radar.detectors.detector import Detector
from mechaware.instruments.radar.detectors.gradients import GRADIENT_NORM
from mechaware.instruments.radar.detectors.likelihood import LOSS, MIN_K_PLUS_PLUS, ZLIB
from mechaware.instruments.radar.evidence.evidence import Evidence

_LIKELIHOODS = (LOSS, ZLIB, MIN_K_PLUS_PLUS)
_WITH_GRADIENT = (MIN_K_PLUS_PLUS, GRADIENT_NORM)


def scores_among(scores: pd.DataFrame, detectors: Sequence[str]) -> pd.DataFrame:
    """The scores of rows that were taken from a larger table, with sums of ranks computed again.

    A row is ranked among the rows of `scores` only. `scores` has a column for each of `detectors`,
    and for each detector whose ranks one of `detectors` sums.
    """
    scores_among_rows = scores[list(detectors)].copy()
    for name, summed in _SUMMED.items():
        if name in detectors:
            columns = [detector.name for detector in summed]
            scores_among_rows[name] = _sum_of_ranks(scores[columns])
    return scores_among_rows


def _score_likelihoods(evidence: Evidence, seed: int) -> Float[np.ndarray, " row"]:
    """The sum of the ranks by loss, zlib and Min-K%++, divided by the number of rows.

    From 3 / rows to 3; ours. The three use one likelihood in three ways: the loss as it is, zlib
    relative to the text's compressed size, and Min-K%++ at the tokens whose log-probability is
    lowest once it is standardised by the model's prediction (`likelihood._score_min_k_plus_plus`).
    """
    return _sum_of_ranks(_scores_by(_LIKELIHOODS, evidence, seed))


def _score_with_gradient(evidence: Evidence, seed: int) -> Float[np.ndarray, " row"]:
    """The sum of the ranks by Min-K%++ and the gradient norm, divided by the number of rows.

    From 2 / rows to 2; ours.
    """
    return _sum_of_ranks(_scores_by(_WITH_GRADIENT, evidence, seed))


def _scores_by(detectors: Sequence[Detector], evidence: Evidence, seed: int) -> pd.DataFrame:
    """The scores of every row, with a column for each detector."""
    scores = {detector.name: detector.score(evidence, seed) for detector in detectors}
    return pd.DataFrame(scores)


def _sum_of_ranks(scores: pd.DataFrame) -> Float[np.ndarray, " row"]:
    """The sum over columns of each row's rank, divided by the number of rows.

    The lowest score has rank 1, and equal scores have the mean of their ranks. A row that lacks a
    score has no sum (NaN), which `score_items` refuses.
    """
    return np.asarray(scores.rank().sum(axis=1, skipna=False) / len(scores), dtype=float)


LIKELIHOOD_RANKS = Detector(
    name="likelihood_ranks",
    label="loss, zlib and Min-K%++, ranks",
    source="ours",
    needs=(),
    score=_score_likelihoods,
)
MIN_K_PLUS_PLUS_WITH_GRADIENT = Detector(
    name="min_k_plus_plus_with_gradient",
    label="Min-K%++ and gradient norm, ranks",
    source="ours",
    needs=("gradient_norms",),
    score=_score_with_gradient,
)
# The detectors whose ranks are summed, by the name of the detector that sums them.
_SUMMED = {
    LIKELIHOOD_RANKS.name: _LIKELIHOODS,
    MIN_K_PLUS_PLUS_WITH_GRADIENT.name: _WITH_GRADIENT,
}
