"""RADAR's four continuous scores (its appendix C), whose formulas it does not print: our definition.

Each is the logistic of a fixed weighted sum of features standardised by the training set. The weights stand in
config/radar_scores.csv, each with the sentence of the paper that gives its sign; all are 1, and none was fitted.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import expit
from sklearn.preprocessing import StandardScaler

from mechaware.errors import UserError
from mechaware.radar.features import FEATURES

SCORES = ("recall_detection_score", "reasoning_complexity_index", "mechanistic_score", "circuit_complexity_score")


def read_weights(path: Path) -> pd.DataFrame:
    """The table score, feature, weight, reason; `UserError` for an unknown score or feature, or a missing score."""
    weights = pd.read_csv(path)
    for column, known in (("score", SCORES), ("feature", FEATURES)):
        unknown = weights.loc[~weights[column].isin(known), column]
        if len(unknown):
            raise UserError(
                f"{path}, row {unknown.index[0] + 2}: {column} '{unknown.iloc[0]}'; known: {', '.join(known)}"
            )
    if missing := [score for score in SCORES if score not in set(weights["score"])]:
        raise UserError(f"{path}: no weights for {missing[0]}; add at least one row")
    return weights


def score_table(training: pd.DataFrame, table: pd.DataFrame, weights: pd.DataFrame) -> pd.DataFrame:
    """The four scores, between 0 and 1, of each row of `table`; `training` gives the features' means and deviations."""
    scaler = StandardScaler().fit(training[list(FEATURES)].to_numpy())
    standardised = pd.DataFrame(scaler.transform(table[list(FEATURES)].to_numpy()), table.index, list(FEATURES))
    scores = {}
    for score in SCORES:
        rows = weights[weights["score"] == score]
        scores[score] = expit(standardised[rows["feature"].tolist()].to_numpy() @ rows["weight"].to_numpy(np.float64))
    return pd.DataFrame(scores, table.index)
