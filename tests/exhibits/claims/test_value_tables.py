"""The tables of values of the claims study have the columns that `VALUE_TABLES` declares.

Each table is written here by the function that writes it in the workflow, from a small input.
"""

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

BOOTSTRAP = {"seed": 1, "confidence_level": 0.95, "bootstrap_resamples": 20}
PRINTED = Path(__file__).resolve().parents[3] / "config/reported"


def write_planted() -> pd.DataFrame:
    judged = tables()
    summary = {name: judged[name] for name in ("papers", "runs", "criteria", "levels")}
    return claims_planted.fill(**summary, judge_labels=LABELS, confidence_level=0.95).numbers


def write_boundaries() -> pd.DataFrame:
    return claims_boundaries.fill(
        papers=tables()["papers"],
        reported_main=read_csv(PRINTED / "claims_main.csv", REPORTED_MAIN),
        references=read_csv(PRINTED / "claims_references.csv", REPORTED_REFERENCES),
        judge_labels=LABELS,
        boundary_shift=0.5,
        confidence_level=0.95,
    ).numbers


def write_trust() -> pd.DataFrame:
    return claims_trust.fill(
        trials=THREE.assign(judge="mine"),
        judge_labels={"mine": "Mine"},
        confidence_level=0.95,
        least_sensitivity=0.5,
        least_locality=0.9,
        least_right=0.5,
    ).numbers


def write_vote() -> pd.DataFrame:
    return claims_vote.vote_numbers(papers=10, repeats=1, seed=2, confidence_level=0.95)


def write_author() -> pd.DataFrame:
    return claims_author.fill(**printed_tables(claims_author), **BOOTSTRAP).numbers


def write_lists() -> pd.DataFrame:
    return claims_lists.fill(**printed_tables(claims_lists), **BOOTSTRAP).numbers


def write_implied() -> pd.DataFrame:
    return claims_implied.fill(**printed_tables(claims_implied)).numbers


WRITERS: dict[str, Callable[[], pd.DataFrame]] = {
    "claims_planted": write_planted,
    "claims_boundaries": write_boundaries,
    "claims_trust": write_trust,
    "claims_vote": write_vote,
    "claims_author": write_author,
    "claims_lists": write_lists,
    "claims_implied": write_implied,
}


@pytest.mark.parametrize("name", VALUE_TABLES)
def test_a_table_has_the_columns_that_are_declared(name: str) -> None:
    written = WRITERS[name]()

    assert sorted(written.columns) == sorted(VALUE_TABLES[name].columns)
