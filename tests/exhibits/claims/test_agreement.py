"""How far the tiers of papers agree with the expected tiers, against hand computations.

A tier is given by its rank, from 0 for Proposed to 4 for Validated.
"""

from itertools import product

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mechaware.instruments.claims.agreement import (
    _cohens_kappa,
    boundary_agreement,
    boundary_sensitivity,
    sign_test,
    tier_agreement,
)

# Table 3 of the source paper: the predicted and the expected tiers of its nine papers.
PREDICTED = [0, 1, 1, 2, 2, 2, 2, 3, 4]
EXPECTED = [0, 0, 1, 1, 1, 2, 2, 2, 4]


def test_the_agreement_in_table_3_is_as_computed_by_hand() -> None:
    agreement = tier_agreement(PREDICTED, EXPECTED, confidence_level=0.95)

    assert (agreement.n, agreement.exact, agreement.within_one) == (9, 5, 9)
    # Clopper-Pearson bounds of 5 of 9: at a share of 0.2120, five or more of nine papers are exact
    # with a probability of 2.5%; at a share of 0.8630, five or fewer are, also with 2.5%.
    assert (agreement.exact_low, agreement.exact_high) == pytest.approx((0.2120, 0.8630), abs=5e-5)
    # All nine are within one tier: the lower end is 0.025^(1/9).
    assert (agreement.within_one_low, agreement.within_one_high) == pytest.approx(
        (0.025 ** (1 / 9), 1.0)
    )

    # Papers in each tier, from Proposed to Validated:
    #
    #     predicted   1  2  4  1  1
    #     expected    2  3  3  0  1
    #
    # Of the 81 pairs of a predicted and an expected tier, 1*2 + 2*3 + 4*3 + 1*0 + 1*1 = 21 agree:
    # agreement is 5/9 observed, 21/81 by chance.
    assert agreement.kappa == pytest.approx((5 / 9 - 21 / 81) / (1 - 21 / 81))
    assert agreement.kappa == pytest.approx(0.4)
    # Weighted kappa is 1 - observed / chance, where both are mean distances between tiers, squared
    # for the quadratic kappa. Observed: four of nine papers are off by one tier, 4/9 = 36/81. By
    # chance 29, 21, 7 and 3 of the 81 pairs are off by 1, 2, 3 and 4 tiers, which sums to
    # 29 + 2*21 + 3*7 + 4*3 = 104 (linear) or 29 + 4*21 + 9*7 + 16*3 = 224 (quadratic).
    assert agreement.kappa_linear == pytest.approx(1 - 36 / 104)
    assert agreement.kappa_linear == pytest.approx(0.6538, abs=5e-5)
    assert agreement.kappa_quadratic == pytest.approx(1 - 36 / 224)
    assert agreement.kappa_quadratic == pytest.approx(0.8393, abs=5e-5)
    # Four errors up and none down: p = 2 / 2^4.
    assert (agreement.up, agreement.down, agreement.p) == (4, 0, 0.125)
    # The commonest expected tier has three papers.
    assert agreement.commonest == 3


def test_errors_count_by_their_size_in_either_direction() -> None:
    """Predicted minus expected is -3, -1, 0, +1, +2, +1 and +3: two too low, four too high."""
    predicted = [0, 1, 2, 2, 3, 1, 4]
    expected = [3, 2, 2, 1, 1, 0, 1]

    agreement = tier_agreement(predicted, expected, confidence_level=0.95)

    assert (agreement.n, agreement.exact, agreement.within_one) == (7, 1, 4)
    # One of seven is exact: the lower end x solves 1 - (1 - x)^7 = 0.025.
    assert agreement.exact_low == pytest.approx(1 - 0.975 ** (1 / 7))
    # Of the 64 outcomes of six fair signs, 1 + 6 + 15 = 22 have at most two minus signs, and 22
    # have at most two plus signs.
    assert (agreement.up, agreement.down, agreement.p) == (4, 2, pytest.approx(44 / 64))
    # Tier 1 is expected of three papers, tier 2 of two, tiers 0 and 3 of one each.
    assert agreement.commonest == 3


