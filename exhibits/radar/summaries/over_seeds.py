"""AUROCs of planted seeds, each with its own world, items and models, and means over seeds."""

import numpy as np
import pandas as pd
from jaxtyping import Float

from mechaware.core.stats import Estimate, area_under_roc, mean_interval

ALL_DOSES = 0  # the `dose` of a slice of several doses


def areas_by_seed(rows: pd.DataFrame, score: str, truth: str) -> Float[np.ndarray, " seed"]:
    """The AUROC by `score` in each seed: rows where `truth` is true against the other rows.

    Both are columns of `rows`; seeds are in rising order. NaN for a seed with a missing score.
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
    """The mean over seeds with its t interval, cut at `least` and `most`.

    These are the ends of the quantity's range, by default the range of a difference of shares.
    Without seeds the mean and the interval are NaN; with one seed the interval is.
    """
    if len(by_seed) == 0:
        return Estimate(np.nan, np.nan, np.nan)
    mean = float(by_seed.mean())
    if len(by_seed) == 1:
        return Estimate(mean, np.nan, np.nan)
    interval = mean_interval(by_seed, confidence_level)
    return Estimate(mean, max(interval.low, least), min(interval.high, most))
