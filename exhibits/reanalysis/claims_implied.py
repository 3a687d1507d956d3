"""What the numbers that the claim-validity paper prints imply,
derived from nothing but them and the rubric.
"""

from typing import Annotated

import pandas as pd

from exhibits.claims import schemas
from exhibits.reanalysis.claims.agreement import (
    agreement_of_tiers,
    agreement_with_references,
    moved_boundaries,
)
from exhibits.reanalysis.claims.audit import leak_audit
from exhibits.reanalysis.claims.counts import claims_by_judge, coverage
from exhibits.reanalysis.claims.main_claims import main_claims
from exhibits.reanalysis.claims.printed import Printed
from exhibits.reanalysis.claims.scores import criteria_that_count, printed_scores, worked_example
from exhibits.reanalysis.claims.vote import single_runs
from exhibits.reanalysis.implied import Implied, implied_table
from exhibits.report.tables import Table

READS = {
    "papers": "config/reported/claims_papers.csv",
    "main": "config/reported/claims_main.csv",
    "single_run": "config/reported/claims_single_run.csv",
    "per_paper": "config/reported/claims_per_paper.csv",
    "judges": "config/reported/claims_judges.csv",
    "claims": "config/reported/claims_claims.csv",
    "boundaries": "config/reported/claims_boundaries.csv",
    "statements": "config/reported/claims_statements.csv",
    "references": "config/reported/claims_references.csv",
}


def fill(
    *,
    papers: Annotated[pd.DataFrame, schemas.REPORTED_PAPERS],
    main: Annotated[pd.DataFrame, schemas.REPORTED_MAIN],
    single_run: Annotated[pd.DataFrame, schemas.REPORTED_SINGLE_RUN],
    per_paper: Annotated[pd.DataFrame, schemas.REPORTED_PER_PAPER],
    judges: Annotated[pd.DataFrame, schemas.REPORTED_JUDGES],
    claims: Annotated[pd.DataFrame, schemas.REPORTED_CLAIMS],
    boundaries: Annotated[pd.DataFrame, schemas.REPORTED_BOUNDARIES],
    statements: Annotated[pd.DataFrame, schemas.REPORTED_STATEMENTS],
    references: Annotated[pd.DataFrame, schemas.REPORTED_REFERENCES],
) -> Table:
    """One row per printed number or statement: what is printed, what follows from the other printed
    numbers and the rubric, and by which argument.
    """
    printed = Printed(
        papers=papers.set_index("paper"),
        main=main.set_index("paper"),
        single_run=single_run.set_index("paper"),
        per_paper=per_paper.set_index("paper"),
        claims=claims.set_index("paper"),
        judges=judges,
        boundaries=boundaries.set_index(["boundary", "moved_to"]),
        statements=statements.set_index("quantity"),
        references=references,
    )
    rows: list[Implied] = []
    rows += agreement_of_tiers(printed)
    rows += agreement_with_references(printed)
    rows += coverage(printed)
    rows += printed_scores(printed)
    rows += worked_example(printed)
    rows += single_runs(printed)
    rows += leak_audit(printed)
    rows += main_claims(printed)
    rows += moved_boundaries(printed)
    rows += claims_by_judge(printed)
    rows += criteria_that_count()
    return implied_table(rows)
