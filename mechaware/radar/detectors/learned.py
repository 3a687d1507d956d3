"""Detectors that are shown which of the other items were seen: how much a model's activations reveal at best.

All are cross-fitted in the same folds (see `cross_fitting.py`).
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float

from mechaware.radar.detectors.cross_fitting import score_held_out
from mechaware.radar.detectors.detector import Detector, measured
from mechaware.radar.evidence.evidence import Evidence
from mechaware.radar.feature_extraction.features import FEATURES
from mechaware.seeds import derive_seed


def score_probes(evidence: Evidence, seed: int) -> Float[np.ndarray, " row"]:
    """The mean over layers of the held-out log-odds of a linear probe per layer.

    A probe is a logistic regression on states standardised by the training rows, with scikit-learn's penalty. Classes
    weigh alike: the intercept would otherwise carry the training rows' class balance into the log-odds. Trap: with
    fewer rows than dimensions every probe separates its training rows, and only held-out log-odds mean anything.
    """
    return _mean_over_layers(evidence, range(_depth(evidence)), seed)


def score_last_probe(evidence: Evidence, seed: int) -> Float[np.ndarray, " row"]:
    """The held-out log-odds of the probe of the last layer."""
    return _mean_over_layers(evidence, [_depth(evidence) - 1], seed)


def score_middle_probe(evidence: Evidence, seed: int) -> Float[np.ndarray, " row"]:
    """The held-out log-odds of the probe of the middle layer: of L layers the one after block L/2, rounded up."""
    return _mean_over_layers(evidence, [(_depth(evidence) - 1) // 2], seed)


def score_mean_difference(evidence: Evidence, seed: int) -> Float[np.ndarray, " row"]:
    """The mean over layers of z . (mean z of seen rows - mean z of unseen rows), with the means of the training rows.

    z is the state of the layer, standardised by the training rows; a dimension that does not vary counts as 0. Not
    normalised, so a layer weighs as much as its means differ.
    """
    states = measured(evidence.states)
    layers = [
        score_held_out(states[:, layer], measured(evidence.seen), evidence.groups, _project, seed=seed)
        for layer in range(_depth(evidence))
    ]
    return np.asarray(np.mean(layers, axis=0))


def score_refitted_radar(evidence: Evidence, seed: int) -> Float[np.ndarray, " row"]:
    """The mean probability of recall by RADAR's ensemble (its section 2.3), fitted on the truth: seen is recall.

    Features and classifiers are the published ones; the labels are the truth about other items.
    """
    features = measured(evidence.features)[list(FEATURES)].to_numpy(float)
    fit_seed = derive_seed(seed, "radar_refitted")

    def fit_score(
        training: Float[np.ndarray, "training feature"],
        seen: Bool[np.ndarray, " training"],
        held_out: Float[np.ndarray, "held_out feature"],
    ) -> Float[np.ndarray, " held_out"]:
        from mechaware.radar.ensemble.classifier import Ensemble

        table = pd.DataFrame(training, columns=list(FEATURES)).assign(label=np.where(seen, "recall", "reasoning"))
        ensemble = Ensemble.fit(table, FEATURES, fit_seed)
        return ensemble.predict(pd.DataFrame(held_out, columns=list(FEATURES)))["probability"].to_numpy()

    return score_held_out(features, measured(evidence.seen), evidence.groups, fit_score, seed=seed)


def _depth(evidence: Evidence) -> int:
    return int(measured(evidence.states).shape[1])


def _mean_over_layers(evidence: Evidence, layers: Sequence[int], seed: int) -> Float[np.ndarray, " row"]:
    states, seen = measured(evidence.states), measured(evidence.seen)
    log_odds = [score_held_out(states[:, layer], seen, evidence.groups, _probe, seed=seed) for layer in layers]
    return np.asarray(np.mean(log_odds, axis=0))


def _probe(
    training: Float[np.ndarray, "training d_model"],
    seen: Bool[np.ndarray, " training"],
    held_out: Float[np.ndarray, "held_out d_model"],
) -> Float[np.ndarray, " held_out"]:
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    probe = make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced", max_iter=5000))
    return np.asarray(probe.fit(training, seen).decision_function(held_out), dtype=float)


def _project(
    training: Float[np.ndarray, "training d_model"],
    seen: Bool[np.ndarray, " training"],
    held_out: Float[np.ndarray, "held_out d_model"],
) -> Float[np.ndarray, " held_out"]:
    from sklearn.preprocessing import StandardScaler

    scaler = StandardScaler().fit(training)
    scaled = scaler.transform(training)
    return np.asarray(scaler.transform(held_out) @ (scaled[seen].mean(axis=0) - scaled[~seen].mean(axis=0)))


PROBE = Detector("probe", "probes", "ours", ("states", "seen"), score_probes)
PROBE_LAST = Detector("probe_last", "probe, last layer", "ours", ("states", "seen"), score_last_probe)
PROBE_MIDDLE = Detector("probe_middle", "probe, middle layer", "ours", ("states", "seen"), score_middle_probe)
MEAN_DIFFERENCE = Detector("mean_difference", "mean difference", "ours", ("states", "seen"), score_mean_difference)
RADAR_REFITTED = Detector("radar_refitted", "RADAR, refitted", "ours", ("features", "seen"), score_refitted_radar)
