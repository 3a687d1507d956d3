"""Numbers as the tables show them."""

import pandas as pd
import pytest

from mechaware.report.tables import fixed, merge_alike, percent_interval, points, signed_interval


@pytest.mark.parametrize(
    ("value", "digits", "shown"),
    [(0.125, 2, "+0.13"), (-0.125, 2, "-0.13"), (-0.0003, 2, "0.00"), (0.0003, 2, "0.00"), (0.0, 1, "0.0")],
)
def test_halves_go_up_and_what_rounds_to_zero_has_no_sign(value: float, digits: int, shown: str) -> None:
    assert fixed(value, digits, sign="+") == shown
    assert fixed(value, digits) == shown.lstrip("+")


def test_an_interval_that_reaches_below_zero_does_not_look_positive() -> None:
    assert signed_interval(-0.0003, 0.02) == "0.00 to +0.02"


@pytest.mark.parametrize(
    ("difference", "shown"),
    [
        ((0.03, -0.01, 0.08), "+3.0 (-1.0 to +8.0)"),
        ((-0.05, -0.125, 0.025), "-5.0 (-12.5 to +2.5)"),
        ((0.0, 0.0, 0.0), "0.0"),  # all resamples agree: no interval to believe
        ((float("nan"), float("nan"), float("nan")), ""),
    ],
)
def test_differences_in_points(difference: tuple[float, float, float], shown: str) -> None:
    assert points(*difference) == shown


def test_an_interval_with_a_missing_end_is_empty() -> None:
    assert percent_interval(0.212, 0.863) == "21.2 to 86.3"
    assert percent_interval(float("nan"), 0.863) == percent_interval(float("nan"), float("nan")) == ""


def test_rows_that_differ_in_one_named_column_alone_are_joined() -> None:
    rows = [
        ("0", "0.5", "1"),
        ("0", "0.9", "2"),
        ("1", "0.5", "1"),
        ("1", "0.9", "2"),
        ("2", "0.5", "1"),
        ("2", "0.9", "1"),
    ]
    table = pd.DataFrame(rows, columns=["tau", "alpha", "outcome"])
    joined = merge_alike(table, ["tau", "alpha"])
    assert joined.to_numpy().tolist() == [["0, 1", "0.5", "1"], ["0, 1", "0.9", "2"], ["2", "0.5, 0.9", "1"]]
