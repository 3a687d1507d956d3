"""How far the author of Claim Validity Scores agrees with himself: May 2026 against August 2026.

His statuses of May are on pages of case studies, his statuses of August in audits.
"""

from typing import Annotated

import pandas as pd

from exhibits.author.agreement import (
    ALL,
    BY_NAME,
    SAME_SCOPE,
    WEAK,
    pair_statuses,
    status_agreement,
)
from exhibits.claims import schemas
from exhibits.claims.tables.cells import share_cells
from exhibits.report.tables import Table, fixed, with_interval

READS = {
    "statuses": "config/reported/claims_statuses.csv",
    "words": "config/reported/claims_words.csv",
    "mapping": "config/reported/claims_mapping.csv",
    "audited": "config/reported/claims_audited.csv",
}
CONFIG = {"confidence_level": "confidence_level", "bootstrap_resamples": "bootstrap_resamples"}
SETS = {
    ALL: "All pairs",
    BY_NAME: "Criteria of the same name in both rubrics",
    SAME_SCOPE: "Claims of the same paper and scope",
    WEAK: "All pairs, with Weak counted as PARTIAL",
}


def fill(
    *,
    statuses: Annotated[pd.DataFrame, schemas.REPORTED_STATUSES],
    words: Annotated[pd.DataFrame, schemas.REPORTED_WORDS],
    mapping: Annotated[pd.DataFrame, schemas.REPORTED_MAPPING],
    audited: Annotated[pd.DataFrame, schemas.REPORTED_AUDITED],
    seed: int,
    confidence_level: float,
    bootstrap_resamples: int,
) -> Table:
    """A row for each set of pairs, each of a claim and a criterion with statuses of both dates."""
    pairs = pair_statuses(statuses, words, mapping, audited)
    numbers = status_agreement(
        pairs, resamples=bootstrap_resamples, seed=seed, confidence_level=confidence_level
    )
    shown = pd.DataFrame(
        {
            "Pairs": numbers["pairs"].map(SETS),
            "n": numbers["n"].astype(str),
            "Claims": numbers["claims"].astype(str),
            "Same status, %": share_cells(numbers, "exact"),
            "PARTIAL throughout, %": share_cells(numbers, "constant"),
            "Weighted kappa": _kappas(numbers, "kappa"),
            "Weighted within criteria": _kappas(numbers, "quadratic_kappa_within"),
        }
    )
    return Table(numbers, shown)


def _kappas(numbers: pd.DataFrame, name: str) -> list[str]:
    """The cells of the kappa `name`: its value and its interval, with two decimals."""
    cells = []
    for _, row in numbers.iterrows():
        interval = f"{fixed(row[f'{name}_low'], 2)} to {fixed(row[f'{name}_high'], 2)}"
        cells.append(with_interval(fixed(row[name], 2), interval))
    return cells
