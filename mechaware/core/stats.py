"""Confidence intervals, effect sizes and tests, on arrays.

The parts of this file:

- intervals of means and proportions: of independent items, of items in groups, of items crossed
  with replicates;
- effect sizes and correlations: Cohen's d, Spearman's correlation;
- ROC curves: the area, its intervals, and a point on the curve;
- p-values of one test, and of several tests together.

Items of a group (several questions on one document, say) are not independent. Functions with
`groups` therefore treat a group as a whole: their intervals come from the variance between groups,
or from resamples of whole groups.
"""

from collections.abc import Callable, Iterable
from itertools import product
from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy import optimize, stats

from mechaware.core.levels import MIN_GROUPS

# The most pairs, n1 n2 for samples of n1 and n2 values, for which the Mann-Whitney p-value is exact
# or, with ties, by permutation.
EXACT_PAIRS = 40_000
TIED_PERMUTATIONS = 9_999  # the smallest p-value is then 1 / 10,000


class Interval(NamedTuple):
    """A confidence interval."""

    low: float
    high: float


class Estimate(NamedTuple):
    """A number with its confidence interval."""

    value: float
    low: float
    high: float


class _Groups(NamedTuple):
    """The groups of items, numbered from 0 in the sorted order of their names.

    For three items in the groups b, a and b, `n_groups` is 2 and `of_item` is [1, 0, 1].
    """

    n_groups: int
    of_item: Int[np.ndarray, " item"]


def _number_groups(groups: Iterable[str]) -> _Groups:
    """Number the groups; `groups` has the name of each item's group."""
    names, of_item = np.unique(list(groups), return_inverse=True)
    return _Groups(len(names), of_item)


def percentile_interval(drawn: Float[np.ndarray, " resample"], confidence_level: float) -> Interval:
    """The percentile bootstrap interval.

    Its ends are the quantiles (1 - confidence_level) / 2 and (1 + confidence_level) / 2. Both ends
    are NaN if any of `drawn` is NaN.
    """
    low, high = np.quantile(drawn, [(1 - confidence_level) / 2, (1 + confidence_level) / 2])
    return Interval(float(low), float(high))


# Intervals of means and proportions


def clopper_pearson(successes: int, trials: int, confidence_level: float = 0.95) -> Interval:
    """The exact (Clopper-Pearson) interval of a binomial proportion, in 0 to 1.

    Raises `ValueError` without trials.
    """
    interval = stats.binomtest(successes, trials).proportion_ci(confidence_level, method="exact")
    return Interval(float(interval.low), float(interval.high))


def ratio_interval(
    residuals: Float[np.ndarray, " group"], value: float, confidence_level: float = 0.95
) -> Interval:
    """The t interval of an estimate from few independent groups.

    `residuals` are the groups' contributions to its error, to first order; `value` is the estimate.
    For a ratio of sums, sum(k) / sum(n), the residual of a group is (k - ratio * n) / sum(n);
    residuals sum to zero. With G groups, half-width = t(G - 1) * sqrt(G / (G - 1) * sum of squared
    residuals), where t(f) is the quantile (1 + confidence_level) / 2 of Student's t with f degrees
    of freedom.
    """
    n_groups = len(residuals)
    error = np.sqrt(n_groups / (n_groups - 1) * np.square(residuals).sum())
    half_width = float(stats.t.ppf((1 + confidence_level) / 2, n_groups - 1) * error)
    return Interval(value - half_width, value + half_width)


def mean_interval(values: Float[np.ndarray, " value"], confidence_level: float = 0.95) -> Interval:
    """The t interval of the mean of n independent values, such as one of each seed.

    It is mean -+ t(n - 1) * sd / sqrt(n), where t is as in `ratio_interval`. Needs at least two
    values.
    """
    mean = float(values.mean())
    return ratio_interval((values - mean) / len(values), mean, confidence_level)


