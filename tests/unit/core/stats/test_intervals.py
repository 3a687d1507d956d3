"""Confidence intervals have the bounds of published examples, hand computations or scipy."""

import numpy as np
import pytest
from scipy.special import betainc
from scipy.stats import bootstrap, ttest_1samp

from mechaware.core.stats.intervals import (
    bootstrap_mean,
    clopper_pearson,
    crossed_interval,
    jackknife_over_groups,
    mean_interval,
    mean_over_groups,
    proportion_over_groups,
)


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        (5, 9, 0.2120, 0.8630),  # the agreement that a Table 3 of nine papers implies
        (9, 9, 0.6637, 1.0),
        (0, 6, 0.0, 1 - 0.025 ** (1 / 6)),  # closed form where nothing succeeds
    ],
)
def test_clopper_pearson_gives_the_exact_interval(
    successes: int, trials: int, low: float, high: float
) -> None:
    interval = clopper_pearson(successes, trials)
    assert interval.low == pytest.approx(low, abs=5e-5)
    assert interval.high == pytest.approx(high, abs=5e-5)


def test_the_interval_of_a_mean_is_the_one_sample_t_interval() -> None:
    """By hand at 95%: squared deviations 0.0168, t(2) = 4.302653; at 90% as SciPy has it."""
    values = np.array([0.8, 0.92, 0.98])
    reach = 4.302653 * (0.0168 / 2 / 3) ** 0.5
    assert mean_interval(values) == pytest.approx((0.9 - reach, 0.9 + reach))
    independent = ttest_1samp(values, 0).confidence_interval(0.9)
    assert mean_interval(values, 0.9) == pytest.approx((independent.low, independent.high))


def test_a_mean_over_groups_of_unequal_sizes_by_hand() -> None:
    """Two hits of two items in the first group, one of one in four others, none of one in the last:
    the mean is 6/7.

    Residuals (hits - 6/7 items) / 7 are 2/49, four times 1/49 and -6/49, whose squares sum to
    44 / 49^2. The 0.975 quantile of t with 5 degrees of freedom is 2.570582.
    """
    hits = np.array([True, True, True, True, True, True, False])
    reach = 2.570582 * (6 / 5 * 44) ** 0.5 / 49
    assert mean_over_groups(hits, "aabcdef") == pytest.approx((6 / 7 - reach, 6 / 7 + reach))
    assert mean_over_groups(hits, "aabcdee") is None  # five groups


def test_bootstrap_of_single_items_agrees_with_scipy() -> None:
    values = np.random.default_rng(1).random(60)
    single_items = map(str, range(60))

    ours = bootstrap_mean(values, single_items, resamples=20_000, seed=2)

    scipys = bootstrap((values,), np.mean, n_resamples=20_000, method="percentile", rng=3)
    theirs = scipys.confidence_interval
    assert ours.low == pytest.approx(theirs.low, abs=0.003)
    assert ours.high == pytest.approx(theirs.high, abs=0.003)


