"""What a judge got right on planted papers, whose truth is known, in a line to stand beside its tiers."""

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import pandas as pd

from mechaware.report.tables import percent, percent_interval

NOT_TESTED = "not tested on planted papers"
STAGE = "audited"  # the stage whose tiers are shown


def trust_lines(planted: pd.DataFrame, judges: Iterable[str]) -> dict[str, str]:
    """By judge, the share of criteria right after the audit; `planted` is the table claims_planted.

    A judge without a row, or without a claim that was planted, is not tested.
    """
    rows = planted[planted["stage"] == STAGE].dropna(subset="exact")
    lines = {str(row["judge"]): _line(row) for row in rows.to_dict("records")}
    return {judge: lines.get(judge, NOT_TESTED) for judge in judges}


def _line(row: Mapping[Hashable, Any]) -> str:
    exact, low, high, always = (float(row[name]) for name in ("exact", "exact_low", "exact_high", "always_no"))
    interval = percent_interval(low, high)
    shown = f" ({interval}%)" if interval else ""
    return f"right on planted papers: {percent(exact)}% of criteria{shown}; answering NO throughout: {percent(always)}%"
