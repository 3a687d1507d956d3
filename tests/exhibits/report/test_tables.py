"""How tables show numbers, in which files a table is saved, and which of its rows are merged."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from exhibits.report.tables import (
    Table,
    fixed,
    merge_alike,
    p_value,
    percent_interval,
    points,
    save_table,
    signed_interval,
)

MISSING = float("nan")


@pytest.mark.parametrize(
    ("value", "digits", "shown"),
    [
        (0.125, 2, "+0.13"),
        (-0.125, 2, "-0.13"),
        (-0.0003, 2, "0.00"),
        (0.0003, 2, "0.00"),
        (0.0, 1, "0.0"),
    ],
)
def test_halves_go_away_from_zero_and_what_rounds_to_zero_has_no_sign(
    value: float, digits: int, shown: str
) -> None:
    assert fixed(value, digits, sign="+") == shown
    assert fixed(value, digits) == shown.lstrip("+")


@pytest.mark.parametrize(
    ("p", "shown"),
    [(0.0625, "0.063"), (0.00099, "<0.001"), (0.001, "0.001"), (1.0, "1.000"), (MISSING, "")],
)
def test_a_p_value_has_three_decimals_rounds_halves_up_and_has_a_floor(
    p: float, shown: str
) -> None:
    assert p_value(p) == shown


def test_an_interval_that_reaches_below_zero_does_not_look_positive() -> None:
    assert signed_interval(-0.0003, 0.02) == "0.00 to +0.02"


@pytest.mark.parametrize(
    ("difference", "low", "high", "shown"),
    [
        (0.03, -0.01, 0.08, "+3.0 (-1.0 to +8.0)"),
        (-0.05, -0.125, 0.025, "-5.0 (-12.5 to +2.5)"),
        # All resamples agree: an interval without width would hide the uncertainty.
        (0.0, 0.0, 0.0, "0.0"),
        (MISSING, MISSING, MISSING, ""),
    ],
)
def test_a_difference_is_shown_in_percentage_points(
    difference: float, low: float, high: float, shown: str
) -> None:
    assert points(difference, low, high) == shown


def test_an_interval_of_fractions_is_shown_in_percent() -> None:
    assert percent_interval(0.212, 0.863) == "21.2 to 86.3"


@pytest.mark.parametrize("show", [percent_interval, signed_interval])
@pytest.mark.parametrize(
    ("low", "high"),
    [(MISSING, 0.863), (0.212, MISSING), (MISSING, MISSING)],
)
def test_an_interval_with_a_missing_end_is_empty(
    show: Callable[[float, float], str], low: float, high: float
) -> None:
    assert show(low, high) == ""


def test_a_table_is_saved_as_numbers_as_cells_and_as_a_tabular(tmp_path: Path) -> None:
    """A column of the tabular is aligned right if all of its cells are numbers or empty."""
    numbers = pd.DataFrame({"share": [0.5, None]})
    shown = pd.DataFrame(
        {"rule": ["G1", "2"], "share": ["0.5 (0.1 to 0.9)", ""], "lead": ["-0.1", "+3"]}
    )
    csv = tmp_path / "t.csv"
    cells = tmp_path / "t.shown.csv"
    tex = tmp_path / "t.tex"

    save_table(Table(numbers, shown), csv, shown=cells, tex=tex)

    assert csv.read_text() == 'share\n0.5\n""\n'
    assert cells.read_text().splitlines()[1:] == ["G1,0.5 (0.1 to 0.9),-0.1", "2,,+3"]
    assert tex.read_text().startswith("\\begin{tabular}{lrr}")


def test_rows_that_differ_in_one_named_column_alone_are_merged() -> None:
    """First the rows of tau 2, which differ in alpha alone, then rows that differ in tau alone."""
    rows = [
        ("0", "0.5", "1"),
        ("0", "0.9", "2"),
        ("1", "0.5", "1"),
        ("1", "0.9", "2"),
        ("2", "0.5", "1"),
        ("2", "0.9", "1"),
    ]
    table = pd.DataFrame(rows, columns=["tau", "alpha", "outcome"])

    merged = merge_alike(table, ["tau", "alpha"])

    assert merged.to_numpy().tolist() == [
        ["0, 1", "0.5", "1"],
        ["0, 1", "0.9", "2"],
        ["2", "0.5, 0.9", "1"],
    ]
