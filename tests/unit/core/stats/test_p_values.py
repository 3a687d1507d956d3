"""P-values are those of hand counts, of scipy, or of all permutations."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, norm

from mechaware.core.stats.p_values import (
    holm,
    largest_statistic_p,
    mann_whitney_p,
    paired_permutation,
    permutation_p,
    sign_flip_above_zero,
)
from tests.unit.core.exact_tests import exact_p


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
