"""Tables for readers: how a table is saved, and how its numbers are written as text."""

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from mechaware.core.files import atomic_write
from mechaware.core.frames import write_csv


class Table(NamedTuple):
    """A table in two forms.

    - `numbers`: for programs, unrounded.
    - `shown`: for readers; all cells are text; rows and columns may differ from those of `numbers`.
    """

    numbers: pd.DataFrame
    shown: pd.DataFrame


def save_table(table: Table, csv: Path, *, shown: Path, tex: Path) -> None:
    """Write the numbers to `csv`, the text to `shown`, which our paper reads, and LaTeX to `tex`.

    The LaTeX is a booktabs tabular. Columns of numbers align right: those whose cells are empty or
    begin as a number does, such as 0.5, -0.5, <0.001 and "5 of 9".
    """
    write_csv(table.numbers, csv)
    write_csv(table.shown, shown)

    alignment = ""
    for column in table.shown:
        is_numeric = table.shown[column].str.fullmatch(r"([-+<]?[\d.].*)?").all()
        alignment += "r" if is_numeric else "l"
    styled = table.shown.style.hide(axis="index")
    styled = styled.format(escape="latex").format_index(escape="latex", axis=1)
    with atomic_write(tex) as partial:
        partial.write_text(styled.to_latex(hrules=True, column_format=alignment), encoding="utf-8")


def merge_alike(table: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Merge the rows of a table of text that differ only in one of the columns `names`.

    A merged row lists their cells, and takes the position of the first of them. With
    `names = ["tau", "alpha"]`, rows are merged first over alpha, the last name, and then over tau:

        tau  alpha  passed          tau   alpha     passed
        0    0.5    1               0, 1  0.5       1
        1    0.5    1       ->      2     0.5, 0.9  1
        2    0.5    1
        2    0.9    1
    """
    for name in reversed(names):
        others = [column for column in table if column != name]
        cells = table.groupby(others, sort=False)[name].agg(", ".join)
        # `reset_index` puts the merged column last.
        table = cells.reset_index()[list(table)]
    return table


def fixed(value: float, digits: int, *, sign: str = "") -> str:
    """`value` with `digits` decimals, halves rounded away from 0, as in our paper's text.

    With `sign` "+" every number is signed, except one that rounds to zero. Empty for a missing
    number.
    """
    if pd.isna(value):
        return ""
    # Round from ten significant digits: 0.285, which is stored as 0.284999..., must give 0.29.
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
    """A difference of two fractions in percentage points, with its interval; empty if missing.

    The interval is left out if it is missing, or if it has no width because all resamples agree:
    it would then hide the uncertainty.
    """
    shown = fixed(100 * difference, 1, sign="+")
    if pd.isna(low) or low == high:
        return shown
    shown_low = fixed(100 * low, 1, sign="+")
    shown_high = fixed(100 * high, 1, sign="+")
    return f"{shown} ({shown_low} to {shown_high})"


def p_value(p: float) -> str:
    """A p-value with three decimals, rounded as in `fixed`; empty for a missing one."""
    if pd.isna(p):
        return ""
    return "<0.001" if p < 0.001 else fixed(p, 3)
