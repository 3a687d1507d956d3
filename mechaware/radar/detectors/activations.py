"""Detectors that read activations: RADAR, its features without labels, and probes.

The detectors that are fitted on the truth show how much the activations reveal at best. All of these are cross-fitted
in the same folds (`score_held_out`).
"""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float

from mechaware.radar.detectors.detector import Detector, required, row_order, score_held_out
from mechaware.radar.evidence.evidence import Evidence
from mechaware.radar.feature_extraction.features import FEATURES
from mechaware.seeds import derive_seed


def _score_radar(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """RADAR's mean probability of recall, as published: its ensemble learned to tell kinds of prompts apart.

    Trap: a prompt that asks for a fact is recall to RADAR whether or not the model was trained on it.
    """
    return np.asarray(required(evidence.p_recall), dtype=float)


def _score_isolation(evidence: Evidence, seed: int) -> Float[np.ndarray, " row"]:
    """The anomaly score of an isolation forest on RADAR's 37 features, fitted on all rows without their truth.

    A benchmark's rows have the scores of a forest fitted on RADAR's prompts (`Evidence.anomaly`), which are comparable
    between benchmarks. Trap: half of the rows may be seen, and then neither half is an anomaly.
    """
    if evidence.anomaly is not None:
        return np.asarray(evidence.anomaly, dtype=float)
    features = required(evidence.features)[list(FEATURES)].to_numpy(float)
    # Sorted, because the forest samples rows by position: the scores must not depend on the order of the evidence.
    order = row_order(features, evidence.groups)
    return anomaly_scores(features[order], features, derive_seed(seed, "isolation_forest"))


def anomaly_scores(
    fitting: Float[np.ndarray, "fitting feature"], features: Float[np.ndarray, "row feature"], seed: int
) -> Float[np.ndarray, " row"]:
    """The anomaly score of each row of `features` by an isolation forest fitted on the rows of `fitting`.

    Liu et al. 2008 (ICDM): 2^(-E[h(x)] / c(n)) with the mean path length E[h] over trees and its normaliser c; from 0
    to 1, with scikit-learn's settings. Anomalous counts as seen: a memorised answer should be given with confidence and
    entropy at the ends of their ranges, and a forest isolates the ends first. The sign was fixed before any result.
    """
    from sklearn.ensemble import IsolationForest

    return np.asarray(-IsolationForest(random_state=seed).fit(fitting).score_samples(features), dtype=float)


def _signature_score(feature: str, sign: int) -> Callable[[Evidence, int], Float[np.ndarray, " row"]]:
    """One of RADAR's features by itself, with the sign that the paper gives it for recall (its 3.2 and 4.1)."""

    def score(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
        return np.asarray(sign * required(evidence.features)[feature].to_numpy(float), dtype=float)

    return score


def _score_probes(evidence: Evidence, seed: int) -> Float[np.ndarray, " row"]:
    """The mean over layers of the held-out log-odds of a linear probe per layer.

    A probe is a logistic regression on states standardised by the training rows, with scikit-learn's penalty. Classes
    weigh alike: the intercept would otherwise carry the training rows' class balance into the log-odds. Trap: with
    fewer rows than dimensions every probe separates its training rows, and only held-out log-odds mean anything.
    """
    return _mean_over_layers(evidence, range(_depth(evidence)), seed)


def _score_last_probe(evidence: Evidence, seed: int) -> Float[np.ndarray, " row"]:
    """The held-out log-odds of the probe of the last layer."""
    return _mean_over_layers(evidence, [_depth(evidence) - 1], seed)


def _score_middle_probe(evidence: Evidence, seed: int) -> Float[np.ndarray, " row"]:
    """The held-out log-odds of the probe of the middle layer: of L layers the one after block L/2, rounded up."""
    return _mean_over_layers(evidence, [(_depth(evidence) - 1) // 2], seed)


def _score_mean_difference(evidence: Evidence, seed: int) -> Float[np.ndarray, " row"]:
    """The mean over layers of z . (mean z of seen rows - mean z of unseen rows), with the means of the training rows.

    z is the state of the layer, standardised by the training rows; a dimension that does not vary counts as 0. Not
    normalised, so a layer weighs as much as its means differ.
    """
    states = required(evidence.states)
    layers = [
        score_held_out(states[:, layer], required(evidence.seen), evidence.groups, _project, seed=seed)
        for layer in range(_depth(evidence))
    ]
    return np.asarray(np.mean(layers, axis=0))


def _score_refitted_radar(evidence: Evidence, seed: int) -> Float[np.ndarray, " row"]:
    """The mean probability of recall by RADAR's ensemble (its section 2.3), fitted on the truth: seen is recall.

    Features and classifiers are the published ones; the labels are the truth about other items.
    """
    features = required(evidence.features)[list(FEATURES)].to_numpy(float)
    fit_seed = derive_seed(seed, "radar_refitted")

    def fit_score(
        training: Float[np.ndarray, "training feature"],
        seen: Bool[np.ndarray, " training"],
        held_out: Float[np.ndarray, "held_out feature"],
    ) -> Float[np.ndarray, " held_out"]:
        from mechaware.radar.ensemble import Ensemble

        table = pd.DataFrame(training, columns=list(FEATURES)).assign(label=np.where(seen, "recall", "reasoning"))
        ensemble = Ensemble.fit(table, FEATURES, fit_seed)
        return ensemble.predict(pd.DataFrame(held_out, columns=list(FEATURES)))["probability"].to_numpy()

    return score_held_out(features, required(evidence.seen), evidence.groups, fit_score, seed=seed)


def _depth(evidence: Evidence) -> int:
    return int(required(evidence.states).shape[1])


def _mean_over_layers(evidence: Evidence, layers: Sequence[int], seed: int) -> Float[np.ndarray, " row"]:
    states, seen = required(evidence.states), required(evidence.seen)
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


RADAR = Detector("radar", "RADAR", "Kattamuri et al. 2025", ("p_recall",), _score_radar)
ISOLATION = Detector("isolation", "isolation forest", "Liu et al. 2008", ("features",), _score_isolation)
# What the paper calls recall-like: high confidence, fast convergence, specialised heads; low activation flow variance.
SIGNATURES = tuple(
    Detector(feature, label, "Kattamuri et al. 2025", ("features",), _signature_score(feature, sign))
    for feature, label, sign in (
        ("max_confidence", "high confidence", 1),
        ("convergence_speed", "fast convergence", 1),
        ("num_specialized_heads", "specialised heads", 1),
        ("activation_flow_variance", "low flow variance", -1),
    )
)
PROBE = Detector("probe", "probes", "ours", ("states", "seen"), _score_probes)
PROBE_LAST = Detector("probe_last", "probe, last layer", "ours", ("states", "seen"), _score_last_probe)
PROBE_MIDDLE = Detector("probe_middle", "probe, middle layer", "ours", ("states", "seen"), _score_middle_probe)
MEAN_DIFFERENCE = Detector("mean_difference", "mean difference", "ours", ("states", "seen"), _score_mean_difference)
RADAR_REFITTED = Detector("radar_refitted", "RADAR, refitted", "ours", ("features", "seen"), _score_refitted_radar)
