"""How far a judge's statuses agree with labels: shares, kappa and leads, with their intervals.

Statuses are ranks in the rubric, 0 for the lowest; a missing status of the judge is `MISSING`.
For a list of items, `judged` holds the judge's statuses and `labels` holds the statuses that people
gave. Intervals are over groups of items.
"""

from collections.abc import Iterable
from math import ceil
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int
from scipy import stats

from mechaware.core.levels import MIN_GROUPS
from mechaware.core.stats.intervals import (
    jackknife_over_groups,
    mean_over_groups,
    proportion_over_groups,
)
from mechaware.verdicts import page

MISSING = -1
POWER = 0.8  # in `items_needed`: the probability that an interval shows a lead that exists
Ranks = Int[np.ndarray, " item"]
Hits = Bool[np.ndarray, " item"]


class GroupedEstimate(NamedTuple):
    """A number that was estimated from n items, with its interval over groups of items.

    `value` is None where the number is not defined; `low` and `high` are then None as well. They
    are also None for fewer than `MIN_GROUPS` groups, and for a kappa that is not defined when one
    of the groups is left out.
    """

    n: int
    value: float | None
    low: float | None
    high: float | None


class Masks(NamedTuple):
    """Which items could be judged too high, or too low (`possible`), and which are (`wrong`)."""

    possible: Hits
    wrong: Hits


def share_of(hits: Hits, groups: Iterable[str], confidence_level: float) -> GroupedEstimate:
    """The share of items that are hits, with its interval over groups."""
    if len(hits) == 0:
        return GroupedEstimate(0, None, None, None)
    interval = proportion_over_groups(hits, groups, confidence_level)
    ends = interval or (None, None)
    return GroupedEstimate(len(hits), float(hits.mean()), *ends)


def too_high_masks(judged: Ranks, labels: Ranks, top: int) -> Masks:
    """Which items could be judged too high (a label below the rank `top`), and which are."""
    return Masks(possible=labels < top, wrong=judged > labels)


def too_low_masks(judged: Ranks, labels: Ranks) -> Masks:
    """Which items could be judged too low (a label above the lowest rank), and which are.

    A missing status is not too low.
    """
    is_too_low = (judged < labels) & (judged != MISSING)
    return Masks(possible=labels > 0, wrong=is_too_low)


def kappa_within(first: Ranks, second: Ranks, criteria: Int[np.ndarray, " item"]) -> float:
    """Cohen's kappa within criteria: (P - E) / (1 - E).

    P is the share of items on which both raters agree. E is the share on which they would agree by
    chance if each kept its statuses within every criterion and gave them to items at random. It is
    the mean over items of the sum over statuses k of p(k) q(k), where p(k) is the share of k in the
    item's criterion by the first rater, and q(k) the share by the second.

    A rater that gives each criterion one status has a kappa of 0, however often it is right. NaN
    where E is 1: both raters give each criterion one status, and the same one. A missing status is
    a status of its own.
    """
    # Counted in items, not in shares: where each criterion has one status, the count is exact.
    by_chance = 0.0
    for criterion in np.unique(criteria):
        in_criterion = criteria == criterion
        for status in np.unique(first[in_criterion]):
            n_first = (first[in_criterion] == status).sum()
            n_second = (second[in_criterion] == status).sum()
            by_chance += n_first * n_second / in_criterion.sum()
    if by_chance == len(first):
        return float("nan")

    agreeing = (first == second).sum()
    return float((agreeing - by_chance) / (len(first) - by_chance))


def kappa_over_groups(
    judged: Ranks,
    labels: Ranks,
    criteria: Iterable[str],
    groups: Iterable[str],
    confidence_level: float,
) -> GroupedEstimate:
    """`kappa_within` of the judge's statuses and the labels, with its jackknife interval.

    `criteria` and `groups` have the criterion and the group of each item.
    """
    if len(judged) == 0:
        return GroupedEstimate(0, None, None, None)
    _, codes = np.unique(list(criteria), return_inverse=True)

    def kappa(kept: Hits) -> float:
        return kappa_within(judged[kept], labels[kept], codes[kept])

    value = kappa(np.ones(len(judged), dtype=bool))
    ends = jackknife_over_groups(kappa, groups, confidence_level) or (None, None)
    return GroupedEstimate(len(judged), None if np.isnan(value) else value, *ends)


def lead_over(
    judge: Hits, other: Hits, groups: Iterable[str], confidence_level: float
) -> GroupedEstimate:
    """The share that the judge has right minus the share that another rater has right.

    Both are shares of the same items. The interval is the t interval over groups.
    """
    difference = judge.astype(float) - other.astype(float)
    ends = mean_over_groups(difference, groups, confidence_level) or (None, None)
    return GroupedEstimate(len(judge), float(difference.mean()), *ends)


def share_text(share: GroupedEstimate) -> str:
    """A share as a percentage with its interval, or as much of it as there is."""
    if share.value is None:
        return ""
    if share.low is None or share.high is None:
        return f"{share.value:.0%}"
    return page.share_text(share.value, share.low, share.high)


def number_text(number: GroupedEstimate) -> str:
    """A number such as kappa with its interval, or as much of it as there is."""
    if number.value is None:
        return "undefined"
    if number.low is None or number.high is None:
        return f"{number.value:.2f}"
    return f"{number.value:.2f} ({number.low:.2f} to {number.high:.2f})"


def points_text(lead: GroupedEstimate) -> str:
    """A lead in percentage points with its interval, or as much of it as there is."""
    if lead.value is None:
        return ""
    points = f"{100 * lead.value:.0f} points"
    if lead.low is None or lead.high is None:
        return points
    return f"{points} ({100 * lead.low:.0f} to {100 * lead.high:.0f})"


class Needed(NamedTuple):
    """How many items would show a lead, 0 to 1, and the groups that hold them (`items_needed`)."""

    lead: float
    items: int
    groups: int


def items_needed(
    judge: Hits, other: Hits, groups: Iterable[str], lead: float, confidence_level: float
) -> Needed | None:
    """How many items, in groups like these, would show this lead with a probability of `POWER`.

    Let d_i be 1, 0 or -1, the difference of judge and other on item i, m its mean, and r_g the sum
    of d_i - m in group g. These n items in G groups have the standard error of the mean difference

        s = sqrt(G / (G - 1) sum_g (r_g / n)^2)

    Then

        n (s (z + z') / lead)^2

    items are needed, where z is the normal quantile of (1 + confidence_level) / 2 and z' that of
    `POWER`, but at least as many as `MIN_GROUPS` such groups hold.

    Args:
        judge: Which items the judge has right.
        other: Which of the same items the other rater has right.
        groups: The group of each item.
        lead: The lead, above 0 and at most 1.
        confidence_level: The level of the interval that would show it, such as 0.95.

    Returns:
        The numbers, rounded up; None for fewer than `MIN_GROUPS` groups, and where both are right
        on the same items.
    """
    names, group_of_item = np.unique(list(groups), return_inverse=True)
    difference = judge.astype(float) - other.astype(float)
    if len(names) < MIN_GROUPS or not difference.any():
        return None

    sums = np.bincount(group_of_item, weights=difference)
    sizes = np.bincount(group_of_item)
    residuals = (sums - difference.mean() * sizes) / len(difference)
    error = np.sqrt(len(names) / (len(names) - 1) * np.square(residuals).sum())

    quantiles = stats.norm.ppf((1 + confidence_level) / 2) + stats.norm.ppf(POWER)
    factor = max(float((error * quantiles / lead) ** 2), MIN_GROUPS / len(names))
    return Needed(lead, ceil(len(difference) * factor), ceil(len(names) * factor))
