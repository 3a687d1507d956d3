"""The 37 features of RADAR's appendix D, formula by formula in slow numpy: what the fast code is compared with.

Nothing here imports from mechaware: the file was written from the paper, and from our own definitions that fill its
gaps, without sight of the fast code. Layers count from 1, logarithms are natural, 0 log 0 is 0.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def mean(values: Sequence[float]) -> float:
    """Sum over count."""
    return math.fsum(values) / len(values)


def sample_deviation(values: Sequence[float]) -> float:
    """Square root of the sum of squared deviations over n - 1: the standard deviation that D.1 prints."""
    middle = mean(values)
    return math.sqrt(math.fsum((value - middle) ** 2 for value in values) / (len(values) - 1))


def population_variance(values: Sequence[float]) -> float:
    """Sum of squared deviations over n: our definition of a variance, or sigma_causal, without a formula in D.2."""
    middle = mean(values)
    return math.fsum((value - middle) ** 2 for value in values) / len(values)


def slope(values: Sequence[float]) -> float:
    """D.1.1's regression on the layer index 1..L, whose mean is (L + 1) / 2."""
    count = len(values)
    middle_layer = (count + 1) / 2
    middle_value = mean(values)
    numerator = math.fsum(
        (layer - middle_layer) * (values[layer - 1] - middle_value) for layer in range(1, count + 1)
    )
    denominator = math.fsum((layer - middle_layer) ** 2 for layer in range(1, count + 1))
    return numerator / denominator


def shannon(weights: Iterable[float]) -> float:
    """Minus the sum of p log p, in nats; a weight of zero adds nothing."""
    return -math.fsum(p * math.log(p) for p in weights if p > 0.0)


def effective_rank(state: Array) -> float:
    """Our definition of D.2.4's rank of a token x dimension state: exp of the entropy of its scaled singular values."""
    singular = [float(value) for value in np.linalg.svd(state, compute_uv=False)]
    total = math.fsum(singular)
    return math.exp(shannon(value / total for value in singular))


def mean_norm(state: Array) -> float:
    """Ours: the mean over tokens of each token's Euclidean length."""
    return mean([math.sqrt(math.fsum(float(entry) ** 2 for entry in token)) for token in state])


def state_variance(state: Array) -> float:
    """Ours: the variance of all entries of one layer, tokens and dimensions alike."""
    return population_variance([float(entry) for token in state for entry in token])


def head_entropy(weights: Array, reduction: Literal["sum", "mean"]) -> float:
    """D.2.1: one head's entropy over every query and key; `mean` divides it by the number of queries."""
    queries, keys = weights.shape
    total = shannon(float(weights[query, key]) for query in range(queries) for key in range(keys))
    if reduction == "sum":
        return total
    return total / queries


def oscillations(confidence: Sequence[float]) -> int:
    """D.1.2: pairs of neighbouring steps whose product is negative, so that a step of zero belongs to no pair."""
    layers = len(confidence)
    step = [confidence[layer + 1] - confidence[layer] for layer in range(layers - 1)]
    # The sign is compared, not the product, which underflows to zero for two tiny steps.
    return sum(1 for a, b in pairwise(step) if (a < 0.0 < b) or (b < 0.0 < a))


def first_argmax(values: Sequence[float]) -> int:
    """D.1.1: the layer, from 1, of the largest value; the first one if layers tie."""
    best = 0
    for index, value in enumerate(values):
        if value > values[best]:
            best = index
    return best + 1


def reference_features(
    confidence: Array,
    entropy: Array,
    hidden_states: Array,
    attentions: Array,
    *,
    reduction: Literal["sum", "mean"],
    tau: float,
) -> dict[str, float]:
    """All features of one prompt, from [layer], [layer], [token, layer, d_model] and [layer, head, query, key]."""
    return {
        **reference_surface(confidence, entropy),
        **reference_mechanistic(hidden_states, attentions, reduction=reduction, tau=tau),
    }


