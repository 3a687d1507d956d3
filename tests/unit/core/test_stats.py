"""Intervals and tests against published or hand-computed values."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betainc
from scipy.stats import binomtest, bootstrap, norm, spearmanr, ttest_1samp

from mechaware.core.stats import (
    area_under_roc,
    area_under_roc_interval,
    bootstrap_area_difference,
    bootstrap_area_under_roc,
    bootstrap_cohens_d,
    bootstrap_mean,
    bootstrap_rank_correlation,
    clopper_pearson,
    cohens_d,
    crossed_interval,
    holm,
    jackknife_over_groups,
    largest_statistic_p,
    mann_whitney_p,
    mean_interval,
    mean_over_groups,
    paired_permutation,
    permutation_p,
    proportion_over_groups,
    sign_flip_above_zero,
    true_positive_rate_at,
)
from tests.unit.core.exact_tests import exact_p

# Intervals of means and proportions


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
    # Two items of the sizes 2 and 3. The replicates have 3 and 5 of 5: ratios 3/5 and 1, ratio 4/5.
    # The items have 2 and 2 on average, where 4/5 of their sizes are 1.6 and 2.4: their residuals
    # are (2 - 1.6) / 5 = 0.08 and (2 - 2.4) / 5 = -0.08.
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


# Effect sizes and correlations


def test_cohens_d_divides_by_the_pooled_deviation() -> None:
    # Means 2 and 5; variances 1 and 8/3 with 3 and 4 items pool to (2 * 1 + 3 * 8/3) / 5 = 2.
    first = np.array([1.0, 2.0, 3.0])
    second = np.array([3.0, 5.0, 7.0, 5.0])
    assert cohens_d(first, second) == pytest.approx(-3 / np.sqrt(2))


@pytest.mark.parametrize("value", [1.0, 0.1])  # the mean of three times 0.1 is not 0.1
def test_cohens_d_is_0_if_neither_array_varies(value: float) -> None:
    assert cohens_d(np.full(3, value), np.full(4, value)) == 0.0
    assert cohens_d(np.full(3, value), np.full(4, 2 * value)) == 0.0


@pytest.mark.filterwarnings("ignore:Degrees of freedom", "ignore:invalid value")
def test_cohens_d_is_0_if_an_array_has_a_single_item() -> None:
    assert cohens_d(np.array([1.0]), np.array([2.0, 3.0, 5.0])) == 0.0


def test_the_interval_of_cohens_d_draws_groups_whole() -> None:
    """Each resample written out item by item."""
    values = np.random.default_rng(3).normal(size=12)
    in_first = np.array([True, False] * 6)
    groups = [f"g{item // 2}" for item in range(12)]
    resamples = 300
    drawn = np.random.default_rng(8).multinomial(6, np.full(6, 1 / 6), size=resamples)
    effects = []
    for times in drawn:
        items = []
        for group in range(6):
            items += [2 * group, 2 * group + 1] * times[group]
        drawn_values = values[items]
        is_first = in_first[items]
        effects.append(cohens_d(drawn_values[is_first], drawn_values[~is_first]))

    interval = bootstrap_cohens_d(
        values, in_first, groups, resamples=resamples, seed=8, confidence_level=0.9
    )
    assert interval == pytest.approx(np.quantile(effects, [0.05, 0.95]))


def test_resamples_without_two_items_of_a_class_have_no_cohens_d() -> None:
    values = np.array([1.0, 2.0, 4.0, 4.5, 7.0])
    in_first = np.array([True, True, False, False, False])
    resamples = 300
    effects = []
    for times in np.random.default_rng(8).multinomial(5, np.full(5, 1 / 5), size=resamples):
        items = np.repeat(np.arange(5), times)
        drawn_values = values[items]
        is_first = in_first[items]
        if 2 <= is_first.sum() <= 3:
            effects.append(cohens_d(drawn_values[is_first], drawn_values[~is_first]))
    assert 0 < len(effects) < resamples

    interval = bootstrap_cohens_d(
        values, in_first, "abcde", resamples=resamples, seed=8, confidence_level=0.9
    )
    assert interval == pytest.approx(np.quantile(effects, [0.05, 0.95]))
    assert bootstrap_cohens_d(np.ones(5), in_first, "abcde", resamples=200, seed=0) == (0, 0)


def test_the_bootstrap_of_a_rank_correlation_is_spearmans_of_each_draw_of_whole_pairs() -> None:
    first = np.random.default_rng(1).integers(0, 12, 60).astype(float)  # with ties, as lengths have
    second = -first + np.random.default_rng(2).normal(0, 4, 60)
    drawn = np.random.default_rng(3).integers(30, size=(100, 30))
    correlations = []
    for draw in drawn:
        items = np.concatenate([[2 * pair, 2 * pair + 1] for pair in draw])
        correlations.append(spearmanr(first[items], second[items]).statistic)
    pairs = [f"{item // 2:02d}" for item in range(60)]

    estimate = bootstrap_rank_correlation(
        first, second, pairs, resamples=100, seed=3, confidence_level=0.9
    )

    assert estimate.value == pytest.approx(spearmanr(first, second).statistic)
    assert estimate[1:] == pytest.approx(np.quantile(correlations, [0.05, 0.95]))

    of_a_constant = bootstrap_rank_correlation(first, np.ones(60), pairs, resamples=50, seed=0)
    assert np.isnan(of_a_constant.value)


# ROC curves


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
    """With 10 items on each side, the mean N of the sizes less one is 9, and so is each size less
    one in Hanley and McNeil's variance.
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


