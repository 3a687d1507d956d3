"""The columns that the claims study declares for its values are those that its writers write."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from exhibits.claims.schemas import REPORTED_MAIN, REPORTED_REFERENCES
from exhibits.claims.tables import (
    claims_author,
    claims_boundaries,
    claims_lists,
    claims_planted,
    claims_trust,
    claims_vote,
)
from exhibits.claims.value_tables import VALUE_TABLES
from exhibits.reanalysis import claims_implied
from mechaware.core.frames import read_csv
from tests.exhibits.claims.judged_papers import LABELS, tables
from tests.exhibits.reanalysis.printed import printed_tables
from tests.unit.verdicts.trust.responses_by_hand import THREE

DRAWS = {"seed": 1, "confidence_level": 0.95, "bootstrap_resamples": 20}
PRINTED = Path(__file__).resolve().parents[3] / "config/reported"


def planted() -> pd.DataFrame:
    names = ("papers", "runs", "criteria", "levels")
    summary = {name: table for name, table in tables().items() if name in names}
    return claims_planted.fill(**summary, judge_labels=LABELS, confidence_level=0.95).numbers


def boundaries() -> pd.DataFrame:
    return claims_boundaries.fill(
        papers=tables()["papers"],
        reported_main=read_csv(PRINTED / "claims_main.csv", REPORTED_MAIN),
        references=read_csv(PRINTED / "claims_references.csv", REPORTED_REFERENCES),
        judge_labels=LABELS,
        boundary_shift=0.5,
        confidence_level=0.95,
    ).numbers


def trust() -> pd.DataFrame:
    return claims_trust.fill(
        trials=THREE.assign(judge="mine"),
        judge_labels={"mine": "Mine"},
        confidence_level=0.95,
        least_sensitivity=0.5,
        least_locality=0.9,
        least_right=0.5,
    ).numbers


WRITTEN: dict[str, Callable[[], pd.DataFrame]] = {
    "claims_planted": planted,
    "claims_boundaries": boundaries,
    "claims_trust": trust,
    "claims_vote": lambda: claims_vote.vote_numbers(
        papers=10, repeats=1, seed=2, confidence_level=0.95
    ),
    "claims_author": lambda: claims_author.fill(**printed_tables(claims_author), **DRAWS).numbers,
    "claims_lists": lambda: claims_lists.fill(**printed_tables(claims_lists), **DRAWS).numbers,
    "claims_implied": lambda: claims_implied.fill(**printed_tables(claims_implied)).numbers,
}


@pytest.mark.parametrize("name", VALUE_TABLES)
def test_a_table_has_the_columns_that_are_declared(name: str) -> None:
    assert sorted(WRITTEN[name]()) == sorted(VALUE_TABLES[name].columns)
