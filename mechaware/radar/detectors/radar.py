"""RADAR as a detector, and its features without labels."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float

from mechaware.radar.detectors.cross_fitting import row_order
from mechaware.radar.detectors.detector import Detector, measured
from mechaware.radar.evidence.evidence import Evidence
from mechaware.radar.feature_extraction.features import FEATURES
from mechaware.seeds import derive_seed


def score_radar(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """RADAR's mean probability of recall, as published: its ensemble learned to tell kinds of prompts apart.

    Trap: a prompt that asks for a fact is recall to RADAR whether or not the model was trained on it.
    """
    return np.asarray(measured(evidence.p_recall), dtype=float)


def score_isolation(evidence: Evidence, seed: int) -> Float[np.ndarray, " row"]:
    """The anomaly score of an isolation forest on RADAR's 37 features, fitted on all rows without their truth.

    Liu et al. 2008 (ICDM): 2^(-E[h(x)] / c(n)) with the mean path length E[h] over trees and its normaliser c; from 0
    to 1, with scikit-learn's settings. Anomalous counts as seen: a memorised answer should be given with confidence and
    entropy at the ends of their ranges, and a forest isolates the ends first. The sign was fixed before any result.
    Trap: half of the rows may be seen, and then neither half is an anomaly.
    """
    from sklearn.ensemble import IsolationForest

    features = measured(evidence.features)[list(FEATURES)].to_numpy(float)
    order = row_order(features, evidence.groups)
    forest = IsolationForest(random_state=derive_seed(seed, "isolation_forest")).fit(features[order])
    return np.asarray(-forest.score_samples(features), dtype=float)


def signature_score(feature: str, sign: int) -> Callable[[Evidence, int], Float[np.ndarray, " row"]]:
    """One of RADAR's features by itself, with the sign that the paper gives it for recall (its 3.2 and 4.1)."""

    def score(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
        return np.asarray(sign * measured(evidence.features)[feature].to_numpy(float), dtype=float)

    return score


RADAR = Detector("radar", "RADAR", "Kattamuri et al. 2025", ("p_recall",), score_radar)
ISOLATION = Detector("isolation", "isolation forest", "Liu et al. 2008", ("features",), score_isolation)
# What the paper calls recall-like: high confidence, fast convergence, specialised heads; low activation flow variance.
SIGNATURES = tuple(
    Detector(feature, label, "Kattamuri et al. 2025", ("features",), signature_score(feature, sign))
    for feature, label, sign in (
        ("max_confidence", "high confidence", 1),
        ("convergence_speed", "fast convergence", 1),
        ("num_specialized_heads", "specialised heads", 1),
        ("activation_flow_variance", "low flow variance", -1),
    )
)
