"""The 37 features of RADAR's appendix D, formula by formula: the fast code is compared with them.

Nothing here imports from mechaware: the file was written from the paper, and from our own
definitions that fill its gaps, without sight of the fast code. Layers count from 1, logarithms are
natural, 0 log 0 is 0. A "row" is the row of a table in the appendix.
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
    """D.1's standard deviation: the square root of the sum of squared deviations over n - 1."""
    middle = mean(values)
    return math.sqrt(math.fsum((value - middle) ** 2 for value in values) / (len(values) - 1))


def population_variance(values: Sequence[float]) -> float:
    """Ours: the sum of squared deviations over n.

    D.2 names variances and a deviation, sigma_causal, without a formula.
    """
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
    """Ours, for D.2.4's rank of a [token, dimension] state.

    It is exp of the entropy of the singular values, scaled to the sum 1.
    """
    singular = [float(value) for value in np.linalg.svd(state, compute_uv=False)]
    total = math.fsum(singular)
    return math.exp(shannon(value / total for value in singular))


def mean_norm(state: Array) -> float:
    """Ours: the mean Euclidean length of the tokens of a [token, dimension] state."""
    lengths = []
    for token in state:
        sum_of_squares = math.fsum(float(entry) ** 2 for entry in token)
        lengths.append(math.sqrt(sum_of_squares))
    return mean(lengths)


def state_variance(state: Array) -> float:
    """Ours: the variance of all entries of a [token, dimension] state."""
    return population_variance([float(entry) for entry in state.flatten()])


def head_entropy(weights: Array, reduction: Literal["sum", "mean"]) -> float:
    """D.2.1: the entropy of one head's [query, key] weights, over all of them.

    The reduction `mean` divides it by the number of queries.
    """
    total = shannon(float(weight) for weight in weights.flatten())
    if reduction == "sum":
        return total
    n_queries = weights.shape[0]
    return total / n_queries


def oscillations(confidence: Sequence[float]) -> int:
    """D.1.2: the number of pairs of neighbouring steps whose product is negative.

    A step of zero belongs to no such pair.
    """
    steps = [later - earlier for earlier, later in pairwise(confidence)]
    count = 0
    for step, following in pairwise(steps):
        # The signs are compared, because the product of two tiny steps underflows to zero.
        if step < 0.0 < following or following < 0.0 < step:
            count += 1
    return count


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
    """All features of one prompt.

    Args:
        confidence: [layer], from 0 to 1.
        entropy: [layer], of the next token, in nats.
        hidden_states: [token, layer, d_model].
        attentions: [layer, head, query, key].
        reduction: How a head's entropy is reduced over queries.
        tau: A head is specialised if its entropy is below it.
    """
    return {
        **reference_surface(confidence, entropy),
        **reference_mechanistic(hidden_states, attentions, reduction=reduction, tau=tau),
    }


def reference_surface(confidence: Array, entropy: Array) -> dict[str, float]:
    """D.1, in the order of its tables, from a confidence and an entropy per layer."""
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
    """D.2, in the order of its tables.

    From [token, layer, d_model] states and [layer, head, query, key] attention.
    """
    features: dict[str, float] = {}

    # D.2.1, from the entropy H_{l,h} of a head
    per_head = [[head_entropy(weights, reduction) for weights in layer] for layer in attentions]
    all_heads = [value for layer in per_head for value in layer]
    specialised = sum(value < tau for value in all_heads)
    attention = mean(all_heads)
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
