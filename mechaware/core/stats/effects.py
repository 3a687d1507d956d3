"""Effect sizes and correlations with their intervals, on arrays: Cohen's d, Spearman's correlation.

Functions with `groups` draw resamples of whole groups, since the items of a group are not
independent.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy import stats

from mechaware.core.stats.intervals import (
    Estimate,
    Interval,
    number_groups,
    percentile_interval,
)

# Arrays whose pooled deviation is at most this share of the range of all values count as constant.
_LEAST_DEVIATION = 1e-6


def cohens_d(first: Float[np.ndarray, " item"], second: Float[np.ndarray, " other"]) -> float:
    """Cohen's d: the mean of `first` less that of `second`, over the pooled standard deviation.

    The divisor of each variance is n - 1. 0 if neither array varies, even if their means differ,
    and if an array has a single item.
    """
    n_first = len(first)
    n_second = len(second)
    squares = (n_first - 1) * first.var(ddof=1) + (n_second - 1) * second.var(ddof=1)
    pooled = np.sqrt(squares / (n_first + n_second - 2))

    # Rounding leaves arrays that do not vary, such as three times 0.1, a deviation above 0. The
    # deviation of a single item is NaN, which is not above any bound.
    span = np.ptp(np.concatenate([first, second]))
    if span > 0 and pooled > _LEAST_DEVIATION * span:
        return float((first.mean() - second.mean()) / pooled)
    return 0.0


def bootstrap_cohens_d(
    values: Float[np.ndarray, " item"],
    in_first: Bool[np.ndarray, " item"],
    groups: Iterable[str],
    *,
    resamples: int,
    seed: int,
    confidence_level: float = 0.95,
) -> Interval:
    """The percentile bootstrap interval of Cohen's d, drawing whole groups.

    The items `in_first` are the `first` of `cohens_d`, the others the `second`. Groups are drawn in
    the sorted order of their names. Resamples with fewer than two items on a side are left out.
    """
    if np.ptp(values) == 0:
        return Interval(0.0, 0.0)

    numbered = number_groups(groups)
    # A resample counts how often it draws each group: the moments of all resamples are then matrix
    # products. Of items in the groups [1, 0, 1], a resample that draws group 1 twice has the row
    # [0, 2] in `group_counts` and [2, 0, 2] in `times`.
    probabilities = np.full(numbered.n_groups, 1 / numbered.n_groups)
    generator = np.random.default_rng(seed)
    group_counts = generator.multinomial(numbered.n_groups, probabilities, size=resamples)
    times = group_counts[:, numbered.of_item]

    # Centred, since `_weighted_moments` would otherwise subtract two large squares.
    centred = values - values.mean()
    first = _weighted_moments(centred[in_first], times[:, in_first])
    second = _weighted_moments(centred[~in_first], times[:, ~in_first])

    enough = (first.n > 1) & (second.n > 1)
    squares = (first.squares + second.squares)[enough]
    pooled = np.sqrt(squares / (first.n + second.n - 2)[enough])
    difference = (first.mean - second.mean)[enough]

    # In a resample in which neither side varies, rounding leaves a `pooled` of about 1.5e-8 of the
    # range of `values` (the root of float64's precision). As in `cohens_d`, its effect is 0.
    varies = pooled > _LEAST_DEVIATION * np.ptp(values)
    effects = np.divide(difference, pooled, out=np.zeros_like(difference), where=varies)
    return percentile_interval(effects, confidence_level)


class _Moments(NamedTuple):
    """The number, the mean and the sum of squared deviations of the items in each resample."""

    n: Float[np.ndarray, " resample"]
    mean: Float[np.ndarray, " resample"]
    squares: Float[np.ndarray, " resample"]


def _weighted_moments(
    values: Float[np.ndarray, " item"], times: Int[np.ndarray, "resample item"]
) -> _Moments:
    """The moments of each resample, which draws each value `times`; the mean of no values is 0."""
    n = times.sum(axis=1).astype(float)
    mean = times @ values / np.maximum(n, 1)
    squares = times @ values**2 - n * mean**2
    return _Moments(n, mean, squares.clip(min=0))


def bootstrap_rank_correlation(
    first: Float[np.ndarray, " item"],
    second: Float[np.ndarray, " item"],
    groups: Iterable[str],
    *,
    resamples: int,
    seed: int,
    confidence_level: float = 0.95,
) -> Estimate:
    """Spearman's correlation with its percentile bootstrap interval, drawing whole groups.

    NaN if `first` or `second` is constant. Resamples in which one of them is constant are left out.
    Tied ranks are averaged.
    """
    value = _rank_correlation(first, second)
    if np.isnan(value):
        return Estimate(value, value, value)

    numbered = number_groups(groups)
    # items[g] has the indices of the items of group g. For items in the groups [1, 0, 1] they are
    # [1] and [0, 2].
    items = [np.flatnonzero(numbered.of_item == group) for group in range(numbered.n_groups)]

    draws = np.random.default_rng(seed).integers(len(items), size=(resamples, len(items)))
    correlations = []
    for drawn_groups in draws:
        chosen = np.concatenate([items[group] for group in drawn_groups])
        correlations.append(_rank_correlation(first[chosen], second[chosen]))

    tail = (1 - confidence_level) / 2
    low, high = np.nanquantile(correlations, [tail, (1 + confidence_level) / 2])
    return Estimate(value, float(low), float(high))


def _rank_correlation(
    first: Float[np.ndarray, " item"], second: Float[np.ndarray, " item"]
) -> float:
    """Spearman's correlation; NaN if `first` or `second` is constant."""
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return float("nan")
    return float(np.corrcoef(stats.rankdata(first), stats.rankdata(second))[0, 1])
