"""How far a judge is to be trusted, in a line to stand beside its tiers: on planted papers, and by edits of them."""

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import pandas as pd

from mechaware.claims.trust.verdicts import TOO_FEW, YES

NOT_TESTED = "not tested on planted papers"
A_FLOOR = "keyword rules: use them to see the page, never to judge a paper"
STAGE = "audited"  # the stage whose tiers are shown


def trust_lines(
    judges: Iterable[str], planted: Iterable[pd.DataFrame], criteria: Iterable[pd.DataFrame]
) -> dict[str, str]:
    """By judge, what was right after the audit, and the criteria on which it may be trusted by edits of papers.

    `planted` are tables claims_planted; a judge's row in a later one counts. A judge without a row, or without a claim
    that was planted, is not tested. `criteria` are tables `criteria.csv` of the trust study, each of one judge.
    """
    right: dict[str, str] = {}
    for table in planted:
        rows = table[table["stage"] == STAGE].dropna(subset="exact")
        right |= {str(row["judge"]): _right(row) for row in rows.to_dict("records")}
    moved = {str(table["judge"].iloc[0]): _trusted(table) for table in criteria}
    return {judge: "; ".join([right.get(judge, NOT_TESTED), *filter(None, [moved.get(judge)])]) for judge in judges}


def _right(row: Mapping[Hashable, Any]) -> str:
    """A judge's tiers and criteria on planted papers, beside those of two constant answers."""
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


def _trusted(table: pd.DataFrame) -> str:
    """The criteria on which a judge may be trusted; those on too few claims to tell are named apart."""
    if (table["trusted"] == TOO_FEW).all():
        return "trust by edits of planted papers: not tested, on too few claims to tell"
    trusted, few = (", ".join(table.loc[table["trusted"] == verdict, "criterion"]) for verdict in (YES, TOO_FEW))
    line = f"criteria to trust it on, by edits of planted papers: {trusted or 'none'}"
    return f"{line}; on too few claims to tell: {few}" if few else line