def mean_over_groups(
    values: Float[np.ndarray, " item"] | Bool[np.ndarray, " item"],
    groups: Iterable[str],
    confidence_level: float = 0.95,
) -> Interval | None:
    """The t interval of a mean over few whole groups, by `ratio_interval`.

    None for fewer than `MIN_GROUPS`.
    """
    numbered = _number_groups(groups)
    if numbered.n_groups < MIN_GROUPS:
        return None

    sums = np.bincount(numbered.of_item, weights=values)
    sizes = np.bincount(numbered.of_item)
    value = float(sums.sum() / sizes.sum())
    residuals = (sums - value * sizes) / sizes.sum()
    return ratio_interval(residuals, value, confidence_level)


def bootstrap_mean(
    values: Float[np.ndarray, " item"] | Bool[np.ndarray, " item"],
    groups: Iterable[str],
    *,
    resamples: int,
    seed: int,
    confidence_level: float = 0.95,
) -> Interval:
    """The percentile bootstrap interval of a mean, drawing whole groups.

    Groups are drawn in the sorted order of their names, so that the order of the items does not
    change the draws.

    Args:
        values: The value of each item.
        groups: The name of each item's group.
        resamples: The number of resamples; a resample of G groups draws G of them with replacement.
        seed: The seed of the draws.
        confidence_level: Of the interval.
    """
    numbered = _number_groups(groups)
    sums = np.bincount(numbered.of_item, weights=values)
    sizes = np.bincount(numbered.of_item)

    # draws[r] has the numbers of the groups of resample r, such as [1, 1, 0].
    shape = (resamples, numbered.n_groups)
    draws = np.random.default_rng(seed).integers(numbered.n_groups, size=shape)
    # A resample's mean is a ratio: groups differ in size, so its number of items varies.
    means = sums[draws].sum(axis=1) / sizes[draws].sum(axis=1)
    return percentile_interval(means, confidence_level)


def crossed_interval(
    sums: Float[np.ndarray, "item replicate"],
    sizes: Float[np.ndarray, " item"] | None = None,
    *,
    confidence_level: float = 0.95,
) -> Interval:
    """The t interval of a ratio, where items and replicates are both drawn from a population.

        ratio = sum(sums) / (n_replicates * sum(sizes))
        half-width = hypot(half-width over only items, half-width over only replicates)

    Every replicate (a trained model, say) has a value of every item. `sums` has the numerator of
    each item in each replicate, `sizes` each item's denominator; `sizes` are 1 by default, and the
    ratio is then the mean. Both half-widths are those of t intervals. The interval is conservative:
    the interaction of items and replicates is in both half-widths, and few replicates that differ
    make it wide. One replicate gives the interval over items.
    """
    n_items, n_replicates = sums.shape
    if sizes is None:
        sizes = np.ones(n_items)
    by_replicate = sums.sum(axis=0) / sizes.sum()
    value = float(by_replicate.mean())

    item_residuals = (sums.mean(axis=1) - value * sizes) / sizes.sum()
    over_items = ratio_interval(item_residuals, value, confidence_level)
    if n_replicates == 1:
        return over_items

    replicate_residuals = (by_replicate - value) / n_replicates
    over_replicates = ratio_interval(replicate_residuals, value, confidence_level)
    half_width = float(np.hypot(over_items.high - value, over_replicates.high - value))
    return Interval(value - half_width, value + half_width)


def jackknife_over_groups(
    statistic: Callable[[Bool[np.ndarray, " item"]], float],
    groups: Iterable[str],
    confidence_level: float = 0.95,
) -> Interval | None:
    """The t interval of a statistic over few whole groups, by the jackknife.

    The jackknife leaves out one group at a time. Of G groups, with T(-g) the statistic without
    group g and M their mean, the variance is (G - 1) / G * sum of (T(-g) - M)^2.

    Args:
        statistic: Computes the statistic from a mask of the items to keep.
        groups: The name of each item's group.
        confidence_level: Of the interval.

    Returns:
        The interval; None for fewer than `MIN_GROUPS`, or if the statistic is NaN for all items or
        without some group.
    """
    numbered = _number_groups(groups)
    n_groups = numbered.n_groups
    if n_groups < MIN_GROUPS:
        return None

    value = statistic(np.ones(len(numbered.of_item), dtype=bool))
    without = np.array([statistic(numbered.of_item != group) for group in range(n_groups)])
    if np.isnan(without).any() or np.isnan(value):
        return None

    residuals = (without.mean() - without) * (n_groups - 1) / n_groups
    return ratio_interval(residuals, value, confidence_level)


