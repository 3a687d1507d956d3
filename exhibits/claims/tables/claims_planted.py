"""How often each judge is wrong on planted papers after each stage, beside constant answers."""

from collections.abc import Mapping

import numpy as np
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
    """One row per judge and stage, and one per baseline, which gives NO or YES throughout.

    The table's `numbers` also have a row per judge and criterion, and further columns such as those
    about tiers, none of which is printed.
    """
    summary = {"papers": papers, "runs": runs, "criteria": criteria, "levels": levels}
    numbers = planted_agreement(summary, judge_labels, confidence_level=confidence_level)
    return Table(numbers, _shown(numbers[numbers["criterion"] == ""], judge_labels))


def _shown(numbers: pd.DataFrame, judge_labels: Mapping[str, str]) -> pd.DataFrame:
    """The printed columns for rows over all criteria (`planted.papers.judged` defines the rates).

    - Wrong among YES given: "2 of 31 (1, 1)" (`_wrong_cell`).
    - False YES and false leaks: the rate and its interval in per cent; "not tested" without a case.
    - Right: the share of the judge's statuses that are right, and in brackets the shares that NO
      and YES throughout would get right, in per cent; empty where the judge has no status.
    """
    exact = numbers["exact"].map(percent)
    always_no = numbers["always_no"].map(percent)
    always_yes = numbers["always_yes"].map(percent)
    right = exact + " (" + always_no + ", " + always_yes + ")"
    claims_found = list(map(count_text, numbers["found_claims"], numbers["planted_claims"]))
    wrong_yes = list(
        map(_wrong_cell, numbers["wrong"], numbers["wrong_partial"], numbers["wrong_yes_n"])
    )
    return pd.DataFrame(
        {
            "Judge": [judge_labels.get(judge, judge) for judge in numbers["judge"]],
            # The stage of a baseline is empty.
            "Stage": numbers["stage"].map({"": "", **STAGES}),
            "Claims found": claims_found,
            "Wrong among YES given": wrong_yes,
            "False YES, %": _rates(numbers, "false_yes"),
            "False leaks, %": _rates(numbers, "false_leak"),
            "Right (NO, YES throughout), %": right.where(exact != "", ""),
        }
    )


def _rates(numbers: pd.DataFrame, name: str) -> list[str]:
    """`share_cells`, with "not tested" in place of an empty cell."""
    return [cell or "not tested" for cell in share_cells(numbers, name)]


def _wrong_cell(wrong: np.integer, partial: np.integer, given: np.integer) -> str:
    """How many of the YES given are wrong, "2 of 31 (1, 1)"; "no YES" if none is given.

    In brackets: how many of the wrong ones were planted as PARTIAL, and how many as NO.
    """
    if not given:
        return "no YES"
    return f"{wrong} of {given} ({partial}, {wrong - partial})"
