"""Effect sizes and correlations, and their intervals, have the values of hand computations."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from mechaware.core.stats.effects import bootstrap_cohens_d, bootstrap_rank_correlation, cohens_d


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
@pytest.mark.parametrize(
    ("first", "second"),
    [([1.0], [2.0, 3.0, 5.0]), ([2.0, 3.0, 5.0], [1.0]), ([1.0], [2.0])],
    ids=["first", "second", "both"],
)
def test_cohens_d_is_0_if_an_array_has_a_single_item(
    first: list[float], second: list[float]
) -> None:
    assert cohens_d(np.array(first), np.array(second)) == 0.0


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
