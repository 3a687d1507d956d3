"""Agreement, direction of errors, leaks and boundaries, against hand computations and published examples."""

from math import sqrt

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mechaware.claims.study.agreement import (
    Metric,
    _cohens_kappa,
    _krippendorff_alpha,
    boundary_sensitivity,
    criterion_agreement,
    leak_rate,
    sign_test,
    spread,
    tier_agreement,
)

# Table 3: predicted and expected tiers by place, 0 for Proposed to 4 for Validated.
PREDICTED, EXPECTED = [0, 1, 1, 2, 2, 2, 2, 3, 4], [0, 0, 1, 1, 1, 2, 2, 2, 4]
X = np.nan
# Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011): four observers, twelve units, with gaps.
FOUR_OBSERVERS = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, X, X, X],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, X, 3],
        [X, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, X],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, X],
    ]
)


def rows(*judged: tuple[str, str | None, str], leak: tuple[bool, ...] = ()) -> pd.DataFrame:
    """Judged criteria: paper, status, truth."""
    table = pd.DataFrame(list(judged), columns=["paper", "status", "truth"])
    return table.assign(leak=list(leak) or [False] * len(table))


def test_table_3_gives_the_golden_numbers() -> None:
    found = tier_agreement(PREDICTED, EXPECTED, level=0.95)
    assert (found.n, found.exact, found.within_one) == (9, 5, 9)
    assert (found.exact_low, found.exact_high) == pytest.approx((0.2120, 0.8630), abs=5e-5)
    # All of nine: the lower end is 0.025^(1/9).
    assert (found.within_one_low, found.within_one_high) == pytest.approx((0.025 ** (1 / 9), 1.0))
    # By hand: observed 5/9; chance is 21/81 of exact agreement: 1*2 + 2*3 + 4*3 + 1*0 + 1*1 pairs of places.
    assert found.kappa == pytest.approx((5 / 9 - 21 / 81) / (1 - 21 / 81))
    assert found.kappa == pytest.approx(0.4)
    assert found.kappa_linear == pytest.approx(0.6538, abs=5e-5)
    assert found.kappa_quadratic == pytest.approx(0.8393, abs=5e-5)
    assert (found.up, found.down, found.p) == (4, 0, 0.125)


@pytest.mark.parametrize(("weights", "power"), [(None, 0), ("linear", 1), ("quadratic", 2)])
@given(pairs=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=12))
def test_kappa_is_one_minus_observed_over_chance_disagreement(
    weights: str | None, power: int, pairs: list[tuple[int, int]]
) -> None:
    first, second = map(list, zip(*pairs, strict=True))

    def cost(a: int, b: int) -> float:
        return float(a != b) if power == 0 else float(abs(a - b) ** power)

    observed = sum(cost(a, b) for a, b in pairs) / len(pairs)
    chance = sum(cost(a, b) for a in first for b in second) / len(pairs) ** 2
    kappa = _cohens_kappa(first, second, weights)  # type: ignore[arg-type]
    if chance == 0:
        assert kappa is None
    else:
        assert kappa == pytest.approx(1 - observed / chance)


def test_without_papers_nothing_is_claimed() -> None:
    found = tier_agreement([], [], level=0.95)
    assert (found.n, found.exact, found.within_one, found.up, found.down) == (0, 0, 0, 0, 0)
    undefined = (found.exact_low, found.within_one_high, found.kappa, found.kappa_quadratic, found.alpha, found.p)
    assert undefined == (None,) * 6


def test_an_error_of_two_tiers_is_not_within_one() -> None:
    found = tier_agreement([0, 3, 2, 4], [2, 2, 2, 1], level=0.95)  # off by -2, +1, 0, +3
    assert (found.exact, found.within_one, found.up, found.down) == (1, 2, 2, 1)


@pytest.mark.parametrize(
    ("up", "down", "p"), [(4, 0, 2 / 16), (0, 4, 2 / 16), (5, 1, 14 / 64), (1, 1, 1.0), (0, 0, None)]
)
def test_the_sign_test_counts_both_tails(up: int, down: int, p: float | None) -> None:
    # 5 against 1 of 6: (1 + 6) of the 64 in each tail.
    assert sign_test(up, down) == pytest.approx(p)


