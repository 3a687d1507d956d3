"""How the agreement of tiers depends on the list of labels,
and on a shift of each tier boundary.
"""

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
    """For each source of scores: the agreement for each set of labels, and after each boundary is
    moved.

    The cells leave out a moved boundary that changes no paper; the numbers have it.
    """
    numbers = boundary_agreement(
        reported_main,
        papers,
        judge_labels,
        references,
        shift=boundary_shift,
        confidence_level=confidence_level,
    )
    rows = numbers[numbers["boundary"].isna() | (numbers["changed"] != "")]
    n = rows["n"]
    shown = pd.DataFrame(
        {
            "Source": source_labels(rows["source"], judge_labels),
            "Labels": rows["labels"],
            "Boundary": list(map(_move, rows["boundary"], rows["moved_to"])),
            "Papers that change": [", ".join(papers.split()) for papers in rows["changed"]],
            "Exact": list(map(count_text, rows["exact"], n)),
            "Commonest tier": list(map(count_text, rows["commonest"], n)),
            "Within one": list(map(count_text, rows["within_one"], n)),
            "Too high": list(map(_errors, rows["up"], n)),
            "Too low": list(map(_errors, rows["down"], n)),
        }
    )
    return Table(numbers, shown)


def _move(boundary: float, moved_to: float) -> str:
    """Where a boundary was and where it is moved to."""
    if pd.isna(boundary):
        return "none moved"
    return f"{boundary:.1f} to {moved_to:.1f}"


def _errors(count: int, n: int) -> str:
    """The number of errors; empty without papers."""
    return str(count) if n else ""
