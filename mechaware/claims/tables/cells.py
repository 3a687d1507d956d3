"""How numbers and tiers are written in the claims study's tables; what is missing is an empty cell."""

from typing import Any

import pandas as pd

from mechaware.claims.rubric.criteria import TIERS, tier_index
from mechaware.report.tables import percent_interval


def score_text(score: Any) -> str:
    """A CVS as the paper prints it, with one decimal."""
    return decimals_text(score, 1)


def decimals_text(number: Any, decimals: int = 2, *, sign: str = "") -> str:
    """A number with so many decimals; with `sign` "+" it is always signed."""
    return "" if pd.isna(number) else f"{number:{sign}.{decimals}f}"


def span_text(low: str, high: str) -> str:
    """Two ends as a table shows them: one where they are alike, nothing where they are missing."""
    return low if low == high else f"{low} to {high}"


def count_text(count: Any, n: Any) -> str:
    """A number out of n; empty where n is 0."""
    return "" if pd.isna(count) or not n else f"{count} of {n}"


def errors_text(count: int, n: int) -> str:
    """A number of errors among n; empty where n is 0."""
    return str(count) if n else ""


def off_text(off: Any) -> str:
    """A difference of tiers with its sign, 0 without one."""
    return "" if pd.isna(off) else f"{int(off):+d}" if off else "0"


def interval_cells(table: pd.DataFrame, name: str) -> list[str]:
    """The intervals of the fraction `name`, from its columns `{name}_low` and `{name}_high`, in percent."""
    return list(map(percent_interval, *(table[f"{name}_{end}"].astype(float) for end in ("low", "high"))))


def tier_text(name: str) -> str:
    """A tier as the paper's tables abbreviate it."""
    return TIERS[tier_index(name)].short if name else ""
