"""The claim-validity paper's Table 6: its judges compared on IOI alone,
and ours on every labelled paper.
"""

from collections.abc import Mapping
from typing import Annotated

import pandas as pd

from exhibits.claims.schemas import REPORTED_JUDGES
from exhibits.claims.tables.cells import (
    count_text,
    decimals_text,
    right_cells,
    right_on_planted,
    score_text,
    tier_text,
)
from exhibits.report.tables import Table
from mechaware.instruments.claims.agreement import tier_agreement
from mechaware.instruments.claims.rubric.criteria import tier_index

READS = {
    "papers": "results/claims/summary/papers.parquet",
    "usage": "results/claims/summary/usage.parquet",
    "criteria": "results/claims/summary/criteria.parquet",
    "reported_judges": "config/reported/claims_judges.csv",
}
CONFIG = {"confidence_level": "confidence_level"}
IOI = "ioi"  # the only paper of the printed comparison
COUNTED = ("quoted", "quotes_found", "calls", "prompt_tokens", "completion_tokens")
NULLABLE_INTS = ("papers", "labelled", "exact", "within_one", "off_by", *COUNTED)
COLUMNS = (
    "source",
    "judge",
    "label",
    "thinking",
    "papers",
    "n_claims",
    "cvs",
    "tier",
    "off_by",
    "labelled",
    "exact",
    "exact_low",
    "exact_high",
    "within_one",
    "unscored",
    *COUNTED,
    "cost",
    "place",
    "right",
)


def fill(
    *,
    papers: pd.DataFrame,
    usage: pd.DataFrame,
    criteria: pd.DataFrame,
    reported_judges: Annotated[pd.DataFrame, REPORTED_JUDGES],
    judge_labels: Mapping[str, str],
    confidence_level: float,
) -> Table:
    """The printed rows, then one per judge.

    A judge's row has its result on IOI, if the judge read that paper, and its result on all papers
    with an expected tier.
    """
    printed = reported_judges.assign(source="reported", label=reported_judges["judge"], papers=1)
    ours = []
    for judge, label in judge_labels.items():
        row: dict[str, object] = {
            "source": judge,
            "judge": judge,
            "label": label,
            "thinking": "",
            "tier": "",
            "place": "",
        }
        ours.append(row | _compare(papers, usage, judge, confidence_level=confidence_level))
    numbers = pd.concat([printed, pd.DataFrame(ours)], ignore_index=True)
    numbers["right"] = right_on_planted(criteria, numbers["source"])
    numbers = numbers.reindex(columns=list(COLUMNS)).astype(dict.fromkeys(NULLABLE_INTS, "Int64"))

    sources = ["reported" if source == "reported" else "ours" for source in numbers["source"]]
    labelled = numbers["labelled"]
    shown = pd.DataFrame(
        {
            "Source": sources,
            "Judge": numbers["label"],
            "Thinking": numbers["thinking"],
            "Right, %": right_cells(numbers["right"], numbers["source"]),
            "IOI, CVS": numbers["cvs"].map(score_text),
            "Tier": list(map(_tier_cell, numbers["source"], numbers["cvs"], numbers["tier"])),
            "Exact tier": list(map(count_text, numbers["exact"], labelled)),
            "Quotes found": list(map(count_text, numbers["quotes_found"], numbers["quoted"])),
            "Cost, USD": numbers["cost"].map(decimals_text),
        }
    )
    return Table(numbers, shown)


def _tier_cell(source: str, cvs: float, tier: str) -> str:
    """The judge's tier of IOI, or "failed" for a printed judge without a score."""
    if source == "reported" and pd.isna(cvs):
        return "failed"
    return tier_text(tier)


def _compare(
    papers: pd.DataFrame, usage: pd.DataFrame, judge: str, *, confidence_level: float
) -> dict[str, object]:
    """The numbers of one judge; an unknown number is absent, None or NaN.

    `n_claims` is the mean over the judge's `papers`; `cvs`, `tier` and `off_by` are its results on
    IOI. The agreement is over the `labelled` papers, which have a tier and an expected tier:
    `exact` papers have the expected tier, and `within_one` papers a tier at most one step from it.
    `exact_low` and `exact_high` are bounds of the share of exact tiers.

    `unscored` is the share of criteria without a status, in all the judge's papers. The cost is
    unknown if the cost of any paper is unknown. `quoted` counts the quotes in the evidence of all
    runs, `quotes_found` the quotes whose place in the paper is known.
    """
    judged = papers[papers["judge"] == judge]
    used = usage[usage["judge"] == judge]
    asked = used["n_criteria"].sum()
    row: dict[str, object] = {
        "papers": len(judged),
        "n_claims": judged["n_claims"].mean(),
        "unscored": used["unscored"].sum() / asked if asked else None,
        "cost": used["cost"].sum(min_count=len(used)) if len(used) else None,
    }
    for name in COUNTED:
        row[name] = used[name].sum()
    for paper in judged[judged["paper"] == IOI].itertuples():
        row |= {"cvs": paper.cvs, "tier": paper.tier, "off_by": paper.off_by}

    known = judged[(judged["tier"] != "") & (judged["expected_tier"] != "")]
    if known.empty:
        return row
    predicted = [tier_index(name) for name in known["tier"]]
    expected = [tier_index(name) for name in known["expected_tier"]]
    agreement = tier_agreement(predicted, expected, confidence_level=confidence_level)
    return {
        **row,
        "exact": agreement.exact,
        "exact_low": agreement.exact_low,
        "exact_high": agreement.exact_high,
        "within_one": agreement.within_one,
        "labelled": len(known),
    }
