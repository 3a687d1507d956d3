"""Responses to a few items, written by hand."""

from typing import Any

import pandas as pd

from mechaware.instruments.claims.rubric.criteria import CRITERIA

CODES = list(CRITERIA)
N = len(CODES)


def text(rest: str, **letters: str) -> str:
    """27 letters: `rest`, but for the criteria named."""
    return "".join(letters.get(code, rest) for code in CODES)


def row(edit: str, statuses: str, expected: str = "", **more: Any) -> dict[str, Any]:
    known = {"paper": "a", "criterion": "", "claim": 0, "truth": "N" * N}
    known["edited"] = "" if edit == "base" else "0"
    return known | {"edit": edit, "statuses": statuses, "expected": expected or "." * N} | more


def frame(*rows: dict[str, Any]) -> pd.DataFrame:
    return pd.DataFrame(rows)


# Three edits of one claim: I1 falls as it should and V1 moves with it; I2 cannot fall; C2 should
# rise and falls.
THREE = frame(
    row("base", text("N", I1="Y", C2="P", V1="Y")),
    row("deleted", text("N", I1="P", C2="P"), text(".", I1="f"), criterion="I1"),
    row("toggled", text("N", I1="Y", C2="P", V1="Y"), text(".", I2="f"), criterion="I2"),
    row("toggled", text("N", I1="Y", V1="Y"), text(".", C2="r"), criterion="C2"),
)
