"""How far the author's statuses of May and of August agree: five pairs by hand, and the committed
statuses.
"""

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
# Five pairs of statuses, one of May and one of August.
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


def sklearn_kappa(pairs: pd.DataFrame) -> float:
    """Cohen's kappa of May and August with quadratic weights, all criteria together."""
    ranks = {"NO": 0, "PARTIAL": 1, "YES": 2}
    may = pairs["may"].map(ranks)
    august = pairs["august"].map(ranks)
    return cohen_kappa_score(may, august, weights="quadratic")


def test_the_measures_of_five_pairs() -> None:
    counts = count_pairs(PAIRS).sum(axis=0)
    assert exact(counts) == pytest.approx(3 / 5)
    # August has PARTIAL, the constant answer, in two of the five.
    assert constant(counts) == pytest.approx(2 / 5)

    # A disagreement is a squared distance: 1 for one step, 4 for the two steps from NO to YES.
    # C1, n = 3. Observed: 1, for the first claim. By chance: May has YES 2 and PARTIAL 1; August
    # YES 1 and PARTIAL 2. Of the nine combinations 2 * 2 (YES in May, PARTIAL in August) and 1 * 1
    # (PARTIAL in May, YES in August) are one step apart: 5 / 3.
    # I1, n = 2. Observed: 4, for the first claim. By chance: May has NO 2; August NO 1 and YES 1.
    # Of the four combinations 2 * 1 are two steps apart: 2 * 4 / 2 = 4.
    assert quadratic_kappa_within(counts) == pytest.approx(1 - (1 + 4) / (5 / 3 + 4))

    assert kappa(counts) == pytest.approx(sklearn_kappa(PAIRS))


def test_one_status_for_each_criterion_has_a_kappa_of_0_within_criteria() -> None:
    """May gives a criterion the same status on every claim. August repeats it in about 7 of 10
    cases, and has PARTIAL in the others.

    Kappa over all criteria is high, because criteria that are met in May are mostly met in August.
    Within a criterion May does not vary, so that the disagreement is what chance gives.
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
    """C3 is N/A in May, M6 has no counterpart, and the claim `grokking` has no page of May.

    The claim `copying` of May is the claim `copy_heads` of August.
    """

    def table(text: str) -> pd.DataFrame:
        """The table of a text in CSV, with the dates written out."""
        rows = pd.read_csv(io.StringIO(text), keep_default_na=False, skipinitialspace=True)
        return rows.replace({"May": MAY, "August": AUGUST})

    statuses = table(
        """audit,claim,criterion,word
        May,copying,C1,Pass
        May,copying,C3,N/A
        May,copying,M6,Good
        May,copying,I3,Weak
        August,copy_heads,C1,PC
        August,copy_heads,C4,C
        August,copy_heads,I4,U
        August,grokking,C1,D"""
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
    audited = table(
        """page,audit,same_scope
        copying,copy_heads,False"""
    )
    pairs = pair_statuses(statuses, words, mapping, audited)
    compared = pairs[["claim", "criterion", "may", "august"]].values.tolist()

    assert compared == [["copying", "C1", "YES", "PARTIAL"], ["copying", "I3", "NO", "NO"]]


def paired_in_a_loop() -> Iterator[tuple[str, str]]:
    """The committed statuses of May and August in pairs, computed row by row without pandas."""

    def rows(name: str) -> list[dict[str, str]]:
        """The rows of config/reported/claims_{name}.csv."""
        with (REPORTED / f"claims_{name}.csv").open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    status_of_word = {(row["audit"], row["word"]): row["status"] for row in rows("words")}
    statuses = {}
    for row in rows("statuses"):
        key = (row["audit"], row["claim"], row["criterion"])
        statuses[key] = status_of_word[row["audit"], row["word"]]

    for claim in rows("audited"):
        for criterion in rows("mapping"):
            if criterion["relation"] == "none":
                continue
            may = statuses[MAY, claim["page"], criterion["criterion"]]
            august = statuses[AUGUST, claim["audit"], criterion["counterpart"]]
            if "N/A" not in (may, august):
                yield may, august


def test_partial_throughout_predicts_august_better_than_the_committed_statuses_of_may() -> None:
    rows = status_agreement(committed_pairs(), **DRAWS).set_index("pairs")
    looped = list(paired_in_a_loop())

    # 13 claims with 23 criteria that have a counterpart, less 11 pairs to which a rubric does not
    # apply.
    assert rows.loc["all", "n"] == len(looped) == 13 * 23 - 11
    # The page and the audit of 4 of the 13 claims differ in paper or scope.
    assert rows["claims"].to_dict() == {
        "all": 13,
        "same criteria": 13,
        "same papers": 13 - 4,
        "weak as PARTIAL": 13,
    }

    same = sum(may == august for may, august in looped)
    partial = sum(august == "PARTIAL" for _, august in looped)

    assert (same, partial) == (116, 156)
    assert rows.loc["all", "exact"] == pytest.approx(116 / 288)
    assert rows.loc["all", "constant"] == pytest.approx(156 / 288)
    assert rows.loc["all", "lead"] == pytest.approx(-40 / 288)
    assert rows.loc["all", "lead_high"] < 0


def test_kappa_of_the_committed_statuses_is_sklearns() -> None:
    pairs = committed_pairs()
    counts = count_pairs(pairs).sum(axis=0)

    assert kappa(counts) == pytest.approx(sklearn_kappa(pairs))


def test_the_mapping_shows_counterparts_and_how_often_the_statuses_agree() -> None:
    table = claims_mapping.fill(**printed_tables(claims_mapping))
    shown = table.shown.set_index("May 2026")

    assert shown.loc["C4 Minimality", "August 2026"] == "I3 Minimality"
    assert shown.loc["M6 Construct coverage", ["August 2026", "Same status"]].tolist() == ["", ""]
    # On none of the 13 claims do the page and the audit have the same status for I5.
    assert shown.loc["I5 Confound control", "Same status"] == "0 of 13"
    assert (table.numbers["exact"].sum(), table.numbers["n"].sum()) == (116, 288)
