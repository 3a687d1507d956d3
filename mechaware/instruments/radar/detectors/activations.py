"""Detectors that read activations: RADAR, its features without labels, and its ensemble fitted on the truth.

The last shows how much the features reveal at best. It is cross-fitted (`score_held_out`).
"""

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float

from mechaware.core.seeds import derive_seed
from mechaware.instruments.radar.detectors.detector import (
    Detector,
    required,
    row_order,
    score_held_out,
)
from mechaware.instruments.radar.evidence.evidence import Evidence
from mechaware.instruments.radar.feature_extraction.features import FEATURES


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
    fitting: Float[np.ndarray, "fitting feature"],
    features: Float[np.ndarray, "row feature"],
    seed: int,
) -> Float[np.ndarray, " row"]:
    """The anomaly score of each row of `features` by an isolation forest fitted on the rows of `fitting`.

    Liu et al. 2008 (ICDM): 2^(-E[h(x)] / c(n)) with the mean path length E[h] over trees and its normaliser c; from 0
    to 1, with scikit-learn's settings. Anomalous counts as seen: a memorised answer should be given with confidence and
    entropy at the ends of their ranges, and a forest isolates the ends first. The sign was fixed before any result.
    """
    from sklearn.ensemble import IsolationForest

    forest = IsolationForest(random_state=seed).fit(fitting)
    # score_samples is minus the score of Liu et al.
    return np.asarray(-forest.score_samples(features), dtype=float)


def _signature(feature: str, label: str, sign: int) -> Detector:
    """One of RADAR's features by itself, with the sign that the paper gives it for recall (its 3.2 and 4.1)."""

    def score(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
        return np.asarray(sign * required(evidence.features)[feature].to_numpy(float), dtype=float)

    return Detector(feature, label, "Kattamuri et al. 2025", ("features",), score)


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
        from mechaware.instruments.radar.ensemble import Ensemble

        labels = np.where(seen, "recall", "reasoning")
        fitted = pd.DataFrame(training, columns=list(FEATURES)).assign(label=labels)
        tested = pd.DataFrame(held_out, columns=list(FEATURES))
        ensemble = Ensemble.fit(fitted, FEATURES, fit_seed)
        return ensemble.predict(tested)["probability"].to_numpy()

    return score_held_out(features, required(evidence.seen), evidence.groups, fit_score, seed=seed)


RADAR = Detector("radar", "RADAR", "Kattamuri et al. 2025", ("p_recall",), _score_radar)
ISOLATION = Detector(
    "isolation", "isolation forest", "Liu et al. 2008", ("features",), _score_isolation
)
# What the paper calls recall-like: high confidence, fast convergence, specialised heads; low activation flow variance.
SIGNATURES = (
    _signature("max_confidence", "high confidence", 1),
    _signature("convergence_speed", "fast convergence", 1),
    _signature("num_specialized_heads", "specialised heads", 1),
    _signature("activation_flow_variance", "low flow variance", -1),
)
RADAR_REFITTED = Detector(
    "radar_refitted", "RADAR, refitted", "ours", ("features", "seen"), _score_refitted_radar
)
