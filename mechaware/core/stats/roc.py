"""ROC curves of scores: the area under the curve, its intervals, and a point on the curve.

Functions with `groups` draw resamples of whole groups, since the items of a group are not
independent.
"""

from collections.abc import Iterable

import numpy as np
from jaxtyping import Bool, Float
from scipy import optimize, stats

from mechaware.core.stats.intervals import Interval, number_groups, percentile_interval


def area_under_roc(
    positive: Float[np.ndarray, " item"], negative: Float[np.ndarray, " other"]
) -> float:
    """The probability, 0 to 1, that a positive item scores above a negative one; ties count half.

    `positive` and `negative` are the scores of the positive and of the negative items, each with at
    least one item.
    """
    n = len(positive)
    m = len(negative)
    ranks = stats.rankdata(np.concatenate([positive, negative]))
    n_above = ranks[:n].sum() - n * (n + 1) / 2  # pairs in which the positive item is above
    return float(n_above / (n * m))


def areas_under_roc(
    scores: Float[np.ndarray, "item ..."], positive: Float[np.ndarray, "item draw"]
) -> Float[np.ndarray, " draw"]:
    """`area_under_roc` in every draw, for instance in every permutation of the items' truths.

    Args:
        scores: The items' scores: a column (item x 1) that serves every draw, or a column for each
            draw.
        positive: 1 for the items that are positive in the draw, and 0 for the negative items. Each
            draw needs at least one item of either kind.
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
    # 0.29 * 100 is 28.999... in floating point, and must give 29.
    n_allowed = int(false_positive_rate * len(negative) + 1e-9)
    if n_allowed >= len(negative):
        return 1.0
    threshold = np.sort(negative)[::-1][n_allowed]
    return float((positive > threshold).mean())


def area_under_roc_interval(
    area: float, n_positive: int, n_negative: int, confidence_level: float = 0.95
) -> Interval:
    """The interval of an area under the ROC curve (Newcombe 2006, method 5).

    Both the positive and the negative items count as samples of larger populations.

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

    # Each end is sought on its own side of `area`, and not at `area` itself: at 0 or 1 the area is
    # also a root.
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

    `positive` is whether each item is positive; all other items are negative. Groups are drawn in
    the sorted order of their names. Resamples without a positive or without a negative item are
    left out; raises `IndexError` if none is left. The interval's width is 0 where every positive
    item scores above every negative one: no resample shows a miss.
    """
    numbered = number_groups(groups)
    distinct, rank = np.unique(scores, return_inverse=True)
    probabilities = np.full(numbered.n_groups, 1 / numbered.n_groups)
    generator = np.random.default_rng(seed)
    areas = []
    for _ in range(resamples):
        # How often each group is drawn, and so how often each item.
        group_counts = generator.multinomial(numbered.n_groups, probabilities)
        times = group_counts[numbered.of_item]

        # The number of positive and of negative items drawn, by distinct score from the lowest.
        n_positive = np.bincount(rank[positive], times[positive], minlength=len(distinct))
        n_negative = np.bincount(rank[~positive], times[~positive], minlength=len(distinct))
        n_pairs = n_positive.sum() * n_negative.sum()
        if n_pairs > 0:
            # How many negative items a positive item at each score beats; ties count half.
            #     n_negative [2, 0, 4]    n_beaten [1, 2, 4]
            n_beaten = n_negative.cumsum() - n_negative / 2
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
    """The percentile bootstrap interval of AUROC(`scores`) - AUROC(`baseline`).

    AUROC is `area_under_roc`, and `positive` is whether each item is positive. Whole groups are
    drawn, in the sorted order of their names; an item keeps both of its scores. Resamples without a
    positive or without a negative item are left out; raises `IndexError` if none is left.

    Let s be `scores` and b be `baseline`. A resample that draws item i n(i) times has the
    difference

        sum_ij n(i) n(j) (sign(s(i) - s(j)) - sign(b(i) - b(j))) / 2 / sum_ij n(i) n(j),

    where i runs over the positive items and j over the negative ones.
    """
    numbered = number_groups(groups)
    probabilities = np.full(numbered.n_groups, 1 / numbered.n_groups)
    generator = np.random.default_rng(seed)
    group_counts = generator.multinomial(numbered.n_groups, probabilities, resamples)
    times = group_counts[:, numbered.of_item]  # resample x item: how often it is drawn
    n_positive = times[:, positive]
    n_negative = times[:, ~positive]
    n_pairs = n_positive.sum(axis=1) * n_negative.sum(axis=1)

    # positive x negative: 1 where the positive item scores higher, -1 where lower, 0 at a tie.
    order = np.sign(scores[positive, None] - scores[~positive])
    baseline_order = np.sign(baseline[positive, None] - baseline[~positive])
    lead = np.einsum("ri,ij,rj->r", n_positive, order - baseline_order, n_negative) / 2
    has_pairs = n_pairs > 0
    return percentile_interval(lead[has_pairs] / n_pairs[has_pairs], confidence_level)
