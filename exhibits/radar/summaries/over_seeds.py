"""The AUROC of a score in each planted seed, and means over seeds.

Each seed has its own world, items and models.
"""

import numpy as np
import pandas as pd
from jaxtyping import Float

from mechaware.core.stats.intervals import Estimate, mean_interval
from mechaware.core.stats.roc import area_under_roc

# In a table with a row per dose: the `dose` of a row that is over several doses.
ALL_DOSES = 0


def areas_by_seed(rows: pd.DataFrame, score: str, truth: str) -> Float[np.ndarray, " seed"]:
    """The AUROC by `score` in each seed: rows where `truth` is true against the other rows.

    `rows` has a column `seed`; `score` and `truth` name two other columns. Every seed needs rows of
    both truths. Seeds are in rising order. NaN for a seed with a missing score.
    """
    areas = []
    for _, rows_of_seed in rows.groupby("seed"):
        is_true = rows_of_seed[truth].to_numpy(bool)
        values = rows_of_seed[score].to_numpy(float)
        areas.append(area_under_roc(values[is_true], values[~is_true]))
    return np.array(areas)


def mean_over_seeds(
    by_seed: Float[np.ndarray, " seed"],
    confidence_level: float,
    *,
    least: float = -1,
    most: float = 1,
) -> Estimate:
    """The mean over seeds with its t interval, cut at the range of the quantity.

    The range is from `least` to `most`; -1 to 1, the default, is the range of a difference of two
    AUROCs or shares. Without seeds the mean and the interval are NaN. With one seed the interval is
    NaN.
    """
    if len(by_seed) == 0:
        return Estimate(np.nan, np.nan, np.nan)
    mean = float(by_seed.mean())
    if len(by_seed) == 1:
        return Estimate(mean, np.nan, np.nan)
    interval = mean_interval(by_seed, confidence_level)
    return Estimate(mean, max(interval.low, least), min(interval.high, most))
