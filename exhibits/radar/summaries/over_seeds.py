"""The mean over planted seeds, each with its own world, items and models, and its interval."""

import numpy as np
from jaxtyping import Float

from mechaware.core.stats import Estimate, mean_interval


def mean_over_seeds(
    by_seed: Float[np.ndarray, " seed"],
    confidence_level: float,
    *,
    least: float = -1,
    most: float = 1,
) -> Estimate:
    """The mean over seeds with its t interval, cut at `least` and `most`, the ends of the quantity's range.

    Without seeds the mean and the interval are NaN; with one seed the interval is.
    """
    if len(by_seed) == 0:
        return Estimate(np.nan, np.nan, np.nan)
    mean = float(by_seed.mean())
    if len(by_seed) == 1:
        return Estimate(mean, np.nan, np.nan)
    interval = mean_interval(by_seed, confidence_level)
    return Estimate(mean, max(interval.low, least), min(interval.high, most))
