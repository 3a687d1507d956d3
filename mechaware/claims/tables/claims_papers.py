"""The claim-validity paper's Table 2: the papers with their reference tiers, its case studies and ours."""

from typing import Annotated

import pandas as pd

from mechaware.claims.schemas import REPORTED_PAPERS
from mechaware.claims.tables.cells import score_text, tier_text, whole_text
from mechaware.report.tables import Table

READS = {
    "papers": "results/claims/summary/papers.parquet",
    "truth": "results/claims/summary/truth.parquet",
    "levels": "results/claims/summary/levels.parquet",
    "reported_papers": "config/reported/claims_papers.csv",
}
COLUMNS = (
    *("source", "paper", "title", "citation", "identifier", "expected_tier", "expected_cvs", "label_source"),
    *("planted_claims", "planted_leaks", "place"),
)


def fill(
    *,
    papers: pd.DataFrame,
    truth: pd.DataFrame,
    levels: pd.DataFrame,
    reported_papers: Annotated[pd.DataFrame, REPORTED_PAPERS],
) -> Table:
    """The printed papers, then every paper that was judged here; planted ones with what was planted in them."""
    judged = papers.drop_duplicates("paper")
    ours = judged[["paper", "title", "expected_tier", "expected_cvs", "label_source"]].assign(
        source="ours",
        citation="",
        identifier="",
        planted_claims=judged["paper"].map(truth.groupby("paper").size()),
        planted_leaks=judged["paper"].map(levels.groupby("paper")["leak"].sum()),
        place="",
    )
    numbers = pd.concat([reported_papers.assign(source="reported"), ours], ignore_index=True)
    numbers = numbers.astype({"planted_claims": "Int64", "planted_leaks": "Int64"})[list(COLUMNS)]
    shown = pd.DataFrame(
        {
            "Source": numbers["source"],
            "Paper": numbers["title"],
            "Identifier": numbers["identifier"].where(numbers["identifier"] != "", numbers["paper"]),
            "Expected tier": numbers["expected_tier"].map(tier_text),
            "Planted CVS": numbers["expected_cvs"].map(score_text),
            "Label": numbers["label_source"],
            "Planted claims": list(map(whole_text, numbers["planted_claims"])),
            "Planted leaks": list(map(whole_text, numbers["planted_leaks"])),
        }
    )
    return Table(numbers, shown)