def test_bootstrap_draws_pairs_whole() -> None:
    # Every pair holds one right and one wrong answer: whatever pairs are drawn, half of the answers
    # are right. Drawn one by one, the same answers have an interval with a width.
    right = np.array([True, False] * 10)
    pairs = [str(i // 2) for i in range(20)]
    assert bootstrap_mean(right, pairs, resamples=500, seed=0) == (0.5, 0.5)

    single = bootstrap_mean(right, map(str, range(20)), resamples=500, seed=0)
    assert single.low < 0.4 < 0.6 < single.high


def test_the_mean_of_a_bootstrap_draw_is_over_the_items_of_its_groups() -> None:
    # Of the groups {1} and {0, 0, 0}, a quarter of the draws takes the second twice (mean 0), half
    # take one of each (four items, mean 1/4), and a quarter takes the first twice (mean 1). The
    # quantiles 0.3 and 0.7 are both in the middle half.
    values = np.array([1.0, 0, 0, 0])
    interval = bootstrap_mean(values, "abbb", resamples=500, seed=0, confidence_level=0.4)
    assert interval == (0.25, 0.25)


def test_the_crossed_interval_of_two_items_and_two_replicates_by_hand() -> None:
    # The items have the means 1 and 1/2, the replicates 1/2 and 1; the mean is 3/4. The variance of
    # the mean over items is (1/8) / 2, over replicates the same. t(0.975, 1) = 12.7062.
    half_width = 12.7062 * (1 / 16 + 1 / 16) ** 0.5
    interval = crossed_interval(np.array([[1.0, 1.0], [0.0, 1.0]]))
    assert interval == pytest.approx((0.75 - half_width, 0.75 + half_width))


def test_the_crossed_interval_at_another_level_by_hand() -> None:
    # The items have the means 3, 2 and 1, the replicates 1, 2 and 3; the mean is 2. The variance of
    # the mean over items is 1 / 3, over replicates the same. t(0.75, 2) = 0.816497.
    half_width = 0.816497 * (1 / 3 + 1 / 3) ** 0.5
    values = np.array([[2.0, 3.0, 4.0], [1.0, 2.0, 3.0], [0.0, 1.0, 2.0]])
    interval = crossed_interval(values, confidence_level=0.5)
    assert interval == pytest.approx((2 - half_width, 2 + half_width))


def test_the_crossed_interval_of_items_of_unequal_sizes_by_hand() -> None:
    # Two items of the sizes 2 and 3. The replicates have 3 and 5 of 5, the ratios 3/5 and 1, whose
    # mean is 4/5. The items have 2 and 2 on average, where 4/5 of their sizes are 1.6 and 2.4:
    # their residuals are (2 - 1.6) / 5 = 0.08 and (2 - 2.4) / 5 = -0.08.
    sums = np.array([[2.0, 2.0], [1.0, 3.0]])
    sizes = np.array([2.0, 3.0])
    variance_over_items = 2 / (2 - 1) * (0.08**2 + 0.08**2)
    variance_over_replicates = (0.2**2 + 0.2**2) / (2 - 1) / 2
    half_width = 12.7062 * (variance_over_items + variance_over_replicates) ** 0.5
    interval = crossed_interval(sums, sizes)
    assert interval == pytest.approx((0.8 - half_width, 0.8 + half_width))


def test_the_crossed_interval_of_equal_values_has_no_width() -> None:
    assert crossed_interval(np.full((5, 3), 0.25)) == (0.25, 0.25)


def test_the_crossed_interval_of_one_replicate_is_the_t_interval_over_items() -> None:
    values = np.random.default_rng(1).random(60)
    interval = crossed_interval(values[:, None], confidence_level=0.9)
    theirs = ttest_1samp(values, 0).confidence_interval(0.9)
    assert interval == pytest.approx((theirs.low, theirs.high))


@pytest.mark.parametrize(
    "seed_variance",
    [
        pytest.param(0.0, id="seeds do not differ"),
        pytest.param(0.02, id="a seed varies as much as the mean of 50 items"),
        pytest.param(1.0, id="seeds differ as much as single items"),
    ],
)
def test_the_crossed_interval_covers_the_mean_with_three_replicates(seed_variance: float) -> None:
    # 2,000 designs with a true mean of 0: 50 items of variance 1, three seeds of the variance
    # `seed_variance`, and residuals of variance 0.25. The share that covers 0 has a standard error
    # of half a point.
    generator = np.random.default_rng(4)
    covered = 0
    for _ in range(2000):
        seed_effects = generator.normal(0, seed_variance**0.5, 3)
        item_effects = generator.normal(0, 1, (50, 1))
        values = item_effects + seed_effects + generator.normal(0, 0.5, (50, 3))
        low, high = crossed_interval(values)
        covered += low <= 0 <= high
    assert 0.94 <= covered / 2000 <= 0.99


def test_the_jackknife_of_a_mean_by_hand() -> None:
    # Six items, each a group of its own: the interval is that of a mean. The mean of the values is
    # 10.5, the sum of squared deviations 1365 - 6 * 10.5^2 = 703.5, and t(0.975, 5) = 2.570582.
    values = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0])
    reach = 2.570582 * (703.5 / 5 / 6) ** 0.5

    interval = jackknife_over_groups(lambda kept: float(values[kept].mean()), "fabdce")

    assert interval == pytest.approx((10.5 - reach, 10.5 + reach))


def test_a_statistic_that_is_not_defined_without_a_group_has_no_jackknife_interval() -> None:
    values = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 3.0])

    def share_of_the_last(kept: np.ndarray) -> float:
        total = values[kept].sum()
        return float(values[-1] * kept[-1] / total) if total > 0 else float("nan")

    assert jackknife_over_groups(share_of_the_last, "abcdefgg") is None
    assert jackknife_over_groups(share_of_the_last, "abcdefgh") is not None


