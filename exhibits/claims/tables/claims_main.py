"""The claim-validity paper's Table 3: score and tier of every paper, reported and by each judge."""

from collections.abc import Hashable, Iterable, Mapping
from typing import Annotated, Any

import numpy as np
import pandas as pd

from exhibits.claims.schemas import REPORTED_MAIN, REPORTED_PAPERS
from exhibits.claims.tables.cells import first_cells, score_text, stack_sources, tier_text
from exhibits.report.tables import Table, percent, percent_interval, with_interval
from mechaware.core.stats.intervals import Estimate
from mechaware.instruments.claims.rubric.criteria import CRITERIA
from mechaware.planted.papers.correction import corrected_share
from mechaware.planted.papers.judged import error_rates, judged_at

READS = {
    "papers": "results/claims/summary/papers.parquet",
    "criteria": "results/claims/summary/criteria.parquet",
    "reported_main": "config/reported/claims_main.csv",
    "reported_papers": "config/reported/claims_papers.csv",
}
CONFIG = {"confidence_level": "confidence_level"}
CORRECTED = ("corrected_yes", "corrected_yes_low", "corrected_yes_high")
NOT_CORRECTED = Estimate(np.nan, np.nan, np.nan)
COLUMNS = (
    "source",
    "paper",
    "title",
    "cvs",
    "tier",
    "expected_tier",
    "label_source",
    "off_by",
    "main_yes",
    *CORRECTED,
    "status",
    "reason",
    "place",
    "right",
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
    """One row per source of scores and paper: its CVS and tier, or why it has no score.

    - `off_by`: the rank of the tier minus the rank of the expected tier.
    - `main_yes`: the share of the main claim's criteria at YES, 0 to 1; missing for printed rows.
    - `CORRECTED`: this share by `corrected_share`, and the ends of its interval.
    """
    printed = reported_main.assign(status="scored", reason="", main_yes=None)
    numbers = stack_sources(printed, papers, judge_labels, reported_papers, criteria)
    numbers[list(CORRECTED)] = _corrected(numbers, criteria, judge_labels, confidence_level)
    numbers = numbers.astype({"off_by": "Int64"})
    numbers = numbers.astype(dict.fromkeys(("main_yes", *CORRECTED), float))
    numbers = numbers[list(COLUMNS)]

    shown = pd.DataFrame(
        {
            **first_cells(numbers, judge_labels),
            "CVS": numbers["cvs"].map(score_text),
            "YES (corrected), %": [_yes_cell(row) for row in numbers.to_dict("records")],
            "Predicted tier": numbers["tier"].map(tier_text),
            "Expected tier": numbers["expected_tier"].map(tier_text),
            "Off by": numbers["off_by"].map(_off_cell),
            "Unscored because": numbers["reason"],
        }
    )
    return Table(numbers, shown)


def _corrected(
    numbers: pd.DataFrame, criteria: pd.DataFrame, judges: Iterable[str], confidence_level: float
) -> list[Estimate]:
    """By row, the share at YES corrected for the error rates of the judge, with its interval.

    `NOT_CORRECTED` for the printed rows, and where the share cannot be corrected
    (`corrected_share`). A judge's error rates are those on planted papers after the audit.
    """
    rates = {}
    for judge in judges:
        audited = judged_at(criteria, judge, "audited")
        rates[judge] = error_rates(audited, confidence_level=confidence_level)

    corrected = []
    for source, share in zip(numbers["source"], numbers["main_yes"], strict=True):
        estimate = None
        if not pd.isna(share):
            estimate = corrected_share(
                share, len(CRITERIA), rates[source], confidence_level=confidence_level
            )
        corrected.append(estimate or NOT_CORRECTED)
    return corrected


def _yes_cell(row: Mapping[Hashable, Any]) -> str:
    """The share at YES, and in brackets the corrected share with its interval; empty if missing."""
    if pd.isna(row["main_yes"]):
        return ""
    interval = percent_interval(row["corrected_yes_low"], row["corrected_yes_high"])
    corrected = with_interval(percent(row["corrected_yes"]), interval)
    return f"{percent(row['main_yes'])} ({corrected or 'not determined'})"


def _off_cell(off_by: Any) -> str:
    """A difference of tiers with its sign, which 0 does not have; empty for a missing one."""
    if pd.isna(off_by):
        return ""
    return f"{int(off_by):+d}" if off_by else "0"
