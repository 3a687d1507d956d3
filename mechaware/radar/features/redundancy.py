"""How many of RADAR's 37 features say something of their own."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from mechaware.radar.features.features import FEATURES

SAME = 1 - 1e-9  # absolute correlation from which two features count as functions of one another


class Redundancy(NamedTuple):
    """Counts over a table of features.

    `constant`: features that never vary. `distinct`: groups of varying features, where features whose ranks agree
    perfectly, in either direction, share a group: each is a monotone function of the others. `rank`: linearly
    independent columns of the standardised table. `effective`: exp of the entropy of the shares of variance of its
    principal components.
    """

    features: int
    constant: int
    distinct: int
    rank: int
    effective: float


def rank_correlation(table: pd.DataFrame) -> pd.DataFrame:
    """Spearman's correlation of every two features, in the order of `FEATURES`; 0 with a feature that never varies."""
    ranks = np.apply_along_axis(rankdata, 0, _rounded(table))
    centred = ranks - ranks.mean(axis=0)
    length = np.linalg.norm(centred, axis=0)
    unit = np.divide(centred, length, out=np.zeros_like(centred), where=length > 0)
    correlation = pd.DataFrame(unit.T @ unit, index=list(FEATURES), columns=list(FEATURES))
    return correlation.clip(-1, 1)


def count_redundancy(table: pd.DataFrame) -> Redundancy:
    """The counts of `Redundancy` for a table that has the 37 feature columns."""
    values = _rounded(table)
    varying = np.ptp(values, axis=0) > 0
    correlation = rank_correlation(table).to_numpy()[np.ix_(varying, varying)]
    same = np.abs(correlation) >= SAME
    standardised = values[:, varying]
    standardised = (standardised - standardised.mean(axis=0)) / standardised.std(axis=0)
    variances = np.linalg.svd(standardised, compute_uv=False) ** 2
    share = variances[variances > 0] / variances.sum()
    return Redundancy(
        features=len(FEATURES),
        constant=int((~varying).sum()),
        distinct=len({tuple(row) for row in same.tolist()}),
        rank=int(np.linalg.matrix_rank(standardised, rtol=1e-8)),
        effective=float(np.exp(-(share * np.log(share)).sum())),
    )


def same_order_as(table: pd.DataFrame) -> dict[str, str]:
    """For each feature the first one that orders the rows of `table` as it does, or in reverse: often itself."""
    same = rank_correlation(table).abs() >= SAME
    return {name: next(first for first in FEATURES if first == name or same.loc[first, name]) for name in FEATURES}


def _rounded(table: pd.DataFrame) -> np.ndarray:
    """Feature values to 12 significant digits: two ways to compute one number must not differ in their last bit."""
    values = table[list(FEATURES)].to_numpy(np.float64)
    magnitude = np.where(values == 0, 1.0, 10 ** np.floor(np.log10(np.abs(np.where(values == 0, 1.0, values)))))
    return np.round(values / magnitude, 11) * magnitude
