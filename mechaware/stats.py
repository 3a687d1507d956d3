"""Intervals and tests, free of models and studies."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float
from scipy import stats


class Interval(NamedTuple):
    """A confidence interval."""

    low: float
    high: float


def clopper_pearson(successes: int, trials: int, level: float = 0.95) -> Interval:
    """The exact interval of a binomial proportion."""
    interval = stats.binomtest(successes, trials).proportion_ci(level, method="exact")
    return Interval(float(interval.low), float(interval.high))


def bootstrap_mean(
    values: Float[np.ndarray, " item"] | Bool[np.ndarray, " item"],
    groups: Iterable[str],
    *,
    resamples: int,
    seed: int,
    level: float = 0.95,
) -> Interval:
    """The percentile bootstrap interval of a mean, drawing whole groups: items of a group are not independent."""
    _, member = np.unique(list(groups), return_inverse=True)
    sums, sizes = np.bincount(member, weights=values), np.bincount(member)
    draws = np.random.default_rng(seed).integers(len(sums), size=(resamples, len(sums)))
    means = sums[draws].sum(axis=1) / sizes[draws].sum(axis=1)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high))


def mcnemar_exact(first: Bool[np.ndarray, " item"], second: Bool[np.ndarray, " item"]) -> float:
    """Two-sided exact p-value that two systems are right equally often, from the items on which only one is right."""
    only_first, only_second = int((first & ~second).sum()), int((~first & second).sum())
    if only_first + only_second == 0:
        return 1.0
    return float(stats.binomtest(only_first, only_first + only_second).pvalue)


def cohens_d(first: Float[np.ndarray, " item"], second: Float[np.ndarray, " other"]) -> float:
    """The standardised difference of two means, with the pooled standard deviation; 0 where neither group varies."""
    n_first, n_second = len(first), len(second)
    pooled = ((n_first - 1) * first.var(ddof=1) + (n_second - 1) * second.var(ddof=1)) / (n_first + n_second - 2)
    return float((first.mean() - second.mean()) / np.sqrt(pooled)) if pooled > 0 else 0.0


def area_under_roc(positive: Float[np.ndarray, " item"], negative: Float[np.ndarray, " other"]) -> float:
    """The chance that a positive item scores above a negative one, ties counted half."""
    return float(stats.mannwhitneyu(positive, negative).statistic / (len(positive) * len(negative)))
