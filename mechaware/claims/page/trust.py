"""How far a judge is to be trusted, in a line to stand beside its tiers: on planted papers, and by edits of them."""

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import pandas as pd

from mechaware.claims.trust.verdicts import TOO_FEW, YES

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


def responses_to_edits(criteria: Iterable[pd.DataFrame]) -> dict[str, str]:
    """By judge, the criteria on which it may be trusted, from tables `criteria.csv` of the trust study.

    Criteria on too few claims to tell are named apart.
    """
    lines = {}
    for table in criteria:
        trusted, few = (", ".join(table.loc[table["trusted"] == verdict, "criterion"]) for verdict in (YES, TOO_FEW))
        line = f"criteria to trust it on, by edits of planted papers: {trusted or 'none'}"
        if (table["trusted"] == TOO_FEW).all():
            line = "trust by edits of planted papers: not tested, on too few claims to tell"
        elif few:
            line += f"; on too few claims to tell: {few}"
        lines[str(table["judge"].iloc[0])] = line
    return lines


def merge_notes(judges: Iterable[str], *lines: Mapping[str, str]) -> dict[str, str]:
    """By judge, its entries in `lines`, joined by semicolons; empty for a judge without one."""
    return {judge: "; ".join(line[judge] for line in lines if judge in line) for judge in judges}


def _line(row: Mapping[Hashable, Any]) -> str:
    exact, yes, no = (f"{100 * float(row[name]):.0f}%" for name in ("exact", "always_yes", "always_no"))
    criteria = f"criteria right {exact}, always YES {yes}, always NO {no}"
    if not row["tier_n"] > 0:  # none, or a missing value
        return f"{criteria}, on planted papers"
    wrong = [
        f"{int(row[name])} {word}" for name, word in (("tier_down", "too low"), ("tier_up", "too high")) if row[name]
    ]
    tiers = f"tier right on {int(row['tier_exact'])} of {int(row['tier_n'])} planted papers"
    tiers += f" (always NO: {int(row['tier_always_no'])})"
    return f"{', '.join([tiers, *wrong])}; {criteria}"
