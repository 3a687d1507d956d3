"""RADAR's four continuous scores (its appendix C), whose formulas it does not print: our definition.

score(x) = expit(sum over features f of w_f (x_f - mu_f) / sigma_f), with the mean mu_f and the population deviation
sigma_f of the training set. config/radar_scores.csv holds the weights w_f and the place in the paper that supports
each; all are 1, and none was fitted. The paper implies a direction for RDS and RCI only. By its formulas two features
of the circuit complexity score never vary, and two pairs of features in the mechanistic score nearly agree.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import expit
from sklearn.preprocessing import StandardScaler

from mechaware.errors import UserError
from mechaware.radar.feature_extraction.features import FEATURES

SCORES = ("recall_detection_score", "reasoning_complexity_index", "mechanistic_score", "circuit_complexity_score")


def read_weights(path: Path) -> pd.DataFrame:
    """The table score, feature, weight, reason of config/radar_scores.csv.

    Raises `UserError` for a file that is not a CSV or lacks a column, an unknown score or feature, a weight that is not
    a finite number, a feature given twice for a score, and a score without a weight.
    """
    try:
        weights = pd.read_csv(path)
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: not a CSV in UTF-8 ({str(error).strip()}); correct it") from error
    if missing := [column for column in ("score", "feature", "weight") if column not in weights]:
        raise UserError(f"{path}, row 1: no column '{missing[0]}'; the header is score,feature,weight,reason")
    for column, known in (("score", SCORES), ("feature", FEATURES)):
        unknown = weights.loc[~weights[column].isin(known), column]
        if len(unknown):
            raise UserError(
                f"{path}, row {unknown.index[0] + 2}: {column} '{unknown.iloc[0]}'; known: {', '.join(known)}"
            )
    numbers = pd.to_numeric(weights["weight"], errors="coerce")
    repeated = weights.duplicated(["score", "feature"])
    for faulty, fault in ((~np.isfinite(numbers), "weight is not a number"), (repeated, "the same feature again")):
        if faulty.any():
            raise UserError(f"{path}, row {int(faulty.argmax()) + 2}: {fault}; correct or remove the row")
    if missing := [score for score in SCORES if score not in set(weights["score"])]:
        raise UserError(f"{path}: no weights for {missing[0]}; add at least one row")
    return weights


def score_table(training: pd.DataFrame, table: pd.DataFrame, weights: pd.DataFrame) -> pd.DataFrame:
    """The four scores, from 0 to 1, of each row of `table`.

    Features are standardised by the means and population deviations of `training`; a constant one is only centred.
    """
    scaler = StandardScaler().fit(training[list(FEATURES)].to_numpy())
    standardised = pd.DataFrame(scaler.transform(table[list(FEATURES)].to_numpy()), table.index, list(FEATURES))
    scores = {}
    for score in SCORES:
        rows = weights[weights["score"] == score]
        scores[score] = expit(standardised[rows["feature"].tolist()].to_numpy() @ rows["weight"].to_numpy(np.float64))
    return pd.DataFrame(scores, table.index)
