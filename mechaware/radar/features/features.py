"""RADAR's 37 features (its appendix D), from the activations of one prompt.

Layers l = 1..L are the L blocks. Entropies are in nats. Standard deviations divide by L - 1 where the paper prints so;
sigma_causal and the variances over layers, tokens and dimensions are population ones (our definition).
"""

from typing import Literal, NamedTuple, get_args

import numpy as np
from jaxtyping import Float

SURFACE = (
    "mean_confidence",
    "std_confidence",
    "max_confidence",
    "min_confidence",
    "confidence_range",
    "convergence_layer",
    "convergence_speed",
    "confidence_slope",
    "oscillation_count",
    "early_confidence",
    "late_confidence",
    "prediction_stability",
    "mean_entropy",
    "entropy_change",
    "information_gain",
    "layer_consistency",
)
MECHANISTIC = (
    "num_specialized_heads",
    "head_specialization_score",
    "factual_head_activation",
    "reasoning_head_activation",
    "attention_entropy",
    "effective_circuit_depth",
    "circuit_complexity",
    "activation_flow_variance",
    "causal_path_length",
    "ablation_robustness",
    "critical_component_count",
    "performance_degradation_slope",
    "intervention_sensitivity",
    "hidden_state_variance",
    "norm_growth_trajectory",
    "working_memory_complexity",
    "state_rank_evolution",
    "direct_logit_attribution",
    "indirect_effect_strength",
    "causal_mediation_score",
    "activation_patching_effect",
)
FEATURES = SURFACE + MECHANISTIC
Reduction = Literal["sum", "mean"]
REDUCTIONS: tuple[Reduction, ...] = get_args(Reduction)

Trajectory = Float[np.ndarray, " layer"]


class StateSummary(NamedTuple):
    """Of each layer's tokens x dimensions matrix of states, what the features need.

    n_l, the mean over tokens of the L2 norm; v_l, the variance over tokens and dimensions; r_l, the effective rank: exp
    of the entropy of the normalised singular values (our definitions, after D.2.2 and D.2.4).
    """

    norm: Trajectory
    variance: Trajectory
    rank: Trajectory


def surface_features(confidence: Trajectory, entropy: Trajectory) -> dict[str, float]:
    """The 16 surface features (D.1) of the logit-lens confidence and entropy at the last token; L >= 2."""
    n_layers = len(confidence)
    spread = confidence.std(ddof=1)
    convergence_layer = float(confidence.argmax()) + 1
    # As printed: neighbouring steps whose product is below zero. A step of zero thus hides a turn on its two sides;
    # to drop such steps first would be another reading of "ignored".
    steps = np.diff(confidence)
    oscillations = float(np.count_nonzero(steps[:-1] * steps[1:] < 0))
    return {
        "mean_confidence": confidence.mean(),
        "std_confidence": spread,
        "max_confidence": confidence.max(),
        "min_confidence": confidence.min(),
        "confidence_range": np.ptp(confidence),
        "convergence_layer": convergence_layer,
        "convergence_speed": 1 / (convergence_layer + 1),
        "confidence_slope": slope(confidence),
        "oscillation_count": oscillations,
        "early_confidence": confidence[: n_layers // 2].mean(),
        "late_confidence": confidence[n_layers // 2 :].mean(),
        "prediction_stability": 1 - spread,
        "mean_entropy": entropy.mean(),
        "entropy_change": entropy[-1] - entropy[0],
        "information_gain": entropy[0] - entropy[-1],
        "layer_consistency": 1 - entropy.std(ddof=1),
    }


def mechanistic_features(
    head_entropy: Float[np.ndarray, "layer head"], states: StateSummary, *, specialised_head_entropy: float
) -> dict[str, float]:
    """The 21 mechanistic features (D.2) of the heads' attention entropies H_{l,h} and the layers' states.

    `specialised_head_entropy` is tau, in nats: a head below it counts as specialised.
    """
    specialised = float(np.count_nonzero(head_entropy < specialised_head_entropy))
    mean_entropy = head_entropy.mean()
    causal_effects = head_entropy.mean(axis=1) / 10
    direct, indirect = causal_effects.mean(), causal_effects.std()
    norm_growth = slope(states.norm) / states.norm.mean()
    variance_growth = slope(states.variance) / states.variance.mean()
    rank_evolution = slope(states.rank)
    depth = float(len(head_entropy))
    robustness = 1 - mean_entropy / 5
    return {
        "num_specialized_heads": specialised,
        "head_specialization_score": 1 - mean_entropy / 3,
        "factual_head_activation": 1 / (mean_entropy + 1e-8),
        "reasoning_head_activation": mean_entropy / 3,
        "attention_entropy": mean_entropy,
        "effective_circuit_depth": depth,
        "circuit_complexity": variance_growth * norm_growth,
        "activation_flow_variance": states.norm.var(),
        "causal_path_length": depth,
        "ablation_robustness": robustness,
        "critical_component_count": max(1.0, specialised),
        "performance_degradation_slope": abs(indirect),
        "intervention_sensitivity": 1 - robustness,
        "hidden_state_variance": states.variance.mean(),
        "norm_growth_trajectory": norm_growth,
        "working_memory_complexity": rank_evolution,
        "state_rank_evolution": rank_evolution,
        "direct_logit_attribution": direct,
        "indirect_effect_strength": indirect,
        "causal_mediation_score": direct * indirect,
        "activation_patching_effect": direct,
    }


def reduce_row_entropy(
    row_entropy: Float[np.ndarray, "token layer head"], reduction: Reduction
) -> Float[np.ndarray, "layer head"]:
    """H_{l,h} from the entropies of the attention rows: their `sum` as printed (D.2.1), or their `mean` per query.

    The sum grows with the length of the prompt. The mean, the plausible intent, grows with it too, only more slowly: a
    later query has more keys to spread over. Neither is free of length.
    """
    reduced: np.ndarray = row_entropy.sum(axis=0) if reduction == "sum" else row_entropy.mean(axis=0)
    return reduced


def summarise_states(hidden_states: Float[np.ndarray, "token layer d_model"]) -> StateSummary:
    """n_l, v_l and r_l of every layer, in float64.

    Singular values below 1e-8 of the largest are rounding noise, so the rank of an exactly rank-deficient state is off
    by up to 1e-5; a model's states are not of that kind.
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
    """The least-squares slope of `values` on the layer index 1..L (D.1.1)."""
    layers = np.arange(1, len(values) + 1)
    centred = layers - layers.mean()
    return float(centred @ (values - values.mean()) / (centred @ centred))
