"""The evidence that probes read (`detectors.probes`), measured apart from that of other detectors."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float


class ProbeEvidence(NamedTuple):
    """Rows, each one text under one model: mean log p(x_t | x_<t) in nats a token; None was not measured.

    - `log_probs`: the text alone.
    - `behind_others`: the same tokens behind other texts of its benchmark (`evidence.probing`).
    - `after_ascent`: after one step of gradient ascent on the text's loss (`models.ascent`).
    """

    log_probs: Float[np.ndarray, " row"]
    behind_others: Float[np.ndarray, " row"] | None = None
    after_ascent: Float[np.ndarray, " row"] | None = None