def proportion_over_groups(
    hits: Bool[np.ndarray, " item"],
    groups: Iterable[str],
    confidence_level: float = 0.95,
    *,
    max_n: int | None = None,
) -> Interval | None:
    """The Clopper-Pearson interval of a proportion over few whole groups.

    The n items count as n* independent ones (Korn and Graubard, 1998):

        n* = p (1 - p) / V * (t(n - 1) / t(G - 1))^2,

    where V is the variance of the proportion p over the G groups, and t(f) a quantile, both as in
    `ratio_interval`.

    Where all items agree, V is 0. The interval then begins at 0 or ends at 1, and its other end is
    the nearer of two: the end if one item of the largest group differed, and the end if each group
    were one item.

    Coverage of the 95% interval, by simulation of beta-binomial items in 6 or 12 groups of 4 to 18:
    at least 94% for true proportions of 1% to 99% (simulated up to 95%; hits and misses are treated
    alike) and an intraclass correlation of at most 0.1; 80% for proportions near 0 or 1 in groups
    of 18 and a correlation of 0.4.

    Args:
        hits: Whether each item is a success.
        groups: The name of each item's group.
        confidence_level: Of the interval.
        max_n: An upper bound on n*, by default n. Give a lower one if the items repeat, as in
            several measurements of one item.

    Returns:
        The interval; None for fewer than `MIN_GROUPS`.
    """
    numbered = _number_groups(groups)
    n_groups = numbered.n_groups
    if n_groups < MIN_GROUPS:
        return None

    sums = np.bincount(numbered.of_item, weights=hits)
    sizes = np.bincount(numbered.of_item)
    max_n = max_n or len(hits)
    if 0 < sums.sum() < len(hits):
        return _clustered_interval(sums, sizes, confidence_level, max_n)

    # 1 for the largest group, 0 for the others: what one item of that group changes in `sums`.
    one_item = np.arange(n_groups) == sizes.argmax()
    if sums.sum() == 0:
        one_hit = _clustered_interval(sums + one_item, sizes, confidence_level, max_n)
        by_groups = clopper_pearson(0, n_groups, confidence_level)
        return Interval(0.0, min(one_hit.high, by_groups.high))

    one_miss = _clustered_interval(sums - one_item, sizes, confidence_level, max_n)
    by_groups = clopper_pearson(n_groups, n_groups, confidence_level)
    return Interval(max(one_miss.low, by_groups.low), 1.0)


def _clustered_interval(
    sums: Float[np.ndarray, " group"],
    sizes: Int[np.ndarray, " group"],
    confidence_level: float,
    max_n: int,
) -> Interval:
    """The interval of `proportion_over_groups` for a proportion that is neither 0 nor 1.

    `sums` and `sizes` are the hits and the items of each group.
    """
    n = sizes.sum()
    n_groups = len(sizes)
    proportion = sums.sum() / n
    residuals = (sums - proportion * sizes) / n
    variance = n_groups / (n_groups - 1) * np.square(residuals).sum()
    t_items = stats.t.ppf((1 + confidence_level) / 2, n - 1)
    t_groups = stats.t.ppf((1 + confidence_level) / 2, n_groups - 1)
    # If the groups' proportions are equal, the variance is 0; 1e-300 in its place gives `max_n`.
    variance = max(variance, 1e-300)
    n_effective = proportion * (1 - proportion) / variance * (t_items / t_groups) ** 2
    n_effective = min(max_n, n_effective)

    # Clopper and Pearson's interval, for numbers that are not whole.
    successes = proportion * n_effective
    failures = (1 - proportion) * n_effective
    tail = (1 - confidence_level) / 2
    low = stats.beta.ppf(tail, successes, failures + 1)
    high = stats.beta.ppf(1 - tail, successes + 1, failures)
    return Interval(float(low), float(high))


# Effect sizes and correlations


