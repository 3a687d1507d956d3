"""How often each judge is wrong on planted papers after each stage, and how often a constant answer is."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from exhibits.claims.tables.cells import count_text, share_cells
from exhibits.report.tables import Table, percent
from mechaware.planted.papers.judged import STAGES, planted_agreement

READS = {
    "papers": "results/claims/summary/papers.parquet",
    "runs": "results/claims/summary/runs.parquet",
    "criteria": "results/claims/summary/criteria.parquet",
    "levels": "results/claims/summary/levels.parquet",
}
CONFIG = {"confidence_level": "confidence_level"}


def fill(
    *,
    papers: pd.DataFrame,
    runs: pd.DataFrame,
    criteria: pd.DataFrame,
    levels: pd.DataFrame,
    judge_labels: Mapping[str, str],
    confidence_level: float,
) -> Table:
    """One row per judge and stage, and one per baseline; the numbers also have each judge's criteria and tiers."""
    summary = {"papers": papers, "runs": runs, "criteria": criteria, "levels": levels}
    numbers = planted_agreement(summary, judge_labels, confidence_level=confidence_level)
    return Table(numbers, _shown(numbers[numbers["criterion"] == ""], judge_labels))


def _shown(numbers: pd.DataFrame, judge_labels: Mapping[str, str]) -> pd.DataFrame:
    """The printed columns, of rows over all criteria (`planted.papers.judged` defines the rates).

    - Wrong among YES given: `wrong of given (planted as PARTIAL, planted as NO)`.
    - False YES and false leaks: the rate and its interval in per cent; "not tested" without a case.
    - Right: `judge (always NO, always YES)` in per cent; empty where the judge has no status.
    """
    exact = numbers["exact"].map(percent)
    always_no = numbers["always_no"].map(percent)
    always_yes = numbers["always_yes"].map(percent)
    right = exact + " (" + always_no + ", " + always_yes + ")"
    found = map(count_text, numbers["found_claims"], numbers["planted_claims"])
    wrong = map(_wrong_cell, numbers["wrong"], numbers["wrong_partial"], numbers["wrong_yes_n"])
    return pd.DataFrame(
        {
            "Judge": [judge_labels.get(judge, judge) for judge in numbers["judge"]],
            "Stage": numbers["stage"].map({"": "", **STAGES}),
            "Claims found": list(found),
            "Wrong among YES given": list(wrong),
            "False YES, %": _rates(numbers, "false_yes"),
            "False leaks, %": _rates(numbers, "false_leak"),
            "Right (NO, YES throughout), %": right.where(exact != "", ""),
        }
    )


def _rates(numbers: pd.DataFrame, name: str) -> list[str]:
    """`share_cells`, with "not tested" in place of an empty cell."""
    return [cell or "not tested" for cell in share_cells(numbers, name)]


def _wrong_cell(wrong: Any, partial: Any, given: Any) -> str:
    """The wrong YES of those given, and in brackets how many of them were planted as PARTIAL and as NO."""
    if not given:
        return "no YES"
    return f"{wrong} of {given} ({partial}, {wrong - partial})"