@pytest.mark.parametrize(("weights", "power"), [(None, None), ("linear", 1), ("quadratic", 2)])
@given(pairs=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=12))
def test_kappa_is_one_minus_observed_over_chance_disagreement(
    weights: str | None, power: int | None, pairs: list[tuple[int, int]]
) -> None:
    """Kappa of two lists of tiers, first and second.

    Tiers a and b disagree by |a - b|^power, or without weights by 1 if they differ. The observed
    disagreement is the mean over the entries with the same index, the disagreement by chance the
    mean over all pairs of an entry of the first list and an entry of the second.
    """
    first = [a for a, _ in pairs]
    second = [b for _, b in pairs]

    def disagreement(a: int, b: int) -> float:
        if power is None:
            return float(a != b)
        return float(abs(a - b) ** power)

    observed = sum(disagreement(a, b) for a, b in pairs) / len(pairs)
    chance = sum(disagreement(a, b) for a, b in product(first, second)) / len(pairs) ** 2
    kappa = _cohens_kappa(first, second, weights)  # type: ignore[arg-type]
    if chance == 0:
        assert kappa is None
    else:
        assert kappa == pytest.approx(1 - observed / chance)


def test_without_papers_counts_are_0_and_all_else_is_undefined() -> None:
    agreement = tier_agreement([], [], confidence_level=0.95)

    counts = ("n", "exact", "within_one", "up", "down", "commonest")
    assert [getattr(agreement, name) for name in counts] == [0] * 6

    undefined = set(agreement._fields) - set(counts)
    assert [getattr(agreement, name) for name in undefined] == [None] * 8


@pytest.mark.parametrize(
    ("up", "down", "p"),
    [
        (4, 0, 2 / 16),
        (0, 4, 2 / 16),
        # Of 64 outcomes 1 + 6 are in each tail.
        (5, 1, 14 / 64),
        (1, 1, 1.0),
        (0, 0, None),
    ],
)
def test_the_sign_test_counts_both_tails(up: int, down: int, p: float | None) -> None:
    assert sign_test(up, down) == pytest.approx(p)


def test_a_moved_boundary_changes_the_papers_between_its_old_and_its_new_value() -> None:
    """The boundaries 2, 4, 6 and 8 move by 0.5, one at a time.

    Before, the tiers of the scores are 0, 1, 2 and 4: papers 0 and 3 are exact. A score at a
    boundary belongs to the upper tier: the score 3.5 rises when the boundary 4.0 moves to 3.5.
    """
    scores = [1.4, 3.5, 4.4, 8.3]
    expected = [0, 2, 1, 4]

    shifts = boundary_sensitivity(scores, expected, shift=0.5, confidence_level=0.95)

    # By boundary and its new value: the indices of the papers whose tier changes, and how many
    # papers are exact then.
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


def test_shared_papers_are_in_every_list_and_a_list_compares_its_own_papers_by_its_own_tiers() -> (
    None
):
    """Only b and c are in both lists. The tiers by score are a 0, b 1, c 2 and d 4.

    The label of each paper is its tier, so all are exact. The first list has a 0, b 1 and c 4, of
    which two are exact; the second has b 0, c 2 and d 1, of which one is.
    """
    names = ["Proposed", "Causally Suggestive", "Mechanistically Supported", "Validated"]
    proposed, suggestive, supported, validated = names
    reported = pd.DataFrame(
        {
            "paper": ["a", "b", "c", "d"],
            "cvs": [0.8, 3.3, 5.6, 8.3],
            "expected_tier": names,
            "label_source": "Expert",
        }
    )
    listed = [
        ("first", "a", proposed),
        ("first", "b", suggestive),
        ("first", "c", validated),
        ("second", "b", proposed),
        ("second", "c", supported),
        ("second", "d", suggestive),
    ]
    references = pd.DataFrame(listed, columns=["reference", "paper", "tier"])
    no_papers = pd.DataFrame({"judge": [], "status": [], "expected_tier": []}, dtype=str)

    table = boundary_agreement(
        reported, no_papers, [], references, shift=0.5, confidence_level=0.95
    )

    unmoved = table[table["moved_to"].isna()].set_index("labels")
    assert unmoved["n"].to_dict() == {"all": 4, "shared": 2, "first": 3, "second": 3}
    assert unmoved["exact"].to_dict() == {"all": 4, "shared": 2, "first": 2, "second": 1}
