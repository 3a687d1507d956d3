"""How redundant RADAR's features are.

A feature is redundant if it is constant, a monotone function of another feature, or linearly
dependent on others.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from mechaware.instruments.radar.feature_extraction.features import FEATURES

# Two features with at least this absolute rank correlation order the prompts alike or in reverse.
# It is a little less than 1, since a computed correlation is rounded.
_SAME_ORDER = 1 - 1e-9


class _Redundancy(NamedTuple):
    """Counts over a table of features.

    - `features`: all features.
    - `constant`: features that never vary.
    - `distinct`: groups of the varying features; features that order the prompts alike, or in
      reverse, form one group.
    - `rank`: linearly independent columns of the standardised table of varying features. Singular
      values below 1e-8 of the largest count as 0.
    - `effective`: the effective rank of the same table, exp(-sum_i p_i log p_i), where p_i is the
      share of the variance of principal component i; from 1 to `rank`.
    """

    features: int
    constant: int
    distinct: int
    rank: int
    effective: float


def correlate_features(table: pd.DataFrame) -> pd.DataFrame:
    """Spearman's correlation of every feature with every feature, itself included.

    One row per ordered pair, with the columns feature, other and correlation.
    """
    rows = _rank_correlation(table).stack().reset_index()
    rows.columns = pd.Index(["feature", "other", "correlation"])
    return rows


def count_redundancy(table: pd.DataFrame) -> _Redundancy:
    """The counts of `_Redundancy`; `table` has a row per prompt and a column per feature."""
    values = _rounded(table)
    varying = np.ptp(values, axis=0) > 0
    correlation = _rank_correlation(table).to_numpy()[np.ix_(varying, varying)]
    same_order = np.abs(correlation) >= _SAME_ORDER

    varying_values = values[:, varying]
    standardised = (varying_values - varying_values.mean(axis=0)) / varying_values.std(axis=0)
    # Squared singular values: proportional to the variances of the principal components.
    variances = np.linalg.svd(standardised, compute_uv=False) ** 2
    # Shares of 0 add nothing to the entropy: p log p tends to 0.
    shares = variances[variances > 0] / variances.sum()
    entropy = -(shares * np.log(shares)).sum()

    # Features that order the prompts alike or in reverse have the same row in `same_order`.
    distinct_rows = {tuple(row) for row in same_order.tolist()}
    return _Redundancy(
        features=len(FEATURES),
        constant=int((~varying).sum()),
        distinct=len(distinct_rows),
        rank=int(np.linalg.matrix_rank(standardised, rtol=1e-8)),
        effective=float(np.exp(entropy)),
    )


def same_order_as(table: pd.DataFrame) -> dict[str, str]:
    """For each feature, the first of `FEATURES` that orders the rows alike or in reverse.

    This is the feature itself if no earlier one does, or if it never varies.
    """
    same_order = _rank_correlation(table).abs() >= _SAME_ORDER
    first_alike = {}
    for name in FEATURES:
        # A feature that never varies has the correlation 0 even with itself.
        alike = same_order[name].to_numpy(copy=True)
        alike[FEATURES.index(name)] = True
        first_alike[name] = FEATURES[int(alike.argmax())]
    return first_alike


def _rank_correlation(table: pd.DataFrame) -> pd.DataFrame:
    """Spearman's correlation of every two features over the rows of `table`.

    A square matrix in the order of `FEATURES`. Tied values share their mean rank. Every correlation
    of a feature that never varies is 0, even with itself.
    """
    ranks = np.apply_along_axis(rankdata, 0, _rounded(table))
    centred = ranks - ranks.mean(axis=0)
    length = np.linalg.norm(centred, axis=0)
    unit = np.divide(centred, length, out=np.zeros_like(centred), where=length > 0)
    correlation = pd.DataFrame(unit.T @ unit, index=list(FEATURES), columns=list(FEATURES))
    return correlation.clip(-1, 1)


def _rounded(table: pd.DataFrame) -> np.ndarray:
    """Feature values, prompt x feature, to 12 significant digits.

    Two formulas of one quantity may differ in later digits, and would then break ties.
    """
    values = table[list(FEATURES)].to_numpy(np.float64)
    # The power of ten below each value: 0.01 for 0.0234. log10(0) is undefined, so 1 replaces 0
    # there; 0 / 1 * 1 is still 0.
    nonzero = np.where(values == 0, 1.0, values)
    magnitude = 10 ** np.floor(np.log10(np.abs(nonzero)))
    # 11 decimals after the first digit.
    rounded: np.ndarray = np.round(values / magnitude, 11) * magnitude
    return rounded
