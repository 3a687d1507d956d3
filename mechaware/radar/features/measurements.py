"""What RADAR's features are computed from: a prompt's activations, reduced to a few numbers per layer and head.

Layers l = 1..L are the model's L blocks. Entropies are in nats.
"""

from typing import Literal, NamedTuple, get_args

import numpy as np
from jaxtyping import Float

Reduction = Literal["sum", "mean"]
REDUCTIONS: tuple[Reduction, ...] = get_args(Reduction)

Trajectory = Float[np.ndarray, " layer"]


class StateSummary(NamedTuple):
    """Three numbers for each layer's matrix of residual states, tokens x dimensions (our definitions, after D.2).

    `norm`: n_l, the mean over tokens of the L2 norm. `variance`: v_l, the population variance over all tokens and
    dimensions. `rank`: r_l, the effective rank, exp of the entropy of the singular values scaled to sum 1; from 1 to
    min(tokens, dimensions).
    """

    norm: Trajectory
    variance: Trajectory
    rank: Trajectory


class Measurements(NamedTuple):
    """What the features of one prompt read; L >= 2.

    `confidence`: c_l, the largest next-token probability by the logit lens at the last prompt token. `entropy`: H_l,
    the entropy of that distribution. `head_entropy`: H_{l,h}, by `reduce_row_entropy`. `states`: n_l, v_l and r_l.
    `specialised_head_entropy`: tau; a head with less entropy is specialised.
    """

    confidence: Trajectory
    entropy: Trajectory
    head_entropy: Float[np.ndarray, "layer head"]
    states: StateSummary
    specialised_head_entropy: float


def reduce_row_entropy(
    row_entropy: Float[np.ndarray, "token layer head"], reduction: Reduction
) -> Float[np.ndarray, "layer head"]:
    """H_{l,h} from the entropies of a head's attention rows: their `sum` as printed (D.2.1), or their `mean` per query.

    The sum grows with the length of the prompt. The mean, the plausible intent, grows with it too, but more slowly: a
    later query has more keys to attend to. Neither is independent of length.
    """
    reduced: np.ndarray = row_entropy.sum(axis=0) if reduction == "sum" else row_entropy.mean(axis=0)
    return reduced


def summarise_states(hidden_states: Float[np.ndarray, "token layer d_model"]) -> StateSummary:
    """n_l, v_l and r_l of every layer, in float64.

    Singular values below 1e-8 of the largest are rounding noise, so the rank of an exactly rank-deficient state is off
    by up to 1e-5; a model's states are not exactly rank-deficient.
    """
    states = hidden_states.astype(np.float64).swapaxes(0, 1)
    n_layers, n_tokens, d_model = states.shape
    # The squared singular values are the eigenvalues of the smaller Gram matrix: several times faster than an SVD.
    gram = states @ states.swapaxes(1, 2) if n_tokens <= d_model else states.swapaxes(1, 2) @ states
    singular = np.sqrt(np.linalg.eigvalsh(gram).clip(min=0))
    share = singular / singular.sum(axis=1, keepdims=True)
    log_share = np.log(share, out=np.zeros_like(share), where=share > 0)
    return StateSummary(
        norm=np.linalg.norm(states, axis=2).mean(axis=1),
        variance=states.reshape(n_layers, -1).var(axis=1),
        rank=np.exp(-(share * log_share).sum(axis=1)),
    )


def slope(values: Trajectory) -> float:
    """The least-squares slope of `values` on the layer index 1..L (D.1.1), per layer."""
    layers = np.arange(1, len(values) + 1)
    centred = layers - layers.mean()
    return float(centred @ (values - values.mean()) / (centred @ centred))


def relative_slope(values: Trajectory) -> float:
    """The least-squares slope of `values` on the layer index over their mean: growth per layer (our definition)."""
    return float(slope(values) / values.mean())
