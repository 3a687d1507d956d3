"""Agreement of tiers, direction of errors, references and boundaries, against hand computations."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exhibits.claims.values import tiers_alike
from mechaware.instruments.claims.agreement import (
    _cohens_kappa,
    boundary_sensitivity,
    sign_test,
    tier_agreement,
)

REPORTED = Path(__file__).resolve().parents[3] / "config/reported"
# Table 3: predicted and expected tiers by place, 0 for Proposed to 4 for Validated.
PREDICTED = [0, 1, 1, 2, 2, 2, 2, 3, 4]
EXPECTED = [0, 0, 1, 1, 1, 2, 2, 2, 4]


def test_table_3_gives_the_golden_numbers() -> None:
    found = tier_agreement(PREDICTED, EXPECTED, confidence_level=0.95)

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
    # The expected tiers are 2, 3, 3, 0 and 1 papers from Proposed to Validated.
    assert found.commonest == 3


def test_errors_count_by_their_size_in_either_direction() -> None:
    """Off by -3, -1, 0, +1, +2, +1 and +3: two too low, four too high."""
    predicted = [0, 1, 2, 2, 3, 1, 4]
    expected = [3, 2, 2, 1, 1, 0, 1]

    found = tier_agreement(predicted, expected, confidence_level=0.95)

    assert (found.n, found.exact, found.within_one) == (7, 1, 4)
    # Of seven papers none but one: 1 - (1 - x)^7 = 0.025 at the lower end.
    assert found.exact_low == pytest.approx(1 - 0.975 ** (1 / 7))
    # Of six signs 0, 1 or 2 are of one kind in 1 + 6 + 15 of 64 cases, and as many are of the other kind.
    assert (found.up, found.down, found.p) == (4, 2, pytest.approx(44 / 64))
    # 1 is expected of three papers, 2 of two, 3 and 0 of one.
    assert found.commonest == 3


@pytest.mark.parametrize(("weights", "power"), [(None, 0), ("linear", 1), ("quadratic", 2)])
@given(pairs=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=12))
def test_kappa_is_one_minus_observed_over_chance_disagreement(
    weights: str | None, power: int, pairs: list[tuple[int, int]]
) -> None:
    """Two lists of tiers; the disagreement by chance is that over all pairs of an entry of each list."""
    first = [a for a, _ in pairs]
    second = [b for _, b in pairs]

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
    found = tier_agreement([], [], confidence_level=0.95)
    assert (found.n, found.exact, found.within_one, found.up, found.down) == (0, 0, 0, 0, 0)
    assert found.commonest == 0

    undefined = (
        found.exact_low,
        found.within_one_high,
        found.kappa,
        found.kappa_quadratic,
        found.p,
    )

    assert undefined == (None,) * 5


@pytest.mark.parametrize(
    ("up", "down", "p"),
    [(4, 0, 2 / 16), (0, 4, 2 / 16), (5, 1, 14 / 64), (1, 1, 1.0), (0, 0, None)],
)
def test_the_sign_test_counts_both_tails(up: int, down: int, p: float | None) -> None:
    # 5 against 1 of 6: (1 + 6) of the 64 in each tail.
    assert sign_test(up, down) == pytest.approx(p)


def test_a_moved_boundary_changes_the_papers_between_its_two_places() -> None:
    # A score at a boundary belongs to the upper tier: 3.5 rises once 4.0 moves to 3.5.
    scores = [1.4, 3.5, 4.4, 8.3]
    expected = [0, 2, 1, 4]

    shifts = boundary_sensitivity(scores, expected, shift=0.5, confidence_level=0.95)

    # By boundary and its new place: the papers that change, and the number of exact ones after it.
    moved = {}
    for shift in shifts:
        moved[shift.boundary, shift.moved_to] = (shift.changed, shift.after.exact)
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


def test_no_paper_has_the_same_tier_in_all_lists() -> None:
    (alike,) = tiers_alike(
        REPORTED / "claims_papers.csv", REPORTED / "claims_references.csv", confidence_level=0.95
    ).values()
    # Successor Heads alone has one tier in the lists before the audits of August, which raise it.
    assert (alike["value"], alike["n"]) == (0, 7)
    # (1 - high)^7 = 0.025
    assert (alike["low"], alike["high"]) == pytest.approx((0, 0.40962), abs=1e-5)
