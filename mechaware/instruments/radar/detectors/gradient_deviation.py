"""GDS: which texts a model has seen, by a classifier of the gradients of its projections.

Gradient Deviation Scores (Zhang, Wang et al. 2026, arXiv:2603.04828) describe a text by the
gradient of its loss: how large it is, where in the model it lies and how concentrated it is, in
attention and MLP. These features go to a light classifier that is fitted on known members. Here the
features are log ||dL(x) / dW|| for each projection W of each block, which measure how large the
gradient is and where it lies; concentration is left out. The classifier is in `logistic`, fitted
within a seed or transferred from all other seeds.

Traps: the scale of gradients is each model's own, so features are standardised within a model, seen
and unseen texts together; without that the intercept of one model would be wrong for another. The
classifiers of two seeds were fitted on nearly the same seeds, and all seeds share one architecture
and one source of texts: a transfer to another model or source is not measured.
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from mechaware.instruments.radar.detectors.logistic import standardise

GDS_WITHIN = "gds_within"
GDS_TRANSFERRED = "gds_transferred"
MIN_K_PLUS_PLUS_WITH_GDS = "min_k_plus_plus_with_gds"
GDS_LABELS = {
    GDS_WITHIN: "GDS, fitted within the seed",
    GDS_TRANSFERRED: "GDS, fitted on other seeds",
    MIN_K_PLUS_PLUS_WITH_GDS: "Min-K%++ and GDS of other seeds, ranks",
}


def gradient_features(
    norms: Float[np.ndarray, "row projection"], models: Sequence[str]
) -> Float[np.ndarray, "row projection"]:
    """Log ||dL(x) / dW|| of each projection W, with mean 0 and standard deviation 1 within
    each of the `models`.
    """
    return standardise(np.log(norms), models)
