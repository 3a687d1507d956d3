"""RADAR's 16 surface features (D.1): how confidence and next-token entropy develop over the layers.

At the last prompt token the logit lens gives a next-token distribution after each layer l = 1..L.
Its largest probability is the confidence c_l, and its entropy is H_l, in nats. Standard deviations
divide by L - 1, as printed.

Every public function is a column of the feature table, in the order of this file, which is the
paper's order.
"""

import numpy as np

from mechaware.instruments.radar.feature_extraction.measurements import PromptMeasurements, slope

# D.1.1, confidence


def mean_confidence(prompt: PromptMeasurements) -> float:
    """The mean over layers of c_l, from 0 to 1."""
    return float(prompt.confidence.mean())


def std_confidence(prompt: PromptMeasurements) -> float:
    """sigma_c, the standard deviation over layers of c_l."""
    return float(prompt.confidence.std(ddof=1))


def max_confidence(prompt: PromptMeasurements) -> float:
    """The largest c_l."""
    return float(prompt.confidence.max())


def min_confidence(prompt: PromptMeasurements) -> float:
    """The smallest c_l."""
    return float(prompt.confidence.min())


def confidence_range(prompt: PromptMeasurements) -> float:
    """The largest c_l minus the smallest."""
    return float(np.ptp(prompt.confidence))


def convergence_layer(prompt: PromptMeasurements) -> float:
    """l*, the layer of the largest c_l, from 1 to L; the first one if layers tie."""
    return float(prompt.confidence.argmax()) + 1


def convergence_speed(prompt: PromptMeasurements) -> float:
    """1 / (l* + 1), as printed: 1/2 at most."""
    return 1 / (convergence_layer(prompt) + 1)


def confidence_slope(prompt: PromptMeasurements) -> float:
    """The least-squares slope of c_l on l."""
    return slope(prompt.confidence)


# D.1.2, dynamics of the trajectory


def oscillation_count(prompt: PromptMeasurements) -> float:
    """The number of pairs of neighbouring steps c_{l+1} - c_l whose product is negative.

    A step of zero makes both of its products zero and so hides a turn around it: our reading of the
    paper's "zeros are ignored". Another reading drops zero steps before products are taken.
    """
    steps = np.diff(prompt.confidence)
    return float(np.count_nonzero(steps[:-1] * steps[1:] < 0))


def early_confidence(prompt: PromptMeasurements) -> float:
    """The mean of c_l over the first floor(L / 2) layers."""
    return float(prompt.confidence[: len(prompt.confidence) // 2].mean())


def late_confidence(prompt: PromptMeasurements) -> float:
    """The mean of c_l over the last ceil(L / 2) layers."""
    return float(prompt.confidence[len(prompt.confidence) // 2 :].mean())


def prediction_stability(prompt: PromptMeasurements) -> float:
    """1 - sigma_c."""
    return 1 - std_confidence(prompt)


# D.1.3, information


def mean_entropy(prompt: PromptMeasurements) -> float:
    """The mean over layers of H_l, in nats."""
    return float(prompt.entropy.mean())


def entropy_change(prompt: PromptMeasurements) -> float:
    """H_L - H_1, in nats; negative where uncertainty falls."""
    return float(prompt.entropy[-1] - prompt.entropy[0])


def information_gain(prompt: PromptMeasurements) -> float:
    """H_1 - H_L, in nats: minus `entropy_change`."""
    return float(prompt.entropy[0] - prompt.entropy[-1])


def layer_consistency(prompt: PromptMeasurements) -> float:
    """1 minus the standard deviation over layers of H_l."""
    return 1 - float(prompt.entropy.std(ddof=1))
