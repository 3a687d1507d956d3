"""The claim-validity paper's Table 6: the judges compared, its own on IOI alone and ours on every labelled paper."""

from collections.abc import Mapping
from typing import Annotated

import pandas as pd

from mechaware.claims.schemas import JUDGED_CRITERIA, PAPERS, REPORTED_JUDGES, USAGE
from mechaware.claims.study.comparison import COUNTED, judge_comparison
from mechaware.claims.tables.cells import count_text, decimals_text, off_text, score_text, tier_text, whole_text
from mechaware.claims.tables.sources import right_cells, right_on_planted
from mechaware.report.tables import Table, percent

READS = {
    "papers": "results/claims/summary/papers.csv",
    "usage": "results/claims/summary/usage.csv",
    "criteria": "results/claims/summary/criteria.csv",
    "reported_judges": "config/reported/claims_judges.csv",
}
CONFIG = {"confidence_level": "confidence_level"}
WHOLE = dict.fromkeys(("papers", "labelled", "exact", "within_one", "off_by", *COUNTED), "Int64")
COLUMNS = (
    *("source", "judge", "label", "thinking", "papers", "n_claims", "cvs", "tier", "off_by", "labelled"),
    *("exact", "exact_low", "exact_high", "within_one", "mean_off_by", "unscored"),
    *(*COUNTED, "cost", "place", "right"),
)


def fill(
    *,
    papers: Annotated[pd.DataFrame, PAPERS],
    usage: Annotated[pd.DataFrame, USAGE],
    criteria: Annotated[pd.DataFrame, JUDGED_CRITERIA],
    reported_judges: Annotated[pd.DataFrame, REPORTED_JUDGES],
    judge_labels: Mapping[str, str],
    confidence_level: float,
) -> Table:
    """The printed rows, then one per judge: its result on IOI, if it read it, and on all papers with a label."""
    printed = reported_judges.assign(source="reported", label=reported_judges["judge"], papers=1)
    ours = [
        {"source": judge, "judge": judge, "label": label, "thinking": "", "tier": "", "place": ""}
        | judge_comparison(papers, usage, judge, level=confidence_level)
        for judge, label in judge_labels.items()
    ]
    numbers = pd.concat([printed, pd.DataFrame(ours)], ignore_index=True)
    numbers["right"] = right_on_planted(criteria, numbers["source"])
    numbers = numbers.reindex(columns=list(COLUMNS)).astype(WHOLE)
    labelled = numbers["labelled"]
    shown = pd.DataFrame(
        {
            "Source": ["reported" if source == "reported" else "ours" for source in numbers["source"]],
            "Judge": numbers["label"],
            "Thinking": numbers["thinking"],
            "Right on planted papers, %": right_cells(numbers["right"], numbers["source"]),
            "Papers": list(map(whole_text, numbers["papers"])),
            "Claims a paper": [f"{mean:.3g}" if pd.notna(mean) else "" for mean in numbers["n_claims"]],
            "IOI, CVS": numbers["cvs"].map(score_text),
            "Tier": list(map(_tier_cell, numbers["source"], numbers["cvs"], numbers["tier"])),
            "Off by": numbers["off_by"].map(off_text),
            "Exact tier": list(map(count_text, numbers["exact"], labelled)),
            "Within one": list(map(count_text, numbers["within_one"], labelled)),
            "Mean off by": [decimals_text(mean, sign="+") for mean in numbers["mean_off_by"]],
            "Unscored, %": numbers["unscored"].astype(float).map(percent),
            "Quotes found": list(map(count_text, numbers["quotes_found"], numbers["quoted"])),
            "Failed audits": list(map(whole_text, numbers["failed_audits"])),
            "Calls": list(map(whole_text, numbers["calls"])),
            "Tokens in": list(map(whole_text, numbers["prompt_tokens"])),
            "Tokens out": list(map(whole_text, numbers["completion_tokens"])),
            "Cost, USD": numbers["cost"].map(decimals_text),
        }
    )
    return Table(numbers, shown)


def _tier_cell(source: str, cvs: float, tier: str) -> str:
    """The tier of IOI; a printed judge without a score failed."""
    return "failed" if source == "reported" and pd.isna(cvs) else tier_text(tier)
