"""Numbers as the tables show them."""

from pathlib import Path

import pandas as pd
import pytest

from exhibits.report.tables import (
    Table,
    fixed,
    merge_alike,
    percent_interval,
    points,
    save_table,
    signed_interval,
)


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
def test_halves_go_up_and_what_rounds_to_zero_has_no_sign(
    value: float, digits: int, shown: str
) -> None:
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

    for show in (percent_interval, signed_interval):
        assert (
            show(float("nan"), 0.863)
            == show(0.212, float("nan"))
            == show(float("nan"), float("nan"))
            == ""
        )


def test_a_tabular_aligns_a_column_right_if_all_of_its_cells_are_numbers(tmp_path: Path) -> None:
    shown = pd.DataFrame(
        {"rule": ["G1", "2"], "share": ["0.5 (0.1 to 0.9)", ""], "lead": ["-0.1", "+3"]}
    )
    csv = tmp_path / "t.csv"
    cells = tmp_path / "t.shown.csv"
    tex = tmp_path / "t.tex"
    save_table(Table(pd.DataFrame({"share": [0.5, None]}), shown), csv, shown=cells, tex=tex)

    assert tex.read_text().startswith("\\begin{tabular}{lrr}")
    assert csv.read_text() == 'share\n0.5\n""\n'
    assert cells.read_text().splitlines()[1:] == ["G1,0.5 (0.1 to 0.9),-0.1", "2,,+3"]


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

    assert joined.to_numpy().tolist() == [
        ["0, 1", "0.5", "1"],
        ["0, 1", "0.9", "2"],
        ["2", "0.5, 0.9", "1"],
    ]