# Arrays with a pooled deviation of at most this share of the range of all values do not vary.
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

    `first` of `cohens_d` has the items `in_first`, `second` the others. Groups are drawn in the
    sorted order of their names. Resamples with fewer than two items on a side are left out.
    """
    if np.ptp(values) == 0:
        return Interval(0.0, 0.0)

    numbered = _number_groups(groups)
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

    # In a resample that does not vary, rounding leaves a `pooled` of up to 1.5e-8 of the range of
    # `values` (the root of float64's precision). As in `cohens_d`, its effect is 0.
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

    numbered = _number_groups(groups)
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


# ROC curves


def area_under_roc(
    positive: Float[np.ndarray, " item"], negative: Float[np.ndarray, " other"]
) -> float:
    """The probability, 0 to 1, that a positive item scores above a negative one; ties count half.

    Each side needs at least one item.
    """
    n = len(positive)
    m = len(negative)
    ranks = stats.rankdata(np.concatenate([positive, negative]))
    n_above = ranks[:n].sum() - n * (n + 1) / 2  # pairs in which the positive item is above
    return float(n_above / (n * m))


def areas_under_roc(
    scores: Float[np.ndarray, "item ..."], positive: Float[np.ndarray, "item draw"]
) -> Float[np.ndarray, " draw"]:
    """`area_under_roc` in every draw.

    Args:
        scores: The items' scores: a column (item x 1) that serves every draw, or a column for each
            draw.
        positive: 1 for the items that are positive in the draw, and 0 otherwise.
    """
    n = positive.sum(axis=0)
    m = (1 - positive).sum(axis=0)
    ranks = stats.rankdata(scores, axis=0)
    n_above = (ranks * positive).sum(axis=0) - n * (n + 1) / 2
    return np.asarray(n_above / (n * m), dtype=float)


def true_positive_rate_at(
    positive: Float[np.ndarray, " item"],
    negative: Float[np.ndarray, " other"],
    false_positive_rate: float,
) -> float:
    """The largest share of positive items above a threshold at this false positive rate or less.

    Of n negative items, k = floor(false_positive_rate * n) may exceed the threshold, which is the
    (k + 1)-th largest negative score; without such a score the share is 1. Only positive items
    strictly above the threshold count. Ties are thus conservative: a positive item that ties with
    the threshold does not count.
    """
    # floor, although 0.29 * 100 is 28.999... in floating point
    n_allowed = int(false_positive_rate * len(negative) + 1e-9)
    if n_allowed >= len(negative):
        return 1.0
    threshold = np.sort(negative)[::-1][n_allowed]
    return float((positive > threshold).mean())


def area_under_roc_interval(
    area: float, n_positive: int, n_negative: int, confidence_level: float = 0.95
) -> Interval:
    """The interval of an area under the ROC curve (Newcombe 2006, method 5).

    The positive and the negative items are both drawn from a population.

    The interval holds each area A whose distance to `area` is at most z standard deviations, where
    z is the normal quantile (1 + confidence_level) / 2. The variance at A is Hanley and McNeil's,
    with the mean N = (n_positive + n_negative) / 2 - 1 in place of both n_positive - 1 and
    n_negative - 1:

        A (1 - A) (1 + N (1 - A) / (2 - A) + N A / (1 + A)) / (n_positive n_negative)

    Even at an area of 1 the interval has a width.
    """
    z = float(stats.norm.ppf((1 + confidence_level) / 2))
    mean_size = (n_positive + n_negative) / 2 - 1

    def excess(bound: float) -> float:
        """(area - A)^2 - z^2 * variance, for A = `bound`; 0 at both ends of the interval."""
        inflation = 1 + mean_size * ((1 - bound) / (2 - bound) + bound / (1 + bound))
        allowed = z**2 * bound * (1 - bound) * inflation / (n_positive * n_negative)
        return (area - bound) ** 2 - allowed

    # The search stays off `area`: at an area of 0 or 1 the area itself is also a root.
    tiny = 1e-9
    low = 0.0
    if area > tiny:
        low = float(optimize.brentq(excess, 0, area - tiny))
    high = 1.0
    if area < 1 - tiny:
        high = float(optimize.brentq(excess, area + tiny, 1))
    return Interval(low, high)


def bootstrap_area_under_roc(
    scores: Float[np.ndarray, " item"],
    positive: Bool[np.ndarray, " item"],
    groups: Iterable[str],
    *,
    resamples: int,
    seed: int,
    confidence_level: float = 0.95,
) -> Interval:
    """The percentile bootstrap interval of `area_under_roc`, drawing whole groups.

    The items that are not `positive` are the negative ones. Groups are drawn in the sorted order of
    their names. Resamples that lack a side are left out; raises `IndexError` if all lack one. The
    interval's width is 0 where every positive item scores above every other: no resample shows a
    miss.
    """
    numbered = _number_groups(groups)
    distinct, rank = np.unique(scores, return_inverse=True)
    probabilities = np.full(numbered.n_groups, 1 / numbered.n_groups)
    generator = np.random.default_rng(seed)
    areas = []
    for _ in range(resamples):
        # How often each group is drawn, and so how often each item.
        group_counts = generator.multinomial(numbered.n_groups, probabilities)
        times = group_counts[numbered.of_item]

        # The number of positive and of other items drawn, by distinct score from the lowest.
        n_positive = np.bincount(rank[positive], times[positive], minlength=len(distinct))
        n_other = np.bincount(rank[~positive], times[~positive], minlength=len(distinct))
        n_pairs = n_positive.sum() * n_other.sum()
        if n_pairs > 0:
            # How many other items a positive item at each score beats; ties count half.
            #     n_other [2, 0, 4]    n_beaten [1, 2, 4]
            n_beaten = n_other.cumsum() - n_other / 2
            areas.append(n_positive @ n_beaten / n_pairs)
    return percentile_interval(np.asarray(areas), confidence_level)


def bootstrap_area_difference(
    scores: Float[np.ndarray, " item"],
    baseline: Float[np.ndarray, " item"],
    positive: Bool[np.ndarray, " item"],
    groups: Iterable[str],
    *,
    resamples: int,
    seed: int,
    confidence_level: float = 0.95,
) -> Interval:
    """The percentile bootstrap interval of the AUROC of `scores` less that of `baseline`.

    AUROC is `area_under_roc`. Whole groups are drawn, in the sorted order of their names; an item
    keeps both of its scores. Resamples that lack a side are left out; raises `IndexError` if all
    lack one. Let s be `scores` and b be `baseline`. A resample that draws item i n(i) times has the
    difference

        sum_ij n(i) n(j) (sign(s(i) - s(j)) - sign(b(i) - b(j))) / 2 / sum_ij n(i) n(j),

    where i runs over the positive items and j over the others.
    """
    numbered = _number_groups(groups)
    probabilities = np.full(numbered.n_groups, 1 / numbered.n_groups)
    generator = np.random.default_rng(seed)
    group_counts = generator.multinomial(numbered.n_groups, probabilities, resamples)
    times = group_counts[:, numbered.of_item]  # resample x item: how often it is drawn
    n_positive = times[:, positive]
    n_other = times[:, ~positive]
    n_pairs = n_positive.sum(axis=1) * n_other.sum(axis=1)

    # positive x other: 1 where the positive item scores higher, -1 where lower, 0 at a tie.
    order = np.sign(scores[positive, None] - scores[~positive])
    baseline_order = np.sign(baseline[positive, None] - baseline[~positive])
    lead = np.einsum("ri,ij,rj->r", n_positive, order - baseline_order, n_other) / 2
    has_pairs = n_pairs > 0
    return percentile_interval(lead[has_pairs] / n_pairs[has_pairs], confidence_level)


# P-values


def mann_whitney_p(
    above: Float[np.ndarray, " one"], below: Float[np.ndarray, " other"], seed: int
) -> float:
    """One-sided p-value of the hypothesis that `above` is no higher than `below` (Mann-Whitney).

    It is exact, or by permutation if values are tied; `seed` draws the permutations. With more than
    `EXACT_PAIRS` pairs scipy's exact distribution overflows, and the p-value is that of the normal
    approximation.
    """
    method: Literal["asymptotic", "exact"] | stats.PermutationMethod
    if len(above) * len(below) > EXACT_PAIRS:
        method = "asymptotic"
    elif len(np.unique([*above, *below])) < len(above) + len(below):  # some values are tied
        rng = np.random.default_rng(seed)
        method = stats.PermutationMethod(n_resamples=TIED_PERMUTATIONS, batch=100, rng=rng)
    else:
        method = "exact"
    return float(stats.mannwhitneyu(above, below, alternative="greater", method=method).pvalue)


def paired_permutation(
    difference: Float[np.ndarray, " item"], *, resamples: int, seed: int
) -> float:
    """Two-sided p-value of the hypothesis that paired differences have mean 0, by flipping signs.

    All 2^n flips of the n differences that are not 0 are tried if there are at most `resamples`
    flips, else `resamples` random ones. If the differences are -1, 0 and 1 (right answers less
    right answers), all flips together give McNemar's exact test.
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


