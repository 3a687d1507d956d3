"""Detectors that read the norm of a text's gradient: training on a text makes its gradient small."""

import numpy as np
import pandas as pd
from jaxtyping import Float

from mechaware.instruments.radar.detectors.detector import Detector, required
from mechaware.instruments.radar.detectors.likelihood import MIN_K_PLUS_PLUS
from mechaware.instruments.radar.evidence.evidence import Evidence


def _score_gradient_norm(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """-||grad L(x)||_2 over all weights, L the mean loss of the text's tokens (Nasr et al. 2019, arXiv:1812.00910).

    Nasr et al. give the norms of single layers to a network that is fitted on known members; the norm over all weights
    by itself needs no truth. Traps: the gradient of a mean of T losses that differ shrinks with T, so long texts score
    higher. In half precision small gradients are rounded.
    """
    return -np.asarray(required(evidence.gradient_norms), dtype=float)


def _score_ranks(evidence: Evidence, seed: int) -> Float[np.ndarray, " row"]:
    """The sum of the ranks by Min-K%++ and by the gradient norm, over the number of rows. From 2 / rows to 2; ours.

    The likeliest seen has the highest rank; equal scores have the mean of their ranks. Trap: the score depends on the
    other rows, among them those of the control, and cannot be compared between benchmarks.
    """
    by_likelihood = pd.Series(MIN_K_PLUS_PLUS.score(evidence, seed)).rank(pct=True)
    by_gradient = pd.Series(_score_gradient_norm(evidence, seed)).rank(pct=True)
    return np.asarray(by_likelihood + by_gradient, dtype=float)


GRADIENT_NORM = Detector(
    "gradient_norm",
    "gradient norm",
    "Nasr et al. 2019",
    ("gradient_norms",),
    _score_gradient_norm,
)
MIN_K_PLUS_PLUS_WITH_GRADIENT = Detector(
    "min_k_plus_plus_with_gradient",
    "Min-K%++ and gradient norm, ranks",
    "ours",
    ("gradient_norms",),
    _score_ranks,
)
