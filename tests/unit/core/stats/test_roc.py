"""ROC curves: areas and their intervals have the values of counts by hand or of all draws."""

import itertools

import numpy as np
import pytest

from mechaware.core.stats.roc import (
    area_under_roc,
    area_under_roc_interval,
    bootstrap_area_difference,
    bootstrap_area_under_roc,
    true_positive_rate_at,
)


def test_area_under_roc_counts_ties_half() -> None:
    # Of six pairs (positive, negative) 3>1, 3>2, 2>1 win, 2=2 ties, 0 loses twice: 3.5 / 6.
    assert area_under_roc(np.array([3.0, 2.0, 0.0]), np.array([1.0, 2.0])) == pytest.approx(3.5 / 6)


@pytest.mark.parametrize(
    ("positive", "negative", "rate", "share"),
    [
        ([5, 3, 2, 1], [4, 2.5, 2, 0], 0.25, 2 / 4),  # above 2.5, which 4 alone exceeds: 5 and 3
        ([5, 3, 2, 1], [4, 2.5, 2, 0], 0.2, 1 / 4),  # no negative item may be found: above 4
        ([5, 3, 2, 1], [4, 2.5, 2, 0], 1.0, 1.0),
        ([2, 2, 3], [2, 2, 0, 0], 0.25, 1 / 3),  # a threshold below 2 would find two of four
        # 29 of 100 may be found, 71 to 99; 0.29 * 100 is 28.999... in floats.
        ([70.5], range(100), 0.29, 1.0),
        ([70.0], range(100), 0.29, 0.0),  # ties with the threshold
        ([1, 1], [1, 1], 0.05, 0.0),
    ],
)
def test_the_true_positive_rate_counts_what_lies_above_the_threshold(
    positive: list[float], negative: list[float], rate: float, share: float
) -> None:
    positive_scores = np.array(positive, dtype=float)
    negative_scores = np.array(negative, dtype=float)
    assert true_positive_rate_at(positive_scores, negative_scores, rate) == pytest.approx(share)


@pytest.mark.parametrize(
    ("area", "low", "high"), [(1.0, None, 1.0), (0.0, 0.0, None), (0.75, None, None)]
)
def test_the_interval_of_an_area_ends_where_its_own_variance_explains_the_distance(
    area: float, low: float | None, high: float | None
) -> None:
    """In Hanley and McNeil's variance each size counts less one, here 10 - 1 = 9.

    N, the mean of the two, is also 9.
    """
    interval = area_under_roc_interval(area, 10, 10)
    for end, expected in zip(interval, (low, high), strict=True):
        if expected is not None:
            assert end == expected
            continue
        q1 = end / (2 - end)
        q2 = 2 * end**2 / (1 + end)
        variance = (end * (1 - end) + 9 * (q1 - end**2) + 9 * (q2 - end**2)) / 100
        assert abs(area - end) == pytest.approx(1.959964 * variance**0.5, rel=1e-4)
        assert 0 < end < 1


@pytest.mark.parametrize(("n_positive", "n_negative"), [(4, 18), (18, 4)])
def test_the_interval_of_an_area_has_the_mean_of_unequal_sizes(
    n_positive: int, n_negative: int
) -> None:
    """N = (4 + 18) / 2 - 1 = 10, whichever side has more items."""
    for end in area_under_roc_interval(0.8, n_positive, n_negative):
        variance = (
            end * (1 - end) * (1 + 10 * (1 - end) / (2 - end) + 10 * end / (1 + end)) / (4 * 18)
        )
        assert abs(0.8 - end) == pytest.approx(1.959964 * variance**0.5, rel=1e-4)


def test_the_bootstrap_of_an_area_under_roc_is_that_of_all_draws_of_items() -> None:
    scores = [3.0, 1.0, 2.0, 2.0, 0.0]
    positive = [True, True, False, True, False]
    draws = []
    for items in itertools.product(range(5), repeat=5):
        above = [scores[item] for item in items if positive[item]]
        below = [scores[item] for item in items if not positive[item]]
        pairs = list(itertools.product(above, below))
        if pairs:
            won = sum((a > b) + (a == b) / 2 for a, b in pairs)
            draws.append(won / len(pairs))

    interval = bootstrap_area_under_roc(
        np.array(scores),
        np.array(positive),
        "abcde",
        resamples=20_000,
        seed=1,
        confidence_level=0.8,
    )
    over_ties = bootstrap_area_difference(
        np.array(scores),
        np.zeros(5),
        np.array(positive),
        "abcde",
        resamples=20_000,
        seed=1,
        confidence_level=0.8,
    )

    # A baseline of ties has an area of 1/2.
    assert over_ties == pytest.approx((interval.low - 0.5, interval.high - 0.5))
    for end, tail in ((interval.low, 0.1), (interval.high, 0.9)):
        # 20,000 draws are off by 0.01 of all: five standard errors.
        assert np.mean(np.array(draws) < end - 1e-9) <= tail + 0.01
        assert np.mean(np.array(draws) <= end + 1e-9) >= tail - 0.01


def test_the_bootstrap_of_an_area_under_roc_draws_groups_whole() -> None:
    # Of the four pairs 1>0, 3>0, 3>2 win: 3/4. A group drawn twice wins its only pair. The positive
    # item of `a` without its negative one, against the negative one of `b`, would have the area 0.
    scores = np.array([1.0, 0.0, 3.0, 2.0])
    positive = np.array([True, False, True, False])
    assert bootstrap_area_under_roc(scores, positive, "aabb", resamples=200, seed=0) == (0.75, 1)
    assert bootstrap_area_under_roc(scores, positive, "abcd", resamples=200, seed=0).low == 0

    # The same over a baseline of ties, which has an area of 1/2.
    for groups, low in (("aabb", 0.25), ("abcd", -0.5)):
        lead = bootstrap_area_difference(
            scores, np.zeros(4), positive, groups, resamples=200, seed=0
        )
        assert lead == (low, 0.5)


def test_a_resample_with_a_single_pair_counts_in_the_lead() -> None:
    # A resample has the one pair, or lacks a side. The pair is right by the scores alone.
    scores = np.array([2.0, 1.0])
    positive = np.array([True, False])
    lead = bootstrap_area_difference(scores, -scores, positive, "ab", resamples=50, seed=0)
    assert lead == (1, 1)