# P-values


@pytest.mark.parametrize(
    ("above", "below", "p"),
    [
        # There are 10 ways to choose two of the five values; only 5 and 4 have such high ranks.
        ([5.0, 4.0], [1.0, 2.0, 3.0], 1 / 10),
        # 5 and 4 have higher ranks than 5 and 3; no other pair has as high ones.
        ([5.0, 3.0], [1.0, 2.0, 4.0], 2 / 10),
        ([1.0, 2.0], [3.0, 4.0, 5.0], 1),
        # With ties: 1 and 2 have the ranks 1 and 2, and each 3 has the rank 4. The two values below
        # have the ranks 4 + 1 = 5. Of the 10 pairs of values, four sum to 5 or less: the 1 with
        # each of the three 3s (5), and the 1 with the 2 (3).
        ([3.0, 3.0, 2.0], [3.0, 1.0], 4 / 10),
    ],
)
def test_one_sided_p_of_ranks_by_hand(above: list[float], below: list[float], p: float) -> None:
    assert mann_whitney_p(np.array(above), np.array(below), seed=0) == pytest.approx(p)


def test_one_sided_p_of_over_40000_pairs_is_that_of_the_normal_approximation() -> None:
    above = np.arange(201) + 10.25
    below = np.arange(200.0)
    n_above = int((above[:, None] > below).sum())
    # The mean is 201 * 200 / 2 and the variance 201 * 200 * (201 + 200 + 1) / 12; half a pair is
    # taken off for continuity.
    z = (n_above - 0.5 - 20_100) / 1_346_700**0.5
    p = mann_whitney_p(above, below, seed=0)
    assert p == pytest.approx(norm.sf(z), rel=1e-9)


@pytest.mark.parametrize(
    ("difference", "p"),
    [
        ([1.0, 2.0, 3.0], 2 / 8),  # of 8 signings only +++ and --- reach 6
        ([-1.0, 2.0, 3.0], 4 / 8),  # |4| is reached by sums 6, 4, -4, -6
        ([0.0, 1.0, 2.0, 0.0, 3.0], 2 / 8),  # pairs without a difference count for nothing
        ([0.0] * 4, 1.0),
        ([0.0, -2.0, 0.0], 1.0),  # both signings are as far from 0
        ([1 / 3, 2 / 3, -1 / 3, -2 / 3], 1.0),  # the sum is 0, and no signing has a sum nearer to 0
        ([1.0] * 7 + [-1.0] * 2 + [0.0] * 30, binomtest(7, 9).pvalue),  # McNemar's test
    ],
)
def test_p_of_paired_differences_by_hand(difference: list[float], p: float) -> None:
    assert paired_permutation(np.array(difference), resamples=1000, seed=0) == pytest.approx(p)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-9, 9), min_size=2, max_size=8), st.sampled_from([1, 3, 10]))
def test_p_of_few_pairs_is_that_of_all_signings(tenths: list[int], divisor: int) -> None:
    # Divided by 3 or 10, sums that tie in whole numbers differ in their last bits.
    if sum(value != 0 for value in tenths) == 1 or sum(tenths) == 0:
        return  # see the cases by hand
    p = paired_permutation(np.array(tenths) / divisor, resamples=2**8, seed=0)
    assert p == pytest.approx(exact_p(tenths))


