"""The claim-validity paper's Table 2: the papers with their reference tiers, its case studies and ours."""

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
PLANTED = ("expected_cvs", "planted_claims", "planted_leaks")
COLUMNS = (
    *(
        "source",
        "paper",
        "title",
        "citation",
        "identifier",
        "expected_tier",
        "expected_cvs",
        "label_source",
    ),
    *("planted_claims", "planted_leaks", "place"),
)


def fill(
    *,
    papers: pd.DataFrame,
    levels: pd.DataFrame,
    reported_papers: Annotated[pd.DataFrame, REPORTED_PAPERS],
    references: Annotated[pd.DataFrame, REPORTED_REFERENCES],
) -> Table:
    """The printed papers, then every paper that was judged here; planted ones with what was planted in them.

    A column for each of `references` has the tiers of papers in that list, another one of the same authors.
    """
    judged = papers.drop_duplicates("paper")
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
    lists = {
        name: listed.set_index("paper")["tier"]
        for name, listed in references.groupby("reference", sort=False)
    }
    others = {str(name): numbers["paper"].map(tiers).fillna("") for name, tiers in lists.items()}
    numbers = numbers.assign(**others)
    # The label says who set the expected tier.
    sources_and_labels = numbers["source"] + ", " + numbers["label_source"]
    shown = pd.DataFrame(
        {
            "Source, label": sources_and_labels.str.removesuffix(", "),
            "Paper": numbers["title"],
            "Identifier": numbers["identifier"].where(
                numbers["identifier"] != "", numbers["paper"]
            ),
            "Expected tier": numbers["expected_tier"].map(tier_text),
            **{f"In {name}": tiers.map(tier_text) for name, tiers in others.items()},
            "Planted CVS, claims, leaks": list(
                map(_planted_cell, *(numbers[name] for name in PLANTED))
            ),
        }
    )
    return Table(numbers, shown)


def _planted_cell(cvs: float, claims: Any, leaks: Any) -> str:
    return "" if pd.isna(claims) else f"{score_text(cvs)}, {claims}, {leaks}"
