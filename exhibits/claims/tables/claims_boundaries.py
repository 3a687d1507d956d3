"""How the agreement of tiers depends on the list of labels, and on a shift of each tier boundary."""

from collections.abc import Mapping
from typing import Annotated

import pandas as pd

from exhibits.claims.schemas import REPORTED_MAIN, REPORTED_REFERENCES
from exhibits.claims.tables.cells import count_text, source_labels
from exhibits.report.tables import Table
from mechaware.instruments.claims.agreement import boundary_agreement

READS = {
    "papers": "results/claims/summary/papers.parquet",
    "reported_main": "config/reported/claims_main.csv",
    "references": "config/reported/claims_references.csv",
}
CONFIG = {"boundary_shift": "claims/boundary_shift", "confidence_level": "confidence_level"}


def fill(
    *,
    papers: pd.DataFrame,
    reported_main: Annotated[pd.DataFrame, REPORTED_MAIN],
    references: Annotated[pd.DataFrame, REPORTED_REFERENCES],
    judge_labels: Mapping[str, str],
    boundary_shift: float,
    confidence_level: float,
) -> Table:
    """For each source of scores: the agreement as it is, by source of labels, and after each boundary is moved."""
    table = boundary_agreement(
        reported_main,
        papers,
        judge_labels,
        references,
        shift=boundary_shift,
        confidence_level=confidence_level,
    )
    # A boundary is not shown if moving it changes no paper.
    numbers = table[table["boundary"].isna() | (table["changed"] != "")]
    n = numbers["n"]
    shown = pd.DataFrame(
        {
            "Source": source_labels(numbers["source"], judge_labels),
            "Labels": numbers["labels"],
            "Boundary": list(map(_move, numbers["boundary"], numbers["moved_to"])),
            "Papers that change": list(map(_changes, numbers["changed"], numbers["boundary"])),
            "Exact": list(map(count_text, numbers["exact"], n)),
            "Commonest tier": list(map(count_text, numbers["commonest"], n)),
            "Within one": list(map(count_text, numbers["within_one"], n)),
            "Too high": list(map(_errors, numbers["up"], n)),
            "Too low": list(map(_errors, numbers["down"], n)),
        }
    )
    return Table(table, shown)


def _move(boundary: float, moved_to: float) -> str:
    if pd.isna(boundary):
        return "none moved"
    return f"{boundary:.1f} to {moved_to:.1f}"


def _errors(count: int, n: int) -> str:
    return str(count) if n else ""


def _changes(papers: str, boundary: float) -> str:
    """The papers whose tier a moved boundary changes; empty where none was moved."""
    if pd.isna(boundary):
        return ""
    return ", ".join(papers.split()) or "none"
