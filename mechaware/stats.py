"""Confidence intervals, effect sizes and tests; knows nothing of models and studies."""

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
    """The exact (Clopper-Pearson) interval of a binomial proportion, in 0 to 1."""
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
    """The percentile bootstrap interval of a mean, drawing whole groups: items of a group are not independent.

    Groups are drawn in the sorted order of their names, so that the order of the items does not change the draws.
    """
    _, member = np.unique(list(groups), return_inverse=True)
    sums, sizes = np.bincount(member, weights=values), np.bincount(member)
    draws = np.random.default_rng(seed).integers(len(sums), size=(resamples, len(sums)))
    means = sums[draws].sum(axis=1) / sizes[draws].sum(axis=1)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high))


def bootstrap_crossed(
    sums: Float[np.ndarray, "item replicate"],
    sizes: Float[np.ndarray, " item"] | None = None,
    *,
    resamples: int,
    seed: int,
    level: float = 0.95,
) -> Interval:
    """The percentile bootstrap interval of sum(sums) / (replicates * sum(sizes)), drawing items and replicates.

    Every replicate (a trained model, say) has a value of every item; items and replicates are drawn independently of
    one another. `sizes` are 1 by default, which gives the mean. One replicate gives the bootstrap over items. Few
    replicates make the interval too narrow: k of them show (k - 1) / k of their variance.
    """
    n_items, n_replicates = sums.shape
    generator = np.random.default_rng(seed)
    items = generator.multinomial(n_items, np.full(n_items, 1 / n_items), size=resamples)
    replicates = generator.multinomial(n_replicates, np.full(n_replicates, 1 / n_replicates), size=resamples)
    totals = ((items @ sums) * replicates).sum(axis=1) / n_replicates
    drawn = totals / (items @ (np.ones(n_items) if sizes is None else sizes))
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high))


class Estimate(NamedTuple):
    """A number with its confidence interval."""

    value: float
    low: float
    high: float


def bootstrap_rank_correlation(
    first: Float[np.ndarray, " item"],
    second: Float[np.ndarray, " item"],
    groups: Iterable[str],
    *,
    resamples: int,
    seed: int,
    level: float = 0.95,
) -> Estimate:
    """Spearman's correlation with its percentile bootstrap interval, drawing whole groups.

    NaN if either variable is constant; resamples in which either is are left out. Tied ranks are averaged.
    """
    _, member = np.unique(list(groups), return_inverse=True)
    items = [np.flatnonzero(member == group) for group in range(member.max() + 1)]
    draws = np.random.default_rng(seed).integers(len(items), size=(resamples, len(items)))
    value = _rank_correlation(first, second)
    if np.isnan(value):
        return Estimate(value, value, value)
    drawn = []
    for draw in draws:
        chosen = np.concatenate([items[group] for group in draw])
        drawn.append(_rank_correlation(first[chosen], second[chosen]))
    low, high = np.nanquantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return Estimate(value, float(low), float(high))


def _rank_correlation(first: Float[np.ndarray, " item"], second: Float[np.ndarray, " item"]) -> float:
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return float("nan")
    return float(np.corrcoef(stats.rankdata(first), stats.rankdata(second))[0, 1])


def paired_sign_flip(
    first: Bool[np.ndarray, " item"], second: Bool[np.ndarray, " item"], groups: Iterable[str]
) -> float:
    """Two-sided exact p-value of the hypothesis that two systems are right equally often on the same items.

    Under the null hypothesis the difference in right answers of each group is as likely to have the other sign; the
    distribution of its sum over groups is computed in full. If every item is a group of its own, this is McNemar's
    exact test.
    """
    _, member = np.unique(list(groups), return_inverse=True)
    difference = np.bincount(member, weights=first.astype(float) - second.astype(float)).astype(int)
    reach = int(np.abs(difference).sum())
    chance = np.zeros(2 * reach + 1)  # of each sum, from -reach to reach
    chance[reach] = 1
    for size in np.abs(difference[difference != 0]):
        chance = (np.roll(chance, size) + np.roll(chance, -size)) / 2
    sums = np.arange(-reach, reach + 1)
    return float(min(1.0, chance[np.abs(sums) >= abs(difference.sum())].sum()))


def cohens_d(first: Float[np.ndarray, " item"], second: Float[np.ndarray, " other"]) -> float:
    """Cohen's d: the difference of two means over the pooled standard deviation (n - 1); 0 if neither group varies."""
    n_first, n_second = len(first), len(second)
    pooled = ((n_first - 1) * first.var(ddof=1) + (n_second - 1) * second.var(ddof=1)) / (n_first + n_second - 2)
    return float((first.mean() - second.mean()) / np.sqrt(pooled)) if pooled > 0 else 0.0


def area_under_roc(positive: Float[np.ndarray, " item"], negative: Float[np.ndarray, " other"]) -> float:
    """The probability that a positive item scores above a negative one; ties count half."""
    return float(stats.mannwhitneyu(positive, negative).statistic / (len(positive) * len(negative)))


def paired_permutation(difference: Float[np.ndarray, " item"], *, resamples: int, seed: int) -> float:
    """Two-sided p-value of the hypothesis that paired differences have mean 0, by flipping their signs.

    All 2^n flips are tried where there are at most `resamples` of them, else `resamples` random ones. On differences
    of right answers, all of -1, 0 and 1, the full set of flips gives McNemar's exact test.
    """
    varying = difference[difference != 0]  # zeros keep their value under every flip
    if len(varying) < 2 or abs(varying.sum()) <= 1e-12 * np.abs(varying).sum():
        return 1.0  # no flip brings the mean nearer to 0
    test = stats.permutation_test(
        (varying,),
        np.mean,
        permutation_type="samples",
        vectorized=True,
        n_resamples=resamples,
        rng=np.random.default_rng(seed),
    )
    return float(test.pvalue)