@pytest.mark.parametrize(("metric", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_is_that_of_krippendorffs_example(metric: Metric, alpha: float) -> None:
    assert _krippendorff_alpha(FOUR_OBSERVERS, metric) == pytest.approx(alpha, abs=5e-4)


def test_alpha_by_hand() -> None:
    # Units (1, 1), (1, 2), (2, 2), (1, alone): ones 3, twos 3 among the pairable, 6 values. Coincidences 1-2: 2 of 6
    # pairs; chance: 2 * 3 * 3 / (6 - 1) = 3.6. Alpha = 1 - 2 / 3.6; with two values every metric says the same.
    ratings = np.array([[1, 1, 2, 1], [1, 2, 2, X]])
    for metric in ("nominal", "ordinal", "interval"):
        assert _krippendorff_alpha(ratings, metric) == pytest.approx(1 - 2 / 3.6)


def test_alpha_is_undefined_where_all_ratings_are_alike_or_alone() -> None:
    assert _krippendorff_alpha(np.ones((2, 3)), "ordinal") is None
    assert _krippendorff_alpha(np.array([[1.0, X], [X, 2.0]]), "ordinal") is None
    assert _krippendorff_alpha(np.full((2, 2), X), "nominal") is None


def test_criteria_are_compared_on_the_scale_0_half_1() -> None:
    # Errors +1, -0.5, 0, +0.5 of four scored, one unscored.
    judged = rows(
        ("a", "YES", "NO"), ("a", "NO", "PARTIAL"), ("b", "YES", "YES"), ("b", "PARTIAL", "NO"), ("b", None, "YES")
    )
    found = criterion_agreement(judged, level=0.95)
    assert (found.n, found.unscored) == (4, pytest.approx(1 / 5))
    assert (found.exact, found.mae, found.bias) == pytest.approx((1 / 4, 2 / 4, 1 / 4))


def test_intervals_are_over_whole_papers_and_need_six() -> None:
    # Every paper has bias 0 inside: over papers the bias never moves; over rows it would.
    judged = rows(*(row for paper in "abcdef" for row in ((paper, "YES", "NO"), (paper, "NO", "YES"))))
    found = criterion_agreement(judged, level=0.95)
    assert (found.bias_low, found.bias_high) == (0, 0)
    # Three papers of bias 1 and three of 0: an error of sqrt(6 / 5 * 6 / 12^2) and 5 degrees of freedom.
    half = rows(*((paper, "YES", "NO") for paper in "abc"), *((paper, "NO", "NO") for paper in "def"))
    found = criterion_agreement(half, level=0.95)
    reach = 2.570582 * 0.05**0.5
    assert (found.bias_low, found.bias_high) == pytest.approx((0.5 - reach, 0.5 + reach), abs=1e-5)
    few = criterion_agreement(rows(("a", "YES", "NO"), ("b", "NO", "NO")), level=0.95)
    assert (few.bias, few.bias_low, few.exact_high, few.over_no_low) == (0.5, None, None, None)


def test_unscored_criteria_agree_with_nothing() -> None:
    found = criterion_agreement(rows(("a", None, "NO"), ("a", None, "NO")), level=0.95)
    assert (found.n, found.unscored, found.exact, found.mae, found.bias) == (0, 1.0, None, None, None)
    assert criterion_agreement(rows(), level=0.95).unscored is None


def test_only_scored_planted_leaks_count_and_partial_is_a_leak() -> None:
    judged = [("a", status, "NO") for status in ("YES", "PARTIAL", "NO", None, "YES")]
    found = leak_rate(rows(*judged, leak=(True, True, True, True, False)), level=0.95)
    assert (found.leaks, found.leaked, found.rate) == (3, 2, pytest.approx(2 / 3))
    assert found.low is not None
    assert found.low < 2 / 3
    # None of two: the upper end is 1 - 0.025^(1/2).
    none = leak_rate(rows(("a", "NO", "NO"), ("a", "NO", "NO"), leak=(True, True)), level=0.95)
    assert (none.rate, none.low, none.high) == pytest.approx((0, 0, 1 - sqrt(0.025)))
    assert leak_rate(rows(("a", "YES", "NO")), level=0.95).rate is None


def test_spread_is_range_and_sample_deviation() -> None:
    # 1, 2, 6: mean 3, squares 4 + 1 + 9 = 14 over 2.
    assert spread([2.0, 1.0, 6.0]) == (3, 5.0, pytest.approx(sqrt(7)))
    assert spread([4.0]) == (1, None, None)


def test_a_moved_boundary_changes_the_papers_between_its_two_places() -> None:
    # A score at a boundary belongs to the upper tier: 3.5 rises once 4.0 moves to 3.5.
    scores, expected = [1.4, 3.5, 4.4, 8.3], [0, 2, 1, 4]
    moved = {
        (one.boundary, one.moved_to): (one.changed, one.after.exact)
        for one in boundary_sensitivity(scores, expected, shift=0.5, level=0.95)
    }
    assert moved == {
        (2.0, 1.5): ([], 2),
        (2.0, 2.5): ([], 2),
        (4.0, 3.5): ([1], 3),
        (4.0, 4.5): ([2], 3),
        (6.0, 5.5): ([], 2),
        (6.0, 6.5): ([], 2),
        (8.0, 7.5): ([], 2),
        (8.0, 8.5): ([3], 1),
    }