def reference_surface(confidence: Array, entropy: Array) -> dict[str, float]:
    """D.1, in the order of its tables."""
    c = [float(value) for value in confidence]
    h = [float(value) for value in entropy]
    depth = len(c)
    half = depth // 2
    features: dict[str, float] = {}

    # D.1.1, from the confidence c_1..c_L
    features["mean_confidence"] = mean(c)  # row 1: mean over layers
    features["std_confidence"] = sample_deviation(c)  # row 2: deviation with L - 1
    features["max_confidence"] = max(c)  # row 3: peak
    features["min_confidence"] = min(c)  # row 4: trough
    features["confidence_range"] = max(c) - min(c)  # row 5: row 3 minus row 4
    features["convergence_layer"] = float(first_argmax(c))  # row 6: l*, counted from 1
    features["convergence_speed"] = 1.0 / (first_argmax(c) + 1)  # row 7: one over l* + 1
    features["confidence_slope"] = slope(c)  # row 8: least squares on 1..L

    # D.1.2
    features["oscillation_count"] = float(oscillations(c))  # row 1: turns of the trajectory
    features["early_confidence"] = math.fsum(c[:half]) / half  # row 2: layers 1..floor(L / 2)
    # Row 3: the other ceil(L / 2) layers.
    features["late_confidence"] = math.fsum(c[half:]) / (depth - half)
    # Row 4: 1 minus D.1.1's deviation.
    features["prediction_stability"] = 1.0 - sample_deviation(c)

    # D.1.3, from the entropy H_1..H_L of the next token
    features["mean_entropy"] = mean(h)  # row 1: mean over layers
    features["entropy_change"] = h[-1] - h[0]  # row 2: last minus first
    features["information_gain"] = h[0] - h[-1]  # row 3: row 2 with the other sign
    # Row 4: 1 minus the deviation with L - 1.
    features["layer_consistency"] = 1.0 - sample_deviation(h)

    return features


def reference_mechanistic(
    hidden_states: Array, attentions: Array, *, reduction: Literal["sum", "mean"], tau: float
) -> dict[str, float]:
    """D.2, in the order of its tables."""
    features: dict[str, float] = {}

    # D.2.1, from H_{l,h}
    per_head = [[head_entropy(weights, reduction) for weights in layer] for layer in attentions]
    everywhere = [value for layer in per_head for value in layer]
    specialised = sum(1 for value in everywhere if value < tau)
    attention = mean(everywhere)
    # Row 1: heads strictly under the threshold.
    features["num_specialized_heads"] = float(specialised)
    # Row 2: 1 minus a third of row 5.
    features["head_specialization_score"] = 1.0 - attention / 3.0
    # Row 3: one over row 5, kept finite.
    features["factual_head_activation"] = 1.0 / (attention + 1e-8)
    features["reasoning_head_activation"] = attention / 3.0  # row 4: a third of row 5
    features["attention_entropy"] = attention  # row 5: mean over all heads of all layers

    # D.2.2; "variance growth" and the norms are ours
    states = [hidden_states[:, layer, :] for layer in range(len(attentions))]
    norms = [mean_norm(state) for state in states]
    variances = [state_variance(state) for state in states]
    ranks = [effective_rank(state) for state in states]
    norm_growth = slope(norms) / mean(norms)
    variance_growth = slope(variances) / mean(variances)
    features["effective_circuit_depth"] = float(len(per_head))  # row 1: attention layers read
    # Row 2: product of the two growths.
    features["circuit_complexity"] = variance_growth * norm_growth
    # Row 3: ours, of the norms over layers.
    features["activation_flow_variance"] = population_variance(norms)
    features["causal_path_length"] = float(len(per_head))  # row 4: row 1 again

    # D.2.3; the causal effect of a layer is a tenth of its mean attention entropy
    effects = [mean(layer) / 10.0 for layer in per_head]
    sigma_causal = math.sqrt(population_variance(effects))
    robustness = 1.0 - attention / 5.0
    # Row 1: 1 minus a fifth of the mean attention entropy.
    features["ablation_robustness"] = robustness
    # Row 2: specialised heads, at least one.
    features["critical_component_count"] = float(max(1, specialised))
    # Row 3: deviation of the layers' causal effects.
    features["performance_degradation_slope"] = abs(sigma_causal)
    features["intervention_sensitivity"] = 1.0 - robustness  # row 4: 1 minus row 1

    # D.2.4; all of it ours, for the appendix gives words only
    features["hidden_state_variance"] = mean(variances)  # row 1: the layers' variances, averaged
    features["norm_growth_trajectory"] = norm_growth  # row 2: relative slope of the norms
    features["working_memory_complexity"] = slope(ranks)  # row 3: row 4 again, as the appendix says
    features["state_rank_evolution"] = slope(ranks)  # row 4: slope of the effective rank

    # D.2.5
    direct = mean(effects)
    features["direct_logit_attribution"] = direct  # row 1: the causal effects, averaged
    features["indirect_effect_strength"] = sigma_causal  # row 2: their deviation
    features["causal_mediation_score"] = direct * sigma_causal  # row 3: row 1 times row 2
    features["activation_patching_effect"] = direct  # row 4: row 1 again

    return features
