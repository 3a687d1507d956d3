"""RADAR's 21 mechanistic features (D.2), of attention entropies and of residual states.

Every public function is a column of the feature table, in the order of this file, which is the
paper's order. Where the paper gives no formula, the definition is ours. Variances and standard
deviations divide by n. "Causal" effects are the paper's proxies: no intervention is made.

The features are functions of these quantities of a prompt:

- H_{l,h}: the attention entropy of head h of layer l = 1..L, in nats, summed or averaged over the
  tokens of the prompt (`Reduction`). H_attn is its mean over all heads of all layers.
- n_l: the mean L2 norm over tokens of the residual states of layer l.
- v_l: the variance of these states over tokens and dimensions.
- r_l: the effective rank of these states (`StateSummary`).
- tau: the entropy, in nats, below which a head is specialised (`specialised_head_entropy`).
"""

import numpy as np

from mechaware.instruments.radar.feature_extraction.measurements import PromptMeasurements, slope
from mechaware.models.summaries import Trajectory


def _causal_effects(prompt: PromptMeasurements) -> Trajectory:
    """A tenth of each layer's mean attention entropy, the paper's proxy for its causal effect.

    See D.2.5.
    """
    effects: np.ndarray = prompt.head_entropy.mean(axis=1) / 10
    return effects


def _relative_slope(values: Trajectory) -> float:
    """The least-squares slope of `values` on the layer, divided by their mean (our definition).

    It is the growth per layer.
    """
    return float(slope(values) / values.mean())


# D.2.1, specialisation of attention


def num_specialized_heads(prompt: PromptMeasurements) -> float:
    """N_spec, the number of heads with H_{l,h} < tau; a head at tau is not specialised."""
    return float(np.count_nonzero(prompt.head_entropy < prompt.specialised_head_entropy))


def head_specialization_score(prompt: PromptMeasurements) -> float:
    """1 - H_attn / 3; negative above 3 nats."""
    return 1 - attention_entropy(prompt) / 3


def factual_head_activation(prompt: PromptMeasurements) -> float:
    """1 / (H_attn + 1e-8), finite where every head attends to single tokens."""
    return 1 / (attention_entropy(prompt) + 1e-8)


def reasoning_head_activation(prompt: PromptMeasurements) -> float:
    """H_attn / 3."""
    return attention_entropy(prompt) / 3


def attention_entropy(prompt: PromptMeasurements) -> float:
    """H_attn, the mean of H_{l,h} over all heads of all layers, in nats."""
    return float(prompt.head_entropy.mean())


# D.2.2, dynamics of the circuit


def effective_circuit_depth(prompt: PromptMeasurements) -> float:
    """L, the number of layers: a constant of the model."""
    return float(len(prompt.head_entropy))


def circuit_complexity(prompt: PromptMeasurements) -> float:
    """Growth of v_l times growth of n_l, each the slope on l divided by the mean."""
    return _relative_slope(prompt.states.variance) * _relative_slope(prompt.states.norm)


def activation_flow_variance(prompt: PromptMeasurements) -> float:
    """The variance over layers of n_l."""
    return float(prompt.states.norm.var())


def causal_path_length(prompt: PromptMeasurements) -> float:
    """Equal to `effective_circuit_depth`, as in the paper."""
    return effective_circuit_depth(prompt)


# D.2.3, sensitivity to interventions


def ablation_robustness(prompt: PromptMeasurements) -> float:
    """1 - H_attn / 5; negative above 5 nats."""
    return 1 - attention_entropy(prompt) / 5


def critical_component_count(prompt: PromptMeasurements) -> float:
    """N_spec, but at least 1."""
    return max(1.0, num_specialized_heads(prompt))


def performance_degradation_slope(prompt: PromptMeasurements) -> float:
    """|sigma_causal|, the absolute value of `indirect_effect_strength`.

    By the printed formulas sigma_causal is a standard deviation, so that the two features are
    equal.
    """
    return abs(indirect_effect_strength(prompt))


def intervention_sensitivity(prompt: PromptMeasurements) -> float:
    """1 - `ablation_robustness`."""
    return 1 - ablation_robustness(prompt)


# D.2.4, working memory


def hidden_state_variance(prompt: PromptMeasurements) -> float:
    """The mean over layers of v_l."""
    return float(prompt.states.variance.mean())


def norm_growth_trajectory(prompt: PromptMeasurements) -> float:
    """Growth of n_l: its slope on l divided by its mean."""
    return _relative_slope(prompt.states.norm)


def working_memory_complexity(prompt: PromptMeasurements) -> float:
    """Equal to `state_rank_evolution`, as in the paper."""
    return state_rank_evolution(prompt)


def state_rank_evolution(prompt: PromptMeasurements) -> float:
    """The least-squares slope of r_l on l."""
    return slope(prompt.states.rank)


# D.2.5, causal effects


def direct_logit_attribution(prompt: PromptMeasurements) -> float:
    """E_direct, the mean over layers of the causal effects: a tenth of H_attn."""
    return float(_causal_effects(prompt).mean())


def indirect_effect_strength(prompt: PromptMeasurements) -> float:
    """E_indirect = sigma_causal, the standard deviation over layers of the causal effects."""
    return float(_causal_effects(prompt).std())


def causal_mediation_score(prompt: PromptMeasurements) -> float:
    """E_direct times E_indirect."""
    return direct_logit_attribution(prompt) * indirect_effect_strength(prompt)


def activation_patching_effect(prompt: PromptMeasurements) -> float:
    """Equal to E_direct, as in the paper; nothing is patched."""
    return direct_logit_attribution(prompt)
