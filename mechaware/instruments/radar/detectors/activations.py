"""Detectors that read activations, by RADAR's features (Kattamuri et al. 2025).

- RADAR as published.
- An isolation forest on the features, which needs no labels.
- Single features with the sign that the paper gives them.
- RADAR's ensemble fitted anew on which items were seen. It shows how much the features reveal at
  best, and each item is scored by an ensemble that was fitted on other items.
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
    """RADAR's mean probability of recall, by the published ensemble.

    The ensemble learned to tell kinds of prompts apart. Trap: a prompt that asks for a fact is
    recall to RADAR whether or not the model was trained on it.
    """
    return np.asarray(required(evidence.p_recall), dtype=float)


def _score_isolation(evidence: Evidence, seed: int) -> Float[np.ndarray, " row"]:
    """The anomaly score of an isolation forest on RADAR's 37 features, fitted without the truth.

    The forest is fitted on all rows of the evidence. A benchmark's rows instead have the scores of
    a forest fitted on RADAR's prompts (`Evidence.anomaly`), which are comparable between
    benchmarks.

    Trap: where half of the rows were seen, neither half is rare, and neither is an anomaly.
    """
    if evidence.anomaly is not None:
        return np.asarray(evidence.anomaly, dtype=float)
    features = required(evidence.features)[list(FEATURES)].to_numpy(float)
    # The forest samples rows by position. Sorted rows make the scores independent of the order of
    # the evidence.
    order = row_order(features, evidence.groups)
    return anomaly_scores(features[order], features, derive_seed(seed, "isolation_forest"))


def anomaly_scores(
    fitting: Float[np.ndarray, "fitting feature"],
    features: Float[np.ndarray, "row feature"],
    seed: int,
) -> Float[np.ndarray, " row"]:
    """The anomaly score of each row of `features` by an isolation forest fitted on `fitting`.

    Liu et al. 2008 (ICDM): 2^(-E[h(x)] / c(n)), from 0 to 1. h(x) is the path length of the row x
    in a tree, E its mean over trees, and c(n) the mean path length in a tree of n rows. The
    settings are scikit-learn's.

    Anomalous counts as seen: a memorised answer should be given with confidence and entropy at the
    ends of their ranges, and a forest isolates the ends first. The sign was fixed before any
    result.
    """
    from sklearn.ensemble import IsolationForest

    forest = IsolationForest(random_state=seed).fit(fitting)
    # score_samples is minus the score of Liu et al.
    return np.asarray(-forest.score_samples(features), dtype=float)


def _signature(feature: str, label: str, *, sign: int) -> Detector:
    """One of RADAR's features by itself, with the sign that the paper gives it for recall.

    The paper's sections 3.2 and 4.1.
    """

    def score(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
        return np.asarray(sign * required(evidence.features)[feature].to_numpy(float), dtype=float)

    return Detector(
        name=feature,
        label=label,
        source="Kattamuri et al. 2025",
        needs=("features",),
        score=score,
    )


def _score_refitted_radar(evidence: Evidence, seed: int) -> Float[np.ndarray, " row"]:
    """The mean probability of recall by RADAR's ensemble, fitted with seen rows as recall.

    Features and classifiers are the published ones (the paper's section 2.3); the labels are the
    truth about other items (`score_held_out`).
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


RADAR = Detector(
    name="radar",
    label="RADAR",
    source="Kattamuri et al. 2025",
    needs=("p_recall",),
    score=_score_radar,
)
ISOLATION = Detector(
    name="isolation",
    label="isolation forest",
    source="Liu et al. 2008",
    needs=("features",),
    score=_score_isolation,
)
# What the paper calls recall-like.
SIGNATURES = (
    _signature("max_confidence", "high confidence", sign=1),
    _signature("convergence_speed", "fast convergence", sign=1),
    _signature("num_specialized_heads", "specialised heads", sign=1),
    _signature("activation_flow_variance", "low flow variance", sign=-1),
)
RADAR_REFITTED = Detector(
    name="radar_refitted",
    label="RADAR, refitted",
    source="ours",
    needs=("features", "seen"),
    score=_score_refitted_radar,
)
