"""What the numbers that the claim-validity paper prints imply, worked out from them and the rubric alone."""

from typing import Annotated

import pandas as pd

from mechaware.claims.schemas import (
    REPORTED_BOUNDARIES,
    REPORTED_CLAIMS,
    REPORTED_JUDGES,
    REPORTED_MAIN,
    REPORTED_PAPERS,
    REPORTED_PER_PAPER,
    REPORTED_SINGLE_RUN,
    REPORTED_STATEMENTS,
)
from mechaware.claims.study.implied import implied_numbers
from mechaware.report.tables import Table

READS = {
    "reported_papers": "config/reported/claims_papers.csv",
    "reported_main": "config/reported/claims_main.csv",
    "reported_single_run": "config/reported/claims_single_run.csv",
    "reported_per_paper": "config/reported/claims_per_paper.csv",
    "reported_judges": "config/reported/claims_judges.csv",
    "reported_claims": "config/reported/claims_claims.csv",
    "reported_boundaries": "config/reported/claims_boundaries.csv",
    "reported_statements": "config/reported/claims_statements.csv",
}


def fill(
    *,
    reported_papers: Annotated[pd.DataFrame, REPORTED_PAPERS],
    reported_main: Annotated[pd.DataFrame, REPORTED_MAIN],
    reported_single_run: Annotated[pd.DataFrame, REPORTED_SINGLE_RUN],
    reported_per_paper: Annotated[pd.DataFrame, REPORTED_PER_PAPER],
    reported_judges: Annotated[pd.DataFrame, REPORTED_JUDGES],
    reported_claims: Annotated[pd.DataFrame, REPORTED_CLAIMS],
    reported_boundaries: Annotated[pd.DataFrame, REPORTED_BOUNDARIES],
    reported_statements: Annotated[pd.DataFrame, REPORTED_STATEMENTS],
) -> Table:
    """One row per printed number: what is printed, what follows from the rest of the paper, and how."""
    numbers = implied_numbers(
        {
            "papers": reported_papers,
            "main": reported_main,
            "single_run": reported_single_run,
            "per_paper": reported_per_paper,
            "judges": reported_judges,
            "claims": reported_claims,
            "boundaries": reported_boundaries,
            "statements": reported_statements,
        }
    )
    return Table(numbers, numbers.rename(columns=str.capitalize))
