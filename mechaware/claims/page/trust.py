"""What a judge got right on planted papers, whose truth is known, in a line to stand beside its tiers."""

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import pandas as pd

NOT_TESTED = "not tested on planted papers"
A_FLOOR = "keyword rules: use them to see the page, never to judge a paper"
STAGE = "audited"  # the stage whose tiers are shown


def trust_lines(planted: Iterable[pd.DataFrame], judges: Iterable[str]) -> dict[str, str]:
    """By judge, what was right after the audit: its tiers, and its criteria beside those of two constant answers.

    `planted` are tables claims_planted; a judge's row in a later one counts. A judge without a row, or without a claim
    that was planted, is not tested.
    """
    lines: dict[str, str] = {}
    for table in planted:
        rows = table[table["stage"] == STAGE].dropna(subset="exact")
        lines |= {str(row["judge"]): _line(row) for row in rows.to_dict("records")}
    return {judge: lines.get(judge, NOT_TESTED) for judge in judges}


def _line(row: Mapping[Hashable, Any]) -> str:
    exact, yes, no = (f"{100 * float(row[name]):.0f}%" for name in ("exact", "always_yes", "always_no"))
    criteria = f"criteria right {exact}, always YES {yes}, always NO {no}"
    if not row["tier_n"] > 0:  # none, or a missing value
        return f"{criteria}, on planted papers"
    wrong = [
        f"{int(row[name])} {word}" for name, word in (("tier_down", "too low"), ("tier_up", "too high")) if row[name]
    ]
    tiers = f"tier right on {int(row['tier_exact'])} of {int(row['tier_n'])} planted papers"
    return f"{', '.join([tiers, *wrong])}; {criteria}"
