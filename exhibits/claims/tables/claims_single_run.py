"""The claim-validity paper's Table 4: the range of single runs and the vote, reported and by each judge."""

from collections.abc import Mapping
from typing import Annotated

import pandas as pd

from exhibits.claims.schemas import REPORTED_MAIN, REPORTED_PAPERS, REPORTED_SINGLE_RUN
from exhibits.claims.tables.cells import (
    first_cells,
    score_text,
    span_text,
    stack_sources,
    tier_text,
    tiers_of,
)
from exhibits.report.tables import Table
from mechaware.instruments.claims.rubric.criteria import tier_index

READS = {
    "papers": "results/claims/summary/papers.parquet",
    "criteria": "results/claims/summary/criteria.parquet",
    "reported_single_run": "config/reported/claims_single_run.csv",
    "reported_main": "config/reported/claims_main.csv",
    "reported_papers": "config/reported/claims_papers.csv",
}
COLUMNS = (
    "source",
    "paper",
    "title",
    "single_low",
    "single_high",
    "tier_low",
    "tier_high",
    "expected_tier",
    "off_low",
    "off_high",
    "voted_cvs",
    "single_range",
    "place",
    "right",
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
    """One row per source of scores and paper: CVS and tier of the lowest and the highest run, and the voted CVS."""
    voted = reported_main.set_index("paper")["cvs"]
    printed = reported_single_run.assign(voted_cvs=reported_single_run["paper"].map(voted))
    ours = papers.copy()
    for end in ("low", "high"):
        ours[f"tier_{end}"] = tiers_of(ours[f"single_{end}"])
        ours[f"off_{end}"] = list(map(_off_by, ours[f"tier_{end}"], ours["expected_tier"]))

    numbers = stack_sources(printed, ours, judge_labels, reported_papers, criteria)
    numbers["single_range"] = numbers["single_high"] - numbers["single_low"]
    numbers = numbers.astype({"off_low": "Int64", "off_high": "Int64"})[list(COLUMNS)]

    scores = map(
        span_text, numbers["single_low"].map(score_text), numbers["single_high"].map(score_text)
    )
    tiers = map(span_text, numbers["tier_low"].map(tier_text), numbers["tier_high"].map(tier_text))
    shown = pd.DataFrame(
        {
            **first_cells(numbers, judge_labels),
            "Single runs, CVS": list(scores),
            "Tiers": list(tiers),
            "Expected tier": numbers["expected_tier"].map(tier_text),
            "Voted CVS": numbers["voted_cvs"].map(score_text),
        }
    )
    return Table(numbers, shown)


def _off_by(reached: str, expected: str) -> int | None:
    """The difference of two tiers in ranks; None where one of them is unknown."""
    if not reached or not expected:
        return None
    return tier_index(reached) - tier_index(expected)
