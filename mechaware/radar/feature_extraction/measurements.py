"""The inputs of RADAR's features: a prompt's activations, reduced to a few numbers per layer and head.

Layers l = 1..L are the model's L blocks. Entropies are in nats.
"""

from typing import Literal, NamedTuple, get_args

import numpy as np
from jaxtyping import Float

from mechaware.models.summaries import PromptSummary, StateSummary, Trajectory

Reduction = Literal["sum", "mean"]
REDUCTIONS: tuple[Reduction, ...] = get_args(Reduction)


class PromptMeasurements(NamedTuple):
    """The inputs of one prompt's features; L >= 2.

    `confidence`: c_l, the largest next-token probability by the logit lens at the last prompt token. `entropy`: H_l,
    the entropy of that distribution. `head_entropy`: H_{l,h}, by `head_entropy`. `states`: n_l, v_l and r_l.
    `specialised_head_entropy`: tau; a head with less entropy is specialised.
    """

    confidence: Trajectory
    entropy: Trajectory
    head_entropy: Float[np.ndarray, "layer head"]
    states: StateSummary
    specialised_head_entropy: float


def head_entropy(summary: PromptSummary, reduction: Reduction) -> Float[np.ndarray, "layer head"]:
    """H_{l,h} from the entropies of a head's attention rows: their `sum` as printed (D.2.1), or their `mean` per query.

    The sum grows with the length of the prompt. The mean, the plausible intent, grows with it too, but more slowly: a
    later query has more keys to attend to. Neither is independent of length.
    """
    total = summary.attention_entropy
    return total if reduction == "sum" else total / summary.n_tokens


def slope(values: Trajectory) -> float:
    """The least-squares slope of `values` on the layer index 1..L (D.1.1): change per layer."""
    layers = np.arange(1, len(values) + 1)
    centred = layers - layers.mean()
    return float(centred @ (values - values.mean()) / (centred @ centred))


def relative_slope(values: Trajectory) -> float:
    """The least-squares slope of `values` on the layer index over their mean: growth per layer (our definition)."""
    return float(slope(values) / values.mean())
