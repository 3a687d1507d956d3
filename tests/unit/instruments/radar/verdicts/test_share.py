"""The share of seen items: Storey's estimate by hand, and its interval on planted shares."""

import numpy as np
import pytest
from scipy import stats

from mechaware.core.stats.intervals import Interval
from mechaware.instruments.radar.verdicts.share import SeenShare, ratio_of_rates, seen_share


def test_the_share_compares_the_large_p_values_with_those_of_unseen_items() -> None:
    # Five controls: t = 3/6, and 3 of 8 items exceed it. So 3 / 0.5 = 6 items were unseen, and 2 of
    # 8 were seen.
    with_five = seen_share([1 / 6] * 4 + [3 / 6, 4 / 6, 5 / 6, 1], 5, confidence_level=0.95)
    assert (with_five.value, with_five.threshold) == pytest.approx((0.25, 0.5))

    # Four controls: t = 2/5, and 2 of 6 items exceed it. So 2 / 0.6 = 3.33 of 6 items were unseen.
    with_four = seen_share([0.2, 0.2, 0.4, 0.4, 0.6, 1.0], 4, confidence_level=0.95)
    assert (with_four.value, with_four.threshold) == pytest.approx((1 - 2 / 3.6, 0.4))


def test_the_share_is_0_if_more_items_seem_unseen_than_there_are() -> None:
    # Four controls: t = 2/5, and all 3 items exceed it. 3 / 0.6 = 5 is more than 3 items.
    share = seen_share([0.6, 0.8, 1.0], 4, confidence_level=0.95)
    assert (share.value, share.low, share.method) == (0.0, 0.0, "Storey")


def test_the_interval_of_a_ratio_follows_from_the_intervals_of_its_parts() -> None:
    """The equation of `ratio_of_rates` with a = 2, from 1 to 3, and b = 5, from 4 to 8.

    The lower end has x = 1 and y = 8, the upper end x = 3 and y = 4.
    """
    ratio = ratio_of_rates(2, Interval(1, 3), 5, Interval(4, 8))
    low = (10 - (100 - 1 * 8 * 3 * 2) ** 0.5) / (8 * 2)
    high = (10 + (100 - 3 * 4 * 1 * 6) ** 0.5) / (4 * 6)
    assert ratio == pytest.approx((low, high))


def estimates_and_probabilities(
    n_seen: int, n_unseen: int, n_control: int
) -> tuple[list[SeenShare], np.ndarray]:
    """The estimate for each number of unseen items above the threshold, and its probability.

    Seen items score above all controls. An unseen item has a p-value above the threshold with a
    probability that over draws of m controls is distributed as Beta(m + 1 - k, k), with
    k = floor((m + 1) / 2) (`seen_share`). So the number of unseen items above the threshold is
    beta-binomial.
    """
    k = (n_control + 1) // 2
    counts = range(n_unseen + 1)
    lowest_p = 1 / (n_control + 1)
    estimates = []
    for count in counts:
        p = [1.0] * count + [lowest_p] * (n_seen + n_unseen - count)
        estimates.append(seen_share(p, n_control, confidence_level=0.95))
    return estimates, stats.betabinom.pmf(counts, n_unseen, n_control + 1 - k, k)


@pytest.mark.parametrize(
    ("n_seen", "n_unseen", "n_control"), [(0, 16, 15), (6, 14, 15), (9, 9, 30)]
)
def test_the_interval_holds_a_planted_share_in_nineteen_of_twenty_draws(
    n_seen: int, n_unseen: int, n_control: int
) -> None:
    estimates, probability = estimates_and_probabilities(n_seen, n_unseen, n_control)
    share = n_seen / (n_seen + n_unseen)
    held = [estimate.low - 1e-9 <= share <= estimate.high + 1e-9 for estimate in estimates]
    assert probability[held].sum() > 0.95
    # Half of the 5% are for intervals above the share.
    too_high = [estimate.low > share + 1e-9 for estimate in estimates]
    assert probability[too_high].sum() < 0.025


@pytest.mark.parametrize(("n_seen", "n_unseen", "n_control"), [(6, 14, 15), (9, 9, 30)])
def test_the_mean_of_the_estimate_is_about_the_planted_share(
    n_seen: int, n_unseen: int, n_control: int
) -> None:
    estimates, probability = estimates_and_probabilities(n_seen, n_unseen, n_control)
    share = n_seen / (n_seen + n_unseen)
    mean = probability @ [estimate.value for estimate in estimates]
    # Negative estimates become 0, which raises the mean a little.
    assert mean == pytest.approx(share, abs=0.03)


def test_seen_items_with_ordinary_scores_make_the_estimate_too_low() -> None:
    """20 of 40 items were seen, but ten of these score like unseen items.

    Half of the p-values of items with ordinary scores are large. So 10 + 5 of 40 p-values exceed
    t = 0.5, and 15 / 0.5 = 30 items seem unseen: the estimate is 0.25, not 0.5.
    """
    n_control = 39
    unseen = [(row + 1) / 20 for row in range(20)]
    seen_but_ordinary = [(row + 1) / 10 for row in range(10)]
    seen = [1 / 40] * 10
    p = [*unseen, *seen_but_ordinary, *seen]
    share = seen_share(p, n_control, confidence_level=0.95)
    assert share.value == pytest.approx(0.25)
    assert share.low < 0.25 < share.high
