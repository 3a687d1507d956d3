"""RADAR's four continuous scores (appendix C of its paper), by our definition: the paper prints no
formulas for them.

score(x) = expit(sum over features f of w_f (x_f - mu_f) / sigma_f), with the mean mu_f and the
population deviation sigma_f of the training set. config/radar_scores.csv holds the weights w_f and
the place in the paper that supports each; all are 1, and none was fitted. The paper implies a
direction for the first two scores only. By the paper's formulas for features, two features of the
circuit complexity score never vary, and two pairs of features in the mechanistic score nearly
agree.
"""

import numpy as np
import pandas as pd
from scipy.special import expit
from sklearn.preprocessing import StandardScaler

from mechaware.instruments.radar.feature_extraction.features import FEATURES

SCORES = (
    "recall_detection_score",
    "reasoning_complexity_index",
    "mechanistic_score",
    "circuit_complexity_score",
)


def score_table(training: pd.DataFrame, table: pd.DataFrame, weights: pd.DataFrame) -> pd.DataFrame:
    """The four scores, from 0 to 1, of each row of `table`.

    `weights` is the table config/radar_scores.csv: a row per score and feature, with the `weight`.
    Features are standardised by the means and population deviations of `training`; a constant
    feature is only centred.
    """
    names = list(FEATURES)
    scaler = StandardScaler().fit(training[names].to_numpy())
    standardised = pd.DataFrame(scaler.transform(table[names].to_numpy()), table.index, names)
    scores = {}
    for score in SCORES:
        score_weights = weights[weights["score"] == score]
        values = standardised[score_weights["feature"].tolist()].to_numpy()
        scores[score] = expit(values @ score_weights["weight"].to_numpy(np.float64))
    return pd.DataFrame(scores, table.index)