def sign_flip_above_zero(
    difference: Float[np.ndarray, " item"], *, resamples: int, seed: int
) -> float:
    """One-sided p-value of a positive sum, if each difference is as likely to have the other sign.

    All 2^n flips of the n differences that are not 0 are tried if there are at most `resamples`
    flips. Otherwise `resamples` flips are drawn at random, and the observed signs count as one
    more. 1 if all differences are 0.
    """
    varying = difference[difference != 0]
    rounding = 1e-12 * np.abs(varying).sum()
    at_least = varying.sum() - rounding  # a flipped sum reaches the observed one from here on
    if 2 ** len(varying) <= resamples:
        all_signs = np.array(list(product((-1.0, 1.0), repeat=len(varying))))
        n_reaching = int((all_signs @ varying >= at_least).sum())
        return n_reaching / len(all_signs)

    generator = np.random.default_rng(seed)
    signs = generator.choice((-1.0, 1.0), size=(resamples, len(varying)))
    n_reaching = int((signs @ varying >= at_least).sum())
    return (1 + n_reaching) / (1 + resamples)


def permutation_p(observed: Float[np.ndarray, " seed"], null: Float[np.ndarray, " draw"]) -> float:
    """One-sided p-value of a permutation test, averaged over the seeds of a randomised statistic.

    The p-value of one seed is (1 + the number of the null's draws that reach its statistic) / (1 +
    the number of draws). NaN without draws. A draw at most 1e-9 below the statistic reaches it,
    since both are read from rounded files.
    """
    if len(null) == 0:
        return float("nan")
    n_reaching = (null[None, :] >= observed[:, None] - 1e-9).sum(axis=1)
    by_seed = (1 + n_reaching) / (1 + len(null))
    return float(by_seed.mean())


