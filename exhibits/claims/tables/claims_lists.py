"""How far five lists of tiers by one author agree with each other and with the printed tiers."""

from typing import Annotated

import pandas as pd

from exhibits.author.tier_lists import (
    PRINTED_AND_LIST,
    TWO_LISTS,
    tier_list_agreement,
    tiers_by_list,
)
from exhibits.claims import schemas
from exhibits.claims.tables.cells import share_cells
from exhibits.report.tables import Table

READS = {
    "papers": "config/reported/claims_papers.csv",
    "main": "config/reported/claims_main.csv",
    "references": "config/reported/claims_references.csv",
}
CONFIG = {"confidence_level": "confidence_level", "bootstrap_resamples": "bootstrap_resamples"}
# In the column First, the names of the two rows of means.
MEANS = {TWO_LISTS: "Two lists, mean", PRINTED_AND_LIST: "Printed tiers and a list, mean"}


def fill(
    *,
    papers: Annotated[pd.DataFrame, schemas.REPORTED_PAPERS],
    main: Annotated[pd.DataFrame, schemas.REPORTED_MAIN],
    references: Annotated[pd.DataFrame, schemas.REPORTED_REFERENCES],
    seed: int,
    confidence_level: float,
    bootstrap_resamples: int,
) -> Table:
    """A row for each pair of lists, and for the printed tiers with each list; the means last.

    The lists are the claim-validity paper's own and those of `references`. All rows are on the
    papers that all lists have (`tier_list_agreement`).
    """
    numbers = tier_list_agreement(
        tiers_by_list(papers, main, references),
        resamples=bootstrap_resamples,
        seed=seed,
        confidence_level=confidence_level,
    )
    shown = pd.DataFrame(
        {
            "First": numbers["first"].map(lambda name: MEANS.get(name, name)),
            "Second": numbers["second"],
            "Papers": numbers["n"].astype(str),
            "Same tier, %": share_cells(numbers, "exact"),
            "At most one apart, %": share_cells(numbers, "within_one"),
            "Second higher": numbers["higher"].astype(str).replace("<NA>", ""),
            "Second lower": numbers["lower"].astype(str).replace("<NA>", ""),
        }
    )
    return Table(numbers, shown)
