"""The claim-validity paper's Table 3: score and tier of every paper, reported and by each judge."""

from collections.abc import Mapping
from typing import Annotated

import pandas as pd

from mechaware.claims.schemas import REPORTED_MAIN, REPORTED_PAPERS
from mechaware.claims.tables.cells import off_text, score_text, tier_text
from mechaware.claims.tables.sources import paper_names, right_cells, right_on_planted, source_labels, stack_sources
from mechaware.report.tables import Table

READS = {
    "papers": "results/claims/summary/papers.parquet",
    "criteria": "results/claims/summary/criteria.parquet",
    "reported_main": "config/reported/claims_main.csv",
    "reported_papers": "config/reported/claims_papers.csv",
}
COLUMNS = (
    *("source", "paper", "title", "cvs", "tier", "expected_tier", "label_source"),
    *("off_by", "status", "reason", "place", "right"),
)


def fill(
    *,
    papers: pd.DataFrame,
    criteria: pd.DataFrame,
    reported_main: Annotated[pd.DataFrame, REPORTED_MAIN],
    reported_papers: Annotated[pd.DataFrame, REPORTED_PAPERS],
    judge_labels: Mapping[str, str],
) -> Table:
    """One row per source of scores and paper: its CVS, its tier beside the expected one, or why it has no score."""
    printed = reported_main.assign(status="scored", reason="")
    numbers = stack_sources(printed, papers, judge_labels, reported_papers)
    numbers = numbers.assign(right=right_on_planted(criteria, numbers["source"])).astype({"off_by": "Int64"})[
        list(COLUMNS)
    ]
    shown = pd.DataFrame(
        {
            "Source": source_labels(numbers["source"], judge_labels),
            "Right, %": right_cells(numbers["right"], numbers["source"]),
            "Paper": paper_names(numbers),
            "CVS": numbers["cvs"].map(score_text),
            "Predicted tier": numbers["tier"].map(tier_text),
            "Expected tier": numbers["expected_tier"].map(tier_text),
            "Off by": numbers["off_by"].map(off_text),
            "Unscored because": numbers["reason"],
        }
    )
    return Table(numbers, shown)
