"""A statement's p-value is one minus the highest confidence level at which it still holds.

Most expected values follow from one number, the stretch: how many times as long the half of an
interval towards its bound may become until it touches the bound. Half of a 95% interval is 1.96
standard errors of a normal distribution, so p = 2 * (1 - Phi(1.96 * stretch)).
"""

import pytest

from exhibits.report.correction import corrected, p_of_statement, seeds_of
from exhibits.report.ledger import Test as LedgerTest

# p of a stretch of 1, 2 and 3: 2 * (1 - Phi(1.96)), 2 * (1 - Phi(3.92)) and 2 * (1 - Phi(5.88)).
P_OF_1 = 0.05
P_OF_2 = 8.9e-5
P_OF_3 = 4.1e-9


def ledger_test(
    value: float, low: float, high: float, *, bound: tuple[float, float] = (0.5, 0.5), n: int = 40
) -> LedgerTest:
    """A number and its interval, tested against a bound: twice one number, or an interval."""
    return LedgerTest(
        cell="t/a",
        value=value,
        low=low,
        high=high,
        bound_low=bound[0],
        bound_high=bound[1],
        bound="0.5",
        n=n,
    )


def p_value(outcome: str, *tests: LedgerTest, seeds: int | None = None) -> float | None:
    """The p-value of a statement whose intervals are of 95%, and for which 0.1 would matter."""
    return p_of_statement(outcome, tests, smallest_effect=0.1, seeds=seeds, confidence_level=0.95)


def test_an_interval_that_touches_its_bound_has_the_p_of_its_level() -> None:
    assert p_value("yes", ledger_test(0.6, 0.5, 0.7)) == pytest.approx(P_OF_1)
    assert p_value("reversed", ledger_test(0.4, 0.3, 0.5)) == pytest.approx(P_OF_1)
    # Intervals over seeds have the same level, whatever their distribution.
    assert p_value("yes", ledger_test(0.6, 0.5, 0.7), seeds=5) == pytest.approx(P_OF_1)


def test_an_interval_that_could_be_half_as_wide_again_has_a_smaller_p() -> None:
    """0.65 (0.55 to 0.75) above 0.5: its lower half, 0.1, may become 0.15, a stretch of 1.5.

    2 * (1 - Phi(1.5 * 1.96)) = 0.00328. Five seeds have the t distribution T with four degrees of
    freedom, whose 97.5% quantile is 2.776: 2 * (1 - T(1.5 * 2.776)) = 0.0141.
    """
    test = ledger_test(0.65, 0.55, 0.75)

    assert p_value("yes", test) == pytest.approx(0.00328, abs=2e-5)
    assert p_value("yes", test, seeds=5) == pytest.approx(0.0141, abs=1e-4)


def test_the_half_on_the_side_of_the_bound_decides() -> None:
    """0.65 (0.60 to 0.95) above 0.5, and its mirror image: a stretch of 0.15 / 0.05 = 3."""
    above = ledger_test(0.65, 0.60, 0.95)
    below = ledger_test(0.35, 0.05, 0.40)

    assert p_value("yes", above) == pytest.approx(P_OF_3, rel=0.01)
    assert p_value("reversed", below) == pytest.approx(P_OF_3, rel=0.01)


def test_both_intervals_of_a_comparison_grow() -> None:
    """0.8 (0.7 to 0.9) above 0.55 (0.45 to 0.65): a stretch of 0.25 / (0.1 + 0.1) = 1.25.

    2 * (1 - Phi(1.25 * 1.96)) = 0.0143.
    """
    test = ledger_test(0.8, 0.7, 0.9, bound=(0.45, 0.65))

    assert p_value("yes", test) == pytest.approx(0.0143, abs=1e-4)


def test_a_no_holds_until_the_smallest_effect_could_be_there() -> None:
    """0.53 (0.48 to 0.565) is 0.07 below 0.5 + 0.1: a stretch of 0.07 / 0.035 = 2."""
    assert p_value("no", ledger_test(0.53, 0.48, 0.565)) == pytest.approx(P_OF_2, rel=0.01)


def test_all_tests_must_hold_so_the_weakest_decides() -> None:
    strong = ledger_test(0.9, 0.85, 0.95)
    weak = ledger_test(0.6, 0.5, 0.7)

    assert p_value("yes", strong, weak) == pytest.approx(P_OF_1)


def test_a_count_of_papers_is_compared_by_its_share() -> None:
    """1 of 8 papers, with the interval of the share: 0.125 (0.0 to 0.3125) below 0.5.

    A stretch of 0.375 / 0.1875 = 2.
    """
    test = ledger_test(1, 0.0, 0.3125, n=8)

    assert p_value("reversed", test) == pytest.approx(P_OF_2, rel=0.01)


def test_an_undecided_statement_has_p_1_and_a_statement_without_error_has_no_p() -> None:
    assert p_value("undecided", ledger_test(0.6, 0.4, 0.8)) == 1
    assert p_value("yes", ledger_test(21, 21, 21, bound=(0, 0))) is None


def test_holms_correction_counts_the_statements_that_have_a_p() -> None:
    """Of 0.01, 0.03 and 1 the smallest is multiplied by three, and the next by two."""
    p_values = {"a": 0.03, "printed": None, "b": 0.01, "open": 1.0}
    expected = {"a": 0.06, "printed": None, "b": 0.03, "open": 1.0}

    assert corrected(p_values) == pytest.approx(expected)


def test_the_number_of_seeds_is_the_length_of_a_list_or_an_n() -> None:
    values = {
        "radar/seeds": {"value": [0, 1, 2, 7], "n": None},
        "contrast": {"value": 0.2, "n": 3},
    }

    assert seeds_of({"seeds": "radar/seeds"}, values) == 4
    assert seeds_of({"seeds": "contrast"}, values) == 3
    assert seeds_of({}, values) is None
