"""The claim-validity paper's Table 4: the ranges of single runs and the vote, by source."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any

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
    """One row per source of scores and paper.

    - `single_low`, `single_high`: the CVS of the lowest and the highest single run, and
      `single_range`, their difference.
    - `tier_low`, `tier_high`: the tiers of these two scores.
    - `off_low`, `off_high`: the ranks of these tiers minus the rank of `expected_tier`.
    - `voted_cvs`: the CVS of the vote over runs; the printed rows have the CVS of Table 3.
    - `source`, `title`, `place`, `right`: as in `stack_sources`.
    """
    voted = reported_main.set_index("paper")["cvs"]
    printed = reported_single_run.assign(voted_cvs=reported_single_run["paper"].map(voted))
    ours = papers.copy()
    for end in ("low", "high"):
        tiers = tiers_of(ours[f"single_{end}"])
        ours[f"tier_{end}"] = tiers
        ours[f"off_{end}"] = list(map(_off_by, tiers, ours["expected_tier"]))

    numbers = stack_sources(printed, ours, judge_labels, reported_papers, criteria)
    numbers["single_range"] = numbers["single_high"] - numbers["single_low"]
    numbers = numbers.astype({"off_low": "Int64", "off_high": "Int64"})[list(COLUMNS)]

    shown = pd.DataFrame(
        {
            **first_cells(numbers, judge_labels),
            "Single runs, CVS": _spans(numbers, "single", score_text),
            "Tiers": _spans(numbers, "tier", tier_text),
            "Expected tier": numbers["expected_tier"].map(tier_text),
            "Voted CVS": numbers["voted_cvs"].map(score_text),
        }
    )
    return Table(numbers, shown)


def _spans(numbers: pd.DataFrame, name: str, as_text: Callable[[Any], str]) -> list[str]:
    """By row, the cells of the columns `{name}_low` and `{name}_high` as a range."""
    lows = numbers[f"{name}_low"].map(as_text)
    highs = numbers[f"{name}_high"].map(as_text)
    return list(map(span_text, lows, highs))


def _off_by(reached: str, expected: str) -> int | None:
    """The rank of `reached` minus the rank of `expected`; None if one of the tiers is unknown."""
    if not reached or not expected:
        return None
    return tier_index(reached) - tier_index(expected)
