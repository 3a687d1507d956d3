"""The inputs of RADAR's features: a prompt's activations, reduced to a few numbers per layer and
head.

Layers l = 1..L are the model's L blocks. Entropies are in nats.
"""

from typing import Literal, NamedTuple, get_args

import numpy as np
from jaxtyping import Float

from mechaware.models.summaries import StateSummary, Trajectory

Reduction = Literal["sum", "mean"]
REDUCTIONS: tuple[Reduction, ...] = get_args(Reduction)


class PromptMeasurements(NamedTuple):
    """The inputs of one prompt's features; L >= 2.

    - `confidence`: c_l, the largest next-token probability by the logit lens at the last prompt
      token.
    - `entropy`: H_l, the entropy of that distribution.
    - `head_entropy`: H_{l,h}, the attention entropy of each head, in nats.
    - `states`: of each layer's residual states, the mean L2 norm n_l, the variance v_l and the
      effective rank r_l (`StateSummary`).
    - `specialised_head_entropy`: the threshold tau; a head with less entropy is specialised.
    """

    confidence: Trajectory
    entropy: Trajectory
    head_entropy: Float[np.ndarray, "layer head"]
    states: StateSummary
    specialised_head_entropy: float


def slope(values: Trajectory) -> float:
    """The least-squares slope of `values` on the layer index 1..L (D.1.1): change per layer."""
    layers = np.arange(1, len(values) + 1)
    centred = layers - layers.mean()
    return float(centred @ (values - values.mean()) / (centred @ centred))
