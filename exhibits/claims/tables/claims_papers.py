"""The claim-validity paper's Table 2: its case studies, then the papers judged here,
with their reference tiers.
"""

from collections.abc import Mapping
from typing import Annotated, Any

import pandas as pd

from exhibits.claims.schemas import REPORTED_PAPERS, REPORTED_REFERENCES
from exhibits.claims.tables.cells import score_text, tier_text
from exhibits.report.tables import Table

READS = {
    "papers": "results/claims/summary/papers.parquet",
    "levels": "results/claims/summary/levels.parquet",
    "reported_papers": "config/reported/claims_papers.csv",
    "references": "config/reported/claims_references.csv",
}
COLUMNS = (
    "source",
    "paper",
    "title",
    "citation",
    "identifier",
    "expected_tier",
    "expected_cvs",
    "label_source",
    "planted_claims",
    "planted_leaks",
    "place",
)


def fill(
    *,
    papers: pd.DataFrame,
    levels: pd.DataFrame,
    reported_papers: Annotated[pd.DataFrame, REPORTED_PAPERS],
    references: Annotated[pd.DataFrame, REPORTED_REFERENCES],
) -> Table:
    """The printed papers, then every paper that was judged here; a planted paper with what was
    planted in it.

    `references` holds further lists of tiers by the paper's author; each list has a column.
    """
    judged = papers.drop_duplicates("paper")
    # A row of `levels` is a criterion of a planted claim. It is a leak if the text offers the whole
    # circuit's evidence on it, which does not count for this claim.
    ours = judged[["paper", "title", "expected_tier", "expected_cvs", "label_source"]].assign(
        source="ours",
        citation="",
        identifier="",
        planted_claims=judged["paper"].map(levels.groupby("paper")["claim"].nunique()),
        planted_leaks=judged["paper"].map(levels.groupby("paper")["leak"].sum()),
        place="",
    )
    numbers = pd.concat([reported_papers.assign(source="reported"), ours], ignore_index=True)
    numbers = numbers.astype({"planted_claims": "Int64", "planted_leaks": "Int64"})[list(COLUMNS)]

    in_lists: dict[str, pd.Series] = {}
    for name, listed in references.groupby("reference", sort=False):
        tiers = listed.set_index("paper")["tier"]
        in_lists[str(name)] = numbers["paper"].map(tiers).fillna("")
    numbers = numbers.assign(**in_lists)
    return Table(numbers, _shown(numbers, in_lists))


def _shown(numbers: pd.DataFrame, in_lists: Mapping[str, pd.Series]) -> pd.DataFrame:
    """The printed columns, with a column of tiers for each list."""
    # The label says who set the expected tier.
    sources_and_labels = numbers["source"] + ", " + numbers["label_source"]
    has_identifier = numbers["identifier"] != ""
    cells = pd.DataFrame(
        {
            "Source, label": sources_and_labels.str.removesuffix(", "),
            "Paper": numbers["title"],
            "Identifier": numbers["identifier"].where(has_identifier, numbers["paper"]),
            "Expected tier": numbers["expected_tier"].map(tier_text),
        }
    )
    for name, tiers in in_lists.items():
        cells[f"In {name}"] = tiers.map(tier_text)
    planted = map(
        _planted_cell,
        numbers["expected_cvs"],
        numbers["planted_claims"],
        numbers["planted_leaks"],
    )
    cells["Planted CVS, claims, leaks"] = list(planted)
    return cells


def _planted_cell(cvs: float, claims: Any, leaks: Any) -> str:
    """The planted CVS, the number of planted claims and of planted leaks;
    empty for a paper that is not planted.
    """
    if pd.isna(claims):
        return ""
    return f"{score_text(cvs)}, {claims}, {leaks}"
