"""A statement's p-value is one minus the highest confidence level at which it still holds."""

import pytest

from exhibits.report.correction import corrected, p_of_statement, seeds_of
from exhibits.report.ledger import Test as LedgerTest

# 1.96 standard errors of a normal distribution are the half of a 95% interval.
NORMAL_QUANTILE = 1.959964


def a_test(
    value: float, low: float, high: float, bound: tuple[float, float] = (0.5, 0.5), n: int = 40
) -> LedgerTest:
    return LedgerTest("t/a", value, low, high, *bound, "0.5", n)


def p(outcome: str, *tests: LedgerTest, seeds: int | None = None) -> float | None:
    return p_of_statement(outcome, tests, 0.1, seeds, 0.95)


def test_an_interval_that_touches_its_bound_has_the_p_of_its_level() -> None:
    assert p("yes", a_test(0.6, 0.5, 0.7)) == pytest.approx(0.05)
    assert p("reversed", a_test(0.4, 0.3, 0.5)) == pytest.approx(0.05)
    assert p("yes", a_test(0.6, 0.5, 0.7), seeds=5) == pytest.approx(0.05)


def test_an_interval_that_could_be_half_as_wide_again_has_a_smaller_one() -> None:
    """0.65 (0.55 to 0.75): its lower half, 0.1, may be 1.5 times as long. 2 * (1 - Phi(2.94)) = 0.00328; of the t
    distribution with four degrees of freedom, whose 97.5% quantile is 2.776, 2 * (1 - T(4.165)) = 0.0141."""
    test = a_test(0.65, 0.55, 0.75)
    assert p("yes", test) == pytest.approx(0.00328, abs=2e-5)
    assert p("yes", test, seeds=5) == pytest.approx(0.0141, abs=1e-4)


def test_the_half_on_the_side_of_the_bound_decides() -> None:
    """0.65 (0.60 to 0.95): 0.15 / 0.05 = 3 times."""
    assert p("yes", a_test(0.65, 0.60, 0.95)) == pytest.approx(4.1e-9, rel=0.01)
    assert p("reversed", a_test(0.35, 0.05, 0.40)) == pytest.approx(4.1e-9, rel=0.01)


def test_both_intervals_of_a_comparison_grow() -> None:
    """0.8 (0.7 to 0.9) above 0.55 (0.45 to 0.65): 0.25 / (0.1 + 0.1) = 1.25 times; 2 * (1 - Phi(2.45)) = 0.0143."""
    assert p("yes", a_test(0.8, 0.7, 0.9, bound=(0.45, 0.65))) == pytest.approx(0.0143, abs=1e-4)


def test_a_no_holds_until_the_smallest_effect_could_be_there() -> None:
    """0.53 (0.48 to 0.565), an effect of 0.1 matters: 0.07 / 0.035 = 2 times; 2 * (1 - Phi(3.92)) = 8.9e-5."""
    assert p("no", a_test(0.53, 0.48, 0.565)) == pytest.approx(8.9e-5, rel=0.01)


def test_all_tests_must_hold_so_the_weakest_decides() -> None:
    strong = a_test(0.9, 0.85, 0.95)
    weak = a_test(0.6, 0.5, 0.7)

    assert p("yes", strong, weak) == pytest.approx(0.05)


def test_a_count_of_papers_is_compared_by_its_share() -> None:
    """1 of 8 papers, whose interval is of the share: 0.125 (0.0 to 0.3125), 0.375 / 0.1875 = 2 times."""
    test = LedgerTest("t/a", 1, 0.0, 0.3125, 0.5, 0.5, "0.5", 8)
    assert p("reversed", test) == pytest.approx(8.9e-5, rel=0.01)


def test_an_undecided_statement_is_counted_and_one_without_error_is_not() -> None:
    assert p("undecided", a_test(0.6, 0.4, 0.8)) == 1
    assert p("yes", a_test(21, 21, 21, bound=(0, 0))) is None


def test_the_correction_is_holms_over_those_that_rest_on_data() -> None:
    """Of 0.01, 0.03 and 1 the smallest counts three times and the next twice."""
    p_values = {"a": 0.03, "printed": None, "b": 0.01, "open": 1.0}
    expected = {"a": 0.06, "printed": None, "b": 0.03, "open": 1.0}

    assert corrected(p_values) == pytest.approx(expected)


def test_the_number_of_seeds_is_that_of_a_list_or_an_n() -> None:
    values = {
        "radar/seeds": {"value": [0, 1, 2, 7], "n": None},
        "contrast": {"value": 0.2, "n": 3},
    }

    assert seeds_of({"seeds": "radar/seeds"}, values) == 4
    assert seeds_of({"seeds": "contrast"}, values) == 3
    assert seeds_of({}, values) is None
