"""The claim-validity paper's Table 3: score and tier of every paper, reported and by each judge."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

import pandas as pd

from exhibits.claims.schemas import REPORTED_MAIN, REPORTED_PAPERS
from exhibits.claims.tables.cells import first_cells, score_text, stack_sources, tier_text
from exhibits.report.tables import Table, percent, percent_interval, with_interval
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
    """One row per source of scores and paper: its CVS, its tier and the expected one, or why it has no score.

    Further columns have the share of the main claim's criteria at YES, as judged and by `corrected_share`.
    """
    printed = reported_main.assign(status="scored", reason="", main_yes=None)
    numbers = stack_sources(printed, papers, judge_labels, reported_papers, criteria)
    numbers[list(CORRECTED)] = _corrected(numbers, criteria, judge_labels, confidence_level)
    types: dict[str, Any] = {
        "off_by": "Int64",
        "main_yes": float,
        **dict.fromkeys(CORRECTED, float),
    }
    numbers = numbers.astype(types)[list(COLUMNS)]

    yes_cells = map(
        _yes_cell,
        numbers["main_yes"],
        numbers["corrected_yes"],
        numbers["corrected_yes_low"],
        numbers["corrected_yes_high"],
    )
    shown = pd.DataFrame(
        {
            **first_cells(numbers, judge_labels),
            "CVS": numbers["cvs"].map(score_text),
            "YES (corrected), %": list(yes_cells),
            "Predicted tier": numbers["tier"].map(tier_text),
            "Expected tier": numbers["expected_tier"].map(tier_text),
            "Off by": numbers["off_by"].map(_off_cell),
            "Unscored because": numbers["reason"],
        }
    )
    return Table(numbers, shown)


def _corrected(
    numbers: pd.DataFrame, criteria: pd.DataFrame, judges: Iterable[str], confidence_level: float
) -> list[Sequence[float | None]]:
    """By row, the share at YES corrected for the errors of its judge, and the ends of its interval.

    All three are None for the printed rows, and where the share cannot be corrected (`corrected_share`).
    """
    rates = {}
    for judge in judges:
        rates[judge] = error_rates(
            judged_at(criteria, judge, "audited"), confidence_level=confidence_level
        )

    corrected: list[Sequence[float | None]] = []
    for source, share in zip(numbers["source"], numbers["main_yes"], strict=True):
        estimate = None
        if not pd.isna(share):
            estimate = corrected_share(
                share, len(CRITERIA), rates[source], confidence_level=confidence_level
            )
        corrected.append(estimate or (None, None, None))
    return corrected


def _yes_cell(judged: float, corrected: float, low: float, high: float) -> str:
    """The share at YES as judged, and in brackets the corrected share with its interval; empty without a share."""
    if pd.isna(judged):
        return ""
    estimate = with_interval(percent(corrected), percent_interval(low, high))
    return f"{percent(judged)} ({estimate or 'not determined'})"


def _off_cell(off: Any) -> str:
    """A difference of tiers with its sign, 0 without one."""
    if pd.isna(off):
        return ""
    return f"{int(off):+d}" if off else "0"
