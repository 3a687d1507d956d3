"""The claim-validity paper's Table 3: score and tier of every paper, reported and by each judge."""

from collections.abc import Mapping
from typing import Annotated, Any

import pandas as pd

from exhibits.claims.schemas import REPORTED_MAIN, REPORTED_PAPERS
from exhibits.claims.tables.cells import first_cells, score_text, stack_sources, tier_text
from exhibits.report.tables import Table, percent, percent_interval, with_interval
from mechaware.instruments.claims.rubric.criteria import CRITERIA
from mechaware.planted.papers.judged import corrected_share, error_rates, judged_at

READS = {
    "papers": "results/claims/summary/papers.parquet",
    "criteria": "results/claims/summary/criteria.parquet",
    "reported_main": "config/reported/claims_main.csv",
    "reported_papers": "config/reported/claims_papers.csv",
}
CONFIG = {"confidence_level": "confidence_level"}
CORRECTED = ("corrected_yes", "corrected_yes_low", "corrected_yes_high")
COLUMNS = (
    *("source", "paper", "title", "cvs", "tier", "expected_tier", "label_source"),
    *("off_by", "main_yes", *CORRECTED, "status", "reason", "place", "right"),
)


def fill(
    *,
    papers: pd.DataFrame,
    criteria: pd.DataFrame,
    reported_main: Annotated[pd.DataFrame, REPORTED_MAIN],
    reported_papers: Annotated[pd.DataFrame, REPORTED_PAPERS],
    judge_labels: Mapping[str, str],
    confidence_level: float,
) -> Table:
    """One row per source of scores and paper: its CVS, its tier beside the expected one, or why it has no score.

    Beside it stands the share of the main claim's criteria at YES, as judged and by `corrected_share`.
    """
    printed = reported_main.assign(status="scored", reason="", main_yes=None)
    numbers = stack_sources(printed, papers, judge_labels, reported_papers, criteria)
    rates = {
        judge: error_rates(judged_at(criteria, judge, "audited"), level=confidence_level)
        for judge in judge_labels
    }
    corrected = [
        None
        if pd.isna(share)
        else corrected_share(share, len(CRITERIA), rates[source], level=confidence_level)
        for source, share in zip(numbers["source"], numbers["main_yes"], strict=True)
    ]
    numbers[list(CORRECTED)] = [estimate or [None] * len(CORRECTED) for estimate in corrected]
    numbers = numbers.astype(
        {"off_by": "Int64", "main_yes": float, **dict.fromkeys(CORRECTED, float)}
    )[list(COLUMNS)]
    shown = pd.DataFrame(
        {
            **first_cells(numbers, judge_labels),
            "CVS": numbers["cvs"].map(score_text),
            "YES (corrected), %": list(
                map(_yes_cell, numbers["main_yes"], *(numbers[name] for name in CORRECTED))
            ),
            "Predicted tier": numbers["tier"].map(tier_text),
            "Expected tier": numbers["expected_tier"].map(tier_text),
            "Off by": numbers["off_by"].map(_off_cell),
            "Unscored because": numbers["reason"],
        }
    )
    return Table(numbers, shown)


def _yes_cell(judged: float, corrected: float, low: float, high: float) -> str:
    if pd.isna(judged):
        return ""
    return f"{percent(judged)} ({with_interval(percent(corrected), percent_interval(low, high)) or 'not determined'})"


def _off_cell(off: Any) -> str:
    """A difference of tiers with its sign, 0 without one."""
    return "" if pd.isna(off) else f"{int(off):+d}" if off else "0"
