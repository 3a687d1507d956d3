"""Detectors that sum the ranks of texts by several others, and so need no common scale.

A sum of ranks is often better than each of the detectors that it sums. A lead of Min-K%++ with the gradient norm over
Min-K%++ alone may therefore come from ranks alone, and nothing from gradients. Its rival sums ranks as well, of
likelihoods only.

Trap of all: a score depends on the other rows, among them those of the control, and cannot be compared between
benchmarks.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from jaxtyping import Float

from mechaware.instruments.radar.detectors.detector import Detector
from mechaware.instruments.radar.detectors.gradients import GRADIENT_NORM
from mechaware.instruments.radar.detectors.likelihood import LOSS, MIN_K_PLUS_PLUS, ZLIB
from mechaware.instruments.radar.evidence.evidence import Evidence


def _score_likelihoods(evidence: Evidence, seed: int) -> Float[np.ndarray, " row"]:
    """The sum of the ranks by loss, zlib and Min-K%++, over the number of rows. From 3 / rows to 3; ours.

    Three readings of one likelihood: as it is, relative to the text's compressed size, and at the least likely tokens,
    relative to what the model expects there.
    """
    return _sum_of_ranks((LOSS, ZLIB, MIN_K_PLUS_PLUS), evidence, seed)


def _score_with_gradient(evidence: Evidence, seed: int) -> Float[np.ndarray, " row"]:
    """The sum of the ranks by Min-K%++ and by the gradient norm, over the number of rows. From 2 / rows to 2; ours."""
    return _sum_of_ranks((MIN_K_PLUS_PLUS, GRADIENT_NORM), evidence, seed)


def _sum_of_ranks(
    detectors: Sequence[Detector], evidence: Evidence, seed: int
) -> Float[np.ndarray, " row"]:
    """The likeliest seen row has the highest rank by a detector; equal scores have the mean of their ranks."""
    total = np.zeros(len(evidence.texts))
    for detector in detectors:
        total += pd.Series(detector.score(evidence, seed)).rank().to_numpy(float)
    return total / len(evidence.texts)


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
