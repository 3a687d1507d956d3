"""How redundant RADAR's features are: constants, monotone functions of one another, and the rank of the table."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from mechaware.radar.feature_extraction.features import FEATURES

# The least absolute rank correlation of two features that order the prompts alike: monotone functions of one another.
SAME_ORDER = 1 - 1e-9


class Redundancy(NamedTuple):
    """Counts over a table of features.

    `features`: all of them. `constant`: those that never vary. `distinct`: groups of the varying ones; features that
    order the prompts alike, or in reverse, share a group. `rank`: linearly independent columns of the standardised
    table, with singular values below 1e-8 of the largest taken as 0. `effective`: the effective rank of the same table,
    exp of the entropy of its principal components' shares of the variance; from 1 to `rank`.
    """

    features: int
    constant: int
    distinct: int
    rank: int
    effective: float


def rank_correlation(table: pd.DataFrame) -> pd.DataFrame:
    """Spearman's correlation of every two features over the rows of `table`, as a matrix in the order of `FEATURES`.

    Ties share their mean rank. The correlation with a feature that never varies is 0, with itself too.
    """
    ranks = np.apply_along_axis(rankdata, 0, _rounded(table))
    centred = ranks - ranks.mean(axis=0)
    length = np.linalg.norm(centred, axis=0)
    unit = np.divide(centred, length, out=np.zeros_like(centred), where=length > 0)
    correlation = pd.DataFrame(unit.T @ unit, index=list(FEATURES), columns=list(FEATURES))
    return correlation.clip(-1, 1)


def correlation_rows(table: pd.DataFrame) -> pd.DataFrame:
    """`rank_correlation` in long form: feature, other, correlation; both orders of a pair, and each with itself."""
    rows = rank_correlation(table).stack().reset_index()
    rows.columns = pd.Index(["feature", "other", "correlation"])
    return rows


def count_redundancy(table: pd.DataFrame) -> Redundancy:
    """The counts of `Redundancy` over the rows of `table`, which has a column for each of `FEATURES`."""
    values = _rounded(table)
    varying = np.ptp(values, axis=0) > 0
    correlation = rank_correlation(table).to_numpy()[np.ix_(varying, varying)]
    same_order = np.abs(correlation) >= SAME_ORDER
    standardised = values[:, varying]
    standardised = (standardised - standardised.mean(axis=0)) / standardised.std(axis=0)
    variances = np.linalg.svd(standardised, compute_uv=False) ** 2
    share = variances[variances > 0] / variances.sum()
    return Redundancy(
        features=len(FEATURES),
        constant=int((~varying).sum()),
        distinct=len({tuple(row) for row in same_order.tolist()}),
        rank=int(np.linalg.matrix_rank(standardised, rtol=1e-8)),
        effective=float(np.exp(-(share * np.log(share)).sum())),
    )


def same_order_as(table: pd.DataFrame) -> dict[str, str]:
    """For each feature, the first of `FEATURES` that orders the rows of `table` alike or in reverse; often itself.

    A feature that never varies is mapped to itself.
    """
    same = rank_correlation(table).abs() >= SAME_ORDER
    return {name: next(first for first in FEATURES if first == name or same.loc[first, name]) for name in FEATURES}


def _rounded(table: pd.DataFrame) -> np.ndarray:
    """Feature values to 12 significant digits, so that two ways to compute one number give equal numbers."""
    values = table[list(FEATURES)].to_numpy(np.float64)
    magnitude = np.where(values == 0, 1.0, 10 ** np.floor(np.log10(np.abs(np.where(values == 0, 1.0, values)))))
    return np.round(values / magnitude, 11) * magnitude