def test_a_proportion_over_groups_has_the_interval_of_its_effective_number() -> None:
    # Ten groups of one item, three hits: V = 0.3 * 0.7 / 9, so that the items count as 9 and the
    # hits as 2.7.
    interval = proportion_over_groups(np.arange(10) < 3, "abcdefghij")
    assert interval is not None
    assert betainc(2.7, 7.3, interval.low) == pytest.approx(0.025)
    assert betainc(3.7, 6.3, interval.high) == pytest.approx(0.975)

    # Six groups of four with one hit each: no variance over groups, so that all items count, or as
    # many as are given.
    alike = np.tile([True, False, False, False], 6)
    groups = np.repeat(list("abcdef"), 4)
    assert proportion_over_groups(alike, groups) == pytest.approx(clopper_pearson(6, 24))
    assert proportion_over_groups(alike, groups, max_n=12) == pytest.approx(clopper_pearson(3, 12))

    # Five groups.
    assert proportion_over_groups(alike[:20], groups[:20]) is None


def test_items_of_groups_that_agree_within_themselves_count_as_fewer_than_their_groups() -> None:
    # All five items are hits in three of eight groups, and none in the others: V = p (1 - p) / 7,
    # so that 7 items would count. Korn and Graubard take fewer for so few groups: t(39) is less
    # than t(7).
    counted = 7 * (2.022691 / 2.364624) ** 2
    n_hits = 3 / 8 * counted
    n_others = 5 / 8 * counted

    hits = np.repeat(np.arange(8) < 3, 5)
    interval = proportion_over_groups(hits, np.repeat(list("abcdefgh"), 5))

    assert interval is not None
    assert betainc(n_hits, n_others + 1, interval.low) == pytest.approx(0.025, abs=1e-5)
    assert betainc(n_hits + 1, n_others, interval.high) == pytest.approx(0.975, abs=1e-5)


def test_a_proportion_of_none_ends_where_one_hit_in_the_largest_group_would_end() -> None:
    # One hit of 24, among the 9 items of the largest of six groups:
    # V = 6/5 * (0.625^2 + 5 * 0.125^2) / 24^2 explains more than 24 items, so that all count. In a
    # group of 3 items the hit would end at 0.31.
    groups = np.repeat(list("abcdef"), [3, 3, 3, 3, 3, 9])
    of_none = proportion_over_groups(np.zeros(24, bool), groups)
    of_all = proportion_over_groups(np.ones(24, bool), groups)
    assert of_none == pytest.approx((0, clopper_pearson(1, 24).high))
    assert of_all == pytest.approx((clopper_pearson(23, 24).low, 1))


@pytest.mark.parametrize(("group_size", "max_n"), [(1, None), (5, None), (5, 8)])
def test_a_proportion_of_none_or_all_is_no_less_certain_than_one_with_an_exception(
    group_size: int, max_n: int | None
) -> None:
    groups = np.repeat(list("abcdefgh"), group_size)
    n = 8 * group_size
    nothing = proportion_over_groups(np.zeros(n, bool), groups, max_n=max_n)
    single = proportion_over_groups(np.arange(n) == 0, groups, max_n=max_n)
    everything = proportion_over_groups(np.ones(n, bool), groups, max_n=max_n)
    assert nothing is not None
    assert single is not None
    assert nothing.low == 0
    assert nothing.high == pytest.approx(min(single.high, clopper_pearson(0, 8).high))
    assert everything == pytest.approx((1 - nothing.high, 1))


@pytest.mark.parametrize("share", [0.01, 0.2, 0.97])
def test_the_interval_of_a_proportion_over_groups_covers_it_if_items_of_a_group_correlate(
    share: float,
) -> None:
    generator = np.random.default_rng(5)
    groups = np.repeat(list("abcdefghijkl"), 8)
    covered = 0
    for _ in range(500):
        # An intraclass correlation of 0.1: a + b + 1 = 1 / 0.1.
        share_of_group = generator.beta(9 * share, 9 * (1 - share), 12).repeat(8)
        hits = generator.random(96) < share_of_group
        interval = proportion_over_groups(hits, groups)
        assert interval is not None
        covered += interval.low <= share <= interval.high
    assert covered / 500 >= 0.93
