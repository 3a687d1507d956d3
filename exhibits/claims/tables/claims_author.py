"""How far the author of Claim Validity Scores agrees with himself: his statuses of May 2026 against those of August."""

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
    """A row for each set of pairs of a claim and a criterion that both dates judge."""
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
    """A kappa with its interval, with two decimals."""
    ends = zip(numbers[f"{name}_low"], numbers[f"{name}_high"], strict=True)
    intervals = [f"{fixed(low, 2)} to {fixed(high, 2)}" for low, high in ends]
    values = [fixed(value, 2) for value in numbers[name]]
    return list(map(with_interval, values, intervals))
