"""Detectors that sum the ranks of texts by several others, and so need no common scale.

A sum of ranks is often better than each of the detectors that it sums. A lead of Min-K%++ with the gradient norm over
Min-K%++ alone may therefore come from summing ranks, not from gradients. The fair comparison is with
`LIKELIHOOD_RANKS`, which sums ranks of likelihoods only.

Trap of both: a score depends on the other rows, including those of the control, and cannot be compared between
benchmarks. Rows score differently by themselves than within a larger table (`scores_among`).
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
    """The scores that these rows have by themselves: sums of ranks are computed again from the ranks among these rows.

    `scores` are rows of a larger table. It has a column for each of the `detectors`, and for each detector whose ranks
    one of them sums.
    """
    alone = scores[list(detectors)].copy()
    for name, summed in _SUMMED.items():
        if name in alone:
            columns = [detector.name for detector in summed]
            alone[name] = _sum_of_ranks(scores[columns])
    return alone


def _score_likelihoods(evidence: Evidence, seed: int) -> Float[np.ndarray, " row"]:
    """The sum of the ranks by loss, zlib and Min-K%++, over the number of rows. From 3 / rows to 3; ours.

    Three readings of one likelihood: as it is, relative to the text's compressed size, and at the least likely tokens,
    relative to what the model expects there.
    """
    return _sum_of_ranks(_scores_by(_LIKELIHOODS, evidence, seed))


def _score_with_gradient(evidence: Evidence, seed: int) -> Float[np.ndarray, " row"]:
    """The sum of the ranks by Min-K%++ and by the gradient norm, over the number of rows. From 2 / rows to 2; ours."""
    return _sum_of_ranks(_scores_by(_WITH_GRADIENT, evidence, seed))


def _scores_by(detectors: Sequence[Detector], evidence: Evidence, seed: int) -> pd.DataFrame:
    """The scores of every row, with a column for each detector."""
    scores = {detector.name: detector.score(evidence, seed) for detector in detectors}
    return pd.DataFrame(scores)


def _sum_of_ranks(scores: pd.DataFrame) -> Float[np.ndarray, " row"]:
    """The sum over columns of each row's rank, divided by the number of rows.

    The lowest score has rank 1, and equal scores have the mean of their ranks. A row that lacks a score has no sum
    (NaN), which `score_items` refuses.
    """
    return np.asarray(scores.rank().sum(axis=1, skipna=False) / len(scores), dtype=float)


LIKELIHOOD_RANKS = Detector(
    "likelihood_ranks", "loss, zlib and Min-K%++, ranks", "ours", (), _score_likelihoods
)
MIN_K_PLUS_PLUS_WITH_GRADIENT = Detector(
    "min_k_plus_plus_with_gradient",
    "Min-K%++ and gradient norm, ranks",
    "ours",
    ("gradient_norms",),
    _score_with_gradient,
)
# The detectors whose ranks are summed, by the name of the detector that sums them.
_SUMMED = {
    LIKELIHOOD_RANKS.name: _LIKELIHOODS,
    MIN_K_PLUS_PLUS_WITH_GRADIENT.name: _WITH_GRADIENT,
}