# P-values of several tests


def holm(p: Float[np.ndarray, " test"]) -> Float[np.ndarray, " test"]:
    """Holm's correction of m p-values, in the order given.

    The k-th smallest p-value becomes max_{j <= k} (m - j + 1) p(j), and at most 1; p(j) is the j-th
    smallest.
    """
    order = np.argsort(p, kind="stable")
    multiplied = p[order] * np.arange(len(p), 0, -1)
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(np.maximum.accumulate(multiplied), 1)
    return corrected


def largest_statistic_p(statistics: Float[np.ndarray, "test draw"]) -> Float[np.ndarray, " test"]:
    """P-values corrected for several tests, by the max-T procedure (Westfall and Young, 1993).

    Statistics measure a departure from the hypothesis, upwards: differences from their value under
    it, or the sizes of these. The first draw is the observed one; each of the others permutes the
    data of all tests alike. Each test's statistics are divided by their root mean square over
    draws. The test's p-value is the share of draws in which the largest statistic of all tests is
    at least the test's observed one. A test that never varies has p-value 1.
    """
    scale = np.sqrt(np.square(statistics).mean(axis=1, keepdims=True))
    scaled = np.divide(statistics, scale, out=np.zeros_like(statistics), where=scale > 0)
    observed = scaled[:, :1]
    is_as_large = scaled.max(axis=0) >= observed - 1e-9  # test x draw
    return np.asarray(is_as_large.mean(axis=1), dtype=float)