def test_p_of_many_pairs_is_drawn() -> None:
    # 30 pairs, 20 up and 10 down: McNemar's p is 0.0987. The drawn p is twice the share of one
    # tail, so that 2000 draws give it a standard error of 2 * sqrt(0.05 * 0.95 / 2000) = 0.01.
    difference = np.array([1.0] * 20 + [-1.0] * 10)
    p = paired_permutation(difference, resamples=2000, seed=1)
    assert p == pytest.approx(binomtest(10, 30).pvalue, abs=0.04)
    assert p == paired_permutation(difference, resamples=2000, seed=1)
    p_of_seeds = {paired_permutation(difference, resamples=2000, seed=seed) for seed in range(5)}
    assert len(p_of_seeds) > 1

    # None of 999 draws will reach the sum of 40 equal differences. The observed signs count as one
    # draw more: twice 1 / 1000.
    assert 0 < paired_permutation(np.ones(40), resamples=999, seed=0) <= 0.002 + 1e-12


def test_one_sided_sign_flips_count_the_sums_that_reach_the_observed_one() -> None:
    # Of the 8 signings of 1, 2, 3 only all-plus reaches 6; of -1, 2, 3 (sum 4) 1 + 2 + 3 and
    # -1 + 2 + 3 reach 4.
    assert sign_flip_above_zero(np.array([1.0, 2.0, 3.0]), resamples=8, seed=0) == 1 / 8
    assert sign_flip_above_zero(np.array([-1.0, 0.0, 2.0, 3.0]), resamples=8, seed=0) == 2 / 8
    assert sign_flip_above_zero(np.array([-1.0, -1.0]), resamples=8, seed=0) == 1.0
    assert sign_flip_above_zero(np.zeros(4), resamples=8, seed=0) == 1.0


@pytest.mark.parametrize(("plus", "minus"), [(7, 2), (2, 9)])
def test_one_sided_sign_flips_of_equal_differences_are_the_binomial_test(
    plus: int, minus: int
) -> None:
    difference = np.array([0.5] * plus + [-0.5] * minus)
    expected = binomtest(plus, plus + minus, alternative="greater").pvalue
    assert sign_flip_above_zero(difference, resamples=2**11, seed=0) == pytest.approx(expected)

    drawn = sign_flip_above_zero(difference, resamples=2**5, seed=0)
    assert drawn * 33 == pytest.approx(round(drawn * 33))  # (1 + reached) of 1 + 32
    assert abs(drawn - expected) < 0.3


def test_a_permutation_test_averages_the_p_values_of_the_seeds() -> None:
    # None of the three draws reaches 0.6: p = (1 + 0) / 4. The draws 0.5 and 0.55 reach 0.5:
    # p = (1 + 2) / 4.
    null = np.array([0.5, 0.55, 0.4])
    assert permutation_p(np.array([0.6]), null) == 1 / 4
    assert permutation_p(np.array([0.6, 0.5]), null) == (1 / 4 + 3 / 4) / 2
    # A file holds ten digits: 7/12 comes back a little smaller and still reaches 7/12.
    assert permutation_p(np.array([7 / 12]), np.array([0.5833333333])) == 1.0
    assert np.isnan(permutation_p(np.array([0.6]), np.array([])))


# P-values of several tests


def test_holms_correction_by_hand() -> None:
    # In rising order 0.01, 0.03, 0.04 times 3, 2, 1: 0.03, 0.06 and 0.04, which may not be less
    # than the one before it.
    assert holm(np.array([0.03, 0.01, 0.04])) == pytest.approx([0.06, 0.03, 0.06])
    assert holm(np.array([0.7, 0.2, 0.6])) == pytest.approx([1, 0.6, 1])


def test_p_values_that_hold_for_the_smallest_of_several_tests_by_hand() -> None:
    # Root mean squares over the four draws: sqrt(2.5) and sqrt(350). Scaled, the larger test of a
    # draw is 1.26 (the first test, observed), -1.26, 1.07 and 0. None but the observed draw reaches
    # 1.26; two reach the second test's 10 / sqrt(350) = 0.53.
    statistics = np.array([[2.0, -2.0, 1.0, -1.0], [10.0, -30.0, 20.0, 0.0]])
    assert largest_statistic_p(statistics).tolist() == [1 / 4, 2 / 4]


def test_the_observed_draw_counts_in_the_scale_of_each_of_several_tests() -> None:
    # Root mean squares over the four draws: sqrt(1.5) and 1. The second draw's 2 / 1 is above the
    # first test's 2 / sqrt(1.5) = 1.63. Over the other three draws they would be sqrt(2 / 3) and
    # sqrt(4 / 3): 1.73 would be below 2.45.
    statistics = np.array([[2.0, 1.0, -1.0, 0.0], [0.0, 2.0, 0.0, 0.0]])
    assert largest_statistic_p(statistics).tolist() == [2 / 4, 4 / 4]
