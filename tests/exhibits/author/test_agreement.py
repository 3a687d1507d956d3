"""How far the statuses of two dates agree: a small table by hand, and the committed statuses."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score

from exhibits.author.agreement import (
    constant,
    count_pairs,
    exact,
    kappa,
    pair_statuses,
    quadratic_kappa_within,
    status_agreement,
)
from exhibits.author.extraction import AUGUST, MAY
from exhibits.claims import schemas
from exhibits.claims.tables import claims_mapping
from mechaware.core.frames import read_csv
from tests.exhibits.reanalysis.printed import printed_tables

REPORTED = Path(__file__).resolve().parents[3] / "config/reported"
DRAWS = {"resamples": 200, "seed": 3, "confidence_level": 0.95}
# Five pairs of statuses of May and of August.
PAIRS = pd.DataFrame(
    [
        ("first", "C1", "YES", "PARTIAL"),
        ("second", "C1", "YES", "YES"),
        ("third", "C1", "PARTIAL", "PARTIAL"),
        ("first", "I1", "NO", "YES"),
        ("second", "I1", "NO", "NO"),
    ],
    columns=["claim", "criterion", "may", "august"],
)


def reported(name: str) -> pd.DataFrame:
    """A committed table, config/reported/claims_{name}.csv."""
    schema = getattr(schemas, f"REPORTED_{name.upper()}")
    return read_csv(REPORTED / f"claims_{name}.csv", schema)


def committed_pairs() -> pd.DataFrame:
    """The pairs of May and August of the committed statuses."""
    return pair_statuses(
        reported("statuses"), reported("words"), reported("mapping"), reported("audited")
    )


def test_the_measures_of_five_pairs() -> None:
    counts = count_pairs(PAIRS).sum(axis=0)
    assert exact(counts) == pytest.approx(3 / 5)
    assert constant(counts) == pytest.approx(2 / 5)

    # C1: disagreement 1 for the first claim. Chance: May has YES 2, PARTIAL 1; August YES 1,
    # PARTIAL 2. Of the nine combinations YES with PARTIAL 2 * 2 and PARTIAL with YES 1 * 1 are one
    # step apart: 5, over n = 3.
    # I1: disagreement 4. Chance: May has NO 2; August NO 1 and YES 1. Of the four combinations
    # 2 * 1 are two steps apart, 4 each: 8, over n = 2.
    assert quadratic_kappa_within(counts) == pytest.approx(1 - (1 + 4) / (5 / 3 + 4))

    ranks = {"NO": 0, "PARTIAL": 1, "YES": 2}
    may = PAIRS["may"].map(ranks)
    august = PAIRS["august"].map(ranks)
    assert kappa(counts) == pytest.approx(cohen_kappa_score(may, august, weights="quadratic"))


def test_one_status_for_each_criterion_has_no_kappa_within_criteria() -> None:
    """May gives each criterion its own status. August agrees in about 7 of 10 cases, else PARTIAL.

    So kappa over all criteria is high.
    """
    generator = np.random.default_rng(5)
    names = ("NO", "PARTIAL", "YES")
    rows = []
    for claim in range(40):
        for number in range(9):
            may = names[number % 3]
            august = may if generator.random() < 0.7 else "PARTIAL"
            rows.append((str(claim), f"C{number}", may, august))
    pairs = pd.DataFrame(rows, columns=["claim", "criterion", "may", "august"])

    counts = count_pairs(pairs).sum(axis=0)

    assert kappa(counts) > 0.7
    assert quadratic_kappa_within(counts) == pytest.approx(0)


def test_kappa_within_criteria_is_undefined_where_no_disagreement_is_expected() -> None:
    pairs = PAIRS.assign(may="YES", august="YES")
    assert np.isnan(quadratic_kappa_within(count_pairs(pairs).sum(axis=0)))


def test_pairs_are_those_to_which_both_rubrics_apply() -> None:
    """C3 is N/A in May, M6 has no counterpart, and the claim `other` was not audited in May."""

    def table(text: str) -> pd.DataFrame:
        rows = pd.read_csv(io.StringIO(text), keep_default_na=False, skipinitialspace=True)
        return rows.replace({"May": MAY, "August": AUGUST})

    statuses = table(
        """audit,claim,criterion,word
        May,page,C1,Pass
        May,page,C3,N/A
        May,page,M6,Good
        May,page,I3,Weak
        August,audit,C1,PC
        August,audit,C4,C
        August,audit,I4,U
        August,other,C1,D"""
    )
    words = table(
        """audit,word,status
        May,Pass,YES
        May,Good,YES
        May,Weak,NO
        May,N/A,N/A
        August,C,YES
        August,PC,PARTIAL
        August,U,NO
        August,D,NO"""
    )
    mapping = table(
        """criterion,relation,counterpart
        C1,same,C1
        C3,near,C4
        M6,none,
        I3,same,I4"""
    )
    audited = table("page,audit,same_scope\npage,audit,False")
    pairs = pair_statuses(statuses, words, mapping, audited)
    compared = pairs[["claim", "criterion", "may", "august"]].values.tolist()

    assert compared == [["page", "C1", "YES", "PARTIAL"], ["page", "I3", "NO", "NO"]]


def counted_in_a_loop() -> Iterator[tuple[str, str]]:
    """The pairs of the committed statuses once more, row by row and without pandas."""

    def rows(name: str) -> list[dict[str, str]]:
        with (REPORTED / f"claims_{name}.csv").open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    status = {(row["audit"], row["word"]): row["status"] for row in rows("words")}
    given = {}
    for row in rows("statuses"):
        key = (row["audit"], row["claim"], row["criterion"])
        given[key] = status[row["audit"], row["word"]]

    for claim in rows("audited"):
        for criterion in rows("mapping"):
            if criterion["relation"] == "none":
                continue
            may = given[MAY, claim["page"], criterion["criterion"]]
            august = given[AUGUST, claim["audit"], criterion["counterpart"]]
            if "N/A" not in (may, august):
                yield may, august


def test_the_committed_statuses_agree_less_than_one_answer_would() -> None:
    rows = status_agreement(committed_pairs(), **DRAWS).set_index("pairs")
    counted = list(counted_in_a_loop())

    # 13 claims with 23 criteria that have a counterpart, less 11 to which a rubric does not apply.
    assert rows.loc["all", "n"] == len(counted) == 13 * 23 - 11
    assert rows["claims"].tolist() == [13, 13, 9, 13]

    same = sum(may == august for may, august in counted)
    partial = sum(august == "PARTIAL" for _, august in counted)

    assert (same, partial) == (116, 156)
    assert rows.loc["all", "exact"] == pytest.approx(116 / 288)
    assert rows.loc["all", "constant"] == pytest.approx(156 / 288)
    assert rows.loc["all", "lead"] == pytest.approx(-40 / 288)
    assert rows.loc["all", "lead_high"] < 0


def test_kappa_of_the_committed_statuses_is_sklearns() -> None:
    pairs = committed_pairs()
    ranks = {"NO": 0, "PARTIAL": 1, "YES": 2}
    may = pairs["may"].map(ranks)
    august = pairs["august"].map(ranks)

    counts = count_pairs(pairs).sum(axis=0)

    assert kappa(counts) == pytest.approx(cohen_kappa_score(may, august, weights="quadratic"))


def test_the_mapping_shows_counterparts_and_how_often_the_statuses_agree() -> None:
    table = claims_mapping.fill(**printed_tables(claims_mapping))
    shown = table.shown.set_index("May 2026")

    assert shown.loc["C4 Minimality", "August 2026"] == "I3 Minimality"
    assert shown.loc["M6 Construct coverage", ["August 2026", "Same status"]].tolist() == ["", ""]
    # On none of the 13 claims do page and audit have the same status of I5.
    assert shown.loc["I5 Confound control", "Same status"] == "0 of 13"
    assert (table.numbers["exact"].sum(), table.numbers["n"].sum()) == (116, 288)
