"""The share of items that were seen: Storey's estimate by hand, and its interval on planted shares."""

import numpy as np
import pytest
from scipy import stats

from mechaware.core.stats import Interval
from mechaware.instruments.radar.verdicts.share import SeenShare, ratio_of_shares, seen_share


def test_the_share_compares_the_large_p_values_with_those_of_unseen_items() -> None:
    """Five controls: t = 3/6, and 3 of 8 items exceed it. So 3 / 0.5 = 6 items were unseen, and 2 of 8 were seen.

    Four controls: t = 2/5, and 2 of 6 items exceed it. So 2 / 0.6 = 3.33 of 6 items were unseen.
    """
    of_five = seen_share([1 / 6] * 4 + [3 / 6, 4 / 6, 5 / 6, 1], 5, confidence_level=0.95)
    assert (of_five.value, of_five.threshold) == pytest.approx((0.25, 0.5))
    of_four = seen_share([0.2, 0.2, 0.4, 0.4, 0.6, 1.0], 4, confidence_level=0.95)
    assert (of_four.value, of_four.threshold) == pytest.approx((1 - 2 / 3.6, 0.4))
    none = seen_share([0.6, 0.8, 1.0], 4, confidence_level=0.95)
    assert (none.value, none.low, none.method) == (0.0, 0.0, "Storey")


def test_the_interval_of_a_ratio_follows_from_the_intervals_of_its_parts() -> None:
    """a = 2 (1 to 3), b = 5 (4 to 8): a b = 10.

    Lower: (10 - sqrt(100 - 1 * 8 * 3 * 2)) / (8 * 2). Upper: (10 + sqrt(100 - 3 * 4 * 1 * 6)) / (4
    * 6).
    """
    ratio = ratio_of_shares(2, Interval(1, 3), 5, Interval(4, 8))
    assert ratio == pytest.approx(((10 - 52**0.5) / 16, (10 + 28**0.5) / 24))


def separated(n_seen: int, n_unseen: int, n_control: int) -> tuple[list[SeenShare], np.ndarray]:
    """The estimate for each number of unseen items above the threshold, and the probability of that number.

    Seen items score above all controls. An unseen item has a p-value above the threshold with a
    probability that is Beta(m + 1 - k, k) over draws of m controls, k = floor((m + 1) / 2).
    """
    k = (n_control + 1) // 2
    counts = range(n_unseen + 1)
    lowest = 1 / (n_control + 1)
    estimates = []
    for count in counts:
        p = [1.0] * count + [lowest] * (n_seen + n_unseen - count)
        estimates.append(seen_share(p, n_control, confidence_level=0.95))
    return estimates, stats.betabinom.pmf(counts, n_unseen, n_control + 1 - k, k)


@pytest.mark.parametrize(
    ("n_seen", "n_unseen", "n_control"), [(0, 16, 15), (6, 14, 15), (9, 9, 30)]
)
def test_the_interval_holds_a_planted_share_in_nineteen_of_twenty_draws(
    n_seen: int, n_unseen: int, n_control: int
) -> None:
    estimates, probability = separated(n_seen, n_unseen, n_control)
    share = n_seen / (n_seen + n_unseen)
    held = [estimate.low - 1e-9 <= share <= estimate.high + 1e-9 for estimate in estimates]
    assert probability[held].sum() > 0.95
    too_high = [estimate.low > share + 1e-9 for estimate in estimates]
    assert probability[too_high].sum() < 0.035
    if n_seen:
        mean = probability @ [estimate.value for estimate in estimates]
        assert mean == pytest.approx(share, abs=0.03)  # it is cut off at 0


def test_seen_items_with_ordinary_scores_make_the_estimate_too_low() -> None:
    """20 of 40 items were seen. Ten of these score like unseen items, and half of their p-values are large.

    So 10 + 5 of 40 p-values exceed t = 0.5, and 30 items seem unseen: the estimate is 0.25, not
    0.5.
    """
    controls = 39
    uniform = [(row + 1) / 20 for row in range(20)]
    ordinary = [(row + 1) / 10 for row in range(10)]
    share = seen_share([*uniform, *ordinary, *[1 / 40] * 10], controls, confidence_level=0.95)
    assert share.value == pytest.approx(0.25)
    assert share.low < 0.25 < share.high
