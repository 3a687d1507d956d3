"""The claim-validity paper's Table 4: the range of single runs beside the vote, reported and by each judge."""

from collections.abc import Mapping
from typing import Annotated

import pandas as pd

from exhibits.claims.schemas import REPORTED_MAIN, REPORTED_PAPERS, REPORTED_SINGLE_RUN
from exhibits.claims.tables.cells import (
    ENDS,
    first_cells,
    score_text,
    span_text,
    stack_sources,
    tier_text,
)
from exhibits.report.tables import Table
from mechaware.instruments.claims.rubric.criteria import tier_index
from mechaware.instruments.claims.rubric.scoring import tier

READS = {
    "papers": "results/claims/summary/papers.parquet",
    "criteria": "results/claims/summary/criteria.parquet",
    "reported_single_run": "config/reported/claims_single_run.csv",
    "reported_main": "config/reported/claims_main.csv",
    "reported_papers": "config/reported/claims_papers.csv",
}
COLUMNS = (
    *(
        "source",
        "paper",
        "title",
        "single_low",
        "single_high",
        "tier_low",
        "tier_high",
        "expected_tier",
    ),
    *("off_low", "off_high", "voted_cvs", "single_range", "place", "right"),
)


def fill(
    *,
    papers: pd.DataFrame,
    criteria: pd.DataFrame,
    reported_single_run: Annotated[pd.DataFrame, REPORTED_SINGLE_RUN],
    reported_main: Annotated[pd.DataFrame, REPORTED_MAIN],
    reported_papers: Annotated[pd.DataFrame, REPORTED_PAPERS],
    judge_labels: Mapping[str, str],
) -> Table:
    """One row per source of scores and paper: CVS and tier of the lowest and highest run, and the CVS of their vote."""
    voted = reported_main.set_index("paper")["cvs"]
    printed = reported_single_run.assign(voted_cvs=reported_single_run["paper"].map(voted))
    ours = papers.copy()
    for end in ENDS:
        ours[f"tier_{end}"] = [
            "" if pd.isna(score) else tier(score).name for score in ours[f"single_{end}"]
        ]
        ours[f"off_{end}"] = list(map(_off_by, ours[f"tier_{end}"], ours["expected_tier"]))
    numbers = stack_sources(printed, ours, judge_labels, reported_papers, criteria)
    numbers["single_range"] = numbers["single_high"] - numbers["single_low"]
    numbers = numbers.astype({f"off_{end}": "Int64" for end in ENDS})[list(COLUMNS)]
    shown = pd.DataFrame(
        {
            **first_cells(numbers, judge_labels),
            "Single runs, CVS": list(
                map(span_text, *(numbers[f"single_{end}"].map(score_text) for end in ENDS))
            ),
            "Tiers": list(map(span_text, *(numbers[f"tier_{end}"].map(tier_text) for end in ENDS))),
            "Expected tier": numbers["expected_tier"].map(tier_text),
            "Voted CVS": numbers["voted_cvs"].map(score_text),
        }
    )
    return Table(numbers, shown)


def _off_by(reached: str, expected: str) -> int | None:
    return tier_index(reached) - tier_index(expected) if reached and expected else None
