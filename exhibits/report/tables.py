"""Tables to read: each CSV's cells as text, for LaTeX and for our own paper, and how numbers are written in them."""

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from mechaware.core.files import atomic_write
from mechaware.core.frames import write_csv


class Table(NamedTuple):
    """A table twice: `numbers` for programs, unrounded, and `shown` for readers, whose cells are all text."""

    numbers: pd.DataFrame
    shown: pd.DataFrame


def save_table(table: Table, csv: Path, *, shown: Path, tex: Path) -> None:
    """Write the numbers to `csv`, the cells to `shown`, which our paper reads, and the cells to `tex`, for LaTeX.

    The LaTeX is a booktabs tabular, in which columns of numbers, such as 0.5, -0.5 and <0.001, align right.
    """
    write_csv(table.numbers, csv)
    write_csv(table.shown, shown)
    alignment = ""
    for column in table.shown:
        is_numeric = table.shown[column].str.fullmatch(r"([-+<]?[\d.].*)?").all()
        alignment += "r" if is_numeric else "l"

    styled = (
        table.shown.style.hide(axis="index")
        .format(escape="latex")
        .format_index(escape="latex", axis=1)
    )
    with atomic_write(tex) as partial:
        partial.write_text(styled.to_latex(hrules=True, column_format=alignment), encoding="utf-8")


def fixed(value: float, digits: int, *, sign: str = "") -> str:
    """`value` with `digits` decimals, halves rounded away from 0, as in the paper's text.

    With `sign` "+" every number is signed, except one that rounds to zero. Empty for a missing number.
    """
    if pd.isna(value):
        return ""
    # Ten digits, so that a half stays one: 0.285 is stored as 0.284999..., and is meant to give 0.29.
    rounded = Decimal(f"{value:.10g}").quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
    return f"{rounded:{sign}}" if rounded else f"{abs(rounded)}"


def percent(fraction: float) -> str:
    """A fraction as a percentage with one decimal; empty for a missing one."""
    return fixed(100 * fraction, 1)


def percent_interval(low: float, high: float) -> str:
    """Two fractions as an interval of percentages; empty where an end is missing."""
    return "" if pd.isna(low) or pd.isna(high) else f"{percent(low)} to {percent(high)}"


def with_interval(value: str, interval: str) -> str:
    """A number with its interval in brackets; only the number where there is none."""
    return f"{value} ({interval})" if interval else value


def signed(value: float) -> str:
    """A difference with its sign and two decimals; empty for a missing one."""
    return fixed(value, 2, sign="+")


def signed_interval(low: float, high: float) -> str:
    """Two differences as an interval; empty where an end is missing."""
    return "" if pd.isna(low) or pd.isna(high) else f"{signed(low)} to {signed(high)}"


def points(difference: float, low: float, high: float) -> str:
    """A difference of two fractions in percentage points, with its interval; empty for a missing one.

    The interval is left out if it is missing, or if all resamples agree: it then hides the uncertainty.
    """
    shown = fixed(100 * difference, 1, sign="+")
    if pd.isna(low) or low == high:
        return shown
    shown_low = fixed(100 * low, 1, sign="+")
    shown_high = fixed(100 * high, 1, sign="+")
    return f"{shown} ({shown_low} to {shown_high})"


def p_value(p: float) -> str:
    """A p-value with three decimals; empty for a missing one."""
    if pd.isna(p):
        return ""
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def merge_alike(table: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """`table`, of text: rows that differ only in one of the columns `names` become one row, which lists their cells.

    One column is merged after another, the last of `names` first. A merged row takes the position of its first row.
    """
    for name in reversed(names):
        others = [column for column in table if column != name]
        merged = table.groupby(others, sort=False)[name].agg(", ".join).reset_index()
        table = merged[list(table)]
    return table
