"""A detector that reads the norm of a text's gradient:
training on a text makes its gradient small.
"""

import numpy as np
from jaxtyping import Float

from mechaware.instruments.radar.detectors.detector import Detector, required
from mechaware.instruments.radar.evidence.evidence import Evidence


def _score_gradient_norm(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """-||grad L(x)||_2 over all weights, L the mean loss of the text's tokens (Nasr et al. 2019,
    arXiv:1812.00910).

    Nasr et al. pass the norms of single layers to a network that is fitted on known members; the
    norm over all weights needs no known members. Traps: the gradient of a mean of T losses that
    differ shrinks with T, so long texts score higher. In half precision small gradients are
    rounded.
    """
    return -np.asarray(required(evidence.gradient_norms), dtype=float)


GRADIENT_NORM = Detector(
    "gradient_norm",
    "gradient norm",
    "Nasr et al. 2019",
    ("gradient_norms",),
    _score_gradient_norm,
)
