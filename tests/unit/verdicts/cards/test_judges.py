"""The tables of judges, written by hand, become the units of their cards."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import pandas as pd
import pytest

from mechaware.instruments.claims.rubric.criteria import CRITERIA
from mechaware.verdicts.cards.card import Instrument
from mechaware.verdicts.cards.judges import judges
from tests.unit.verdicts.cards.saved_tables import saved, units

CODES = list(CRITERIA)


def on_c1(instrument: Instrument) -> Instrument:
    """The instrument with only its units on the criterion C1."""
    return instrument._replace(rows=instrument.rows[instrument.rows["condition"] == "C1"])


def planted_levels(**truth_of_papers: str) -> pd.DataFrame:
    """The true statuses of one claim a paper: as given on C1, and NO on the other criteria."""
    rows = []
    for paper, truth_of_c1 in truth_of_papers.items():
        for code in CODES:
            truth = truth_of_c1 if code == "C1" else "NO"
            rows.append({"paper": paper, "claim": 0, "criterion": code, "truth": truth})
    return pd.DataFrame(rows)


def judges_of(
    folder: Path,
    criteria: pd.DataFrame,
    levels: pd.DataFrame,
    papers: pd.DataFrame,
    *,
    trials: Sequence[Path] = (),
    labels: Mapping[str, str],
    on_prose: Mapping[str, str] = MappingProxyType({}),
) -> list[Instrument]:
    """`judges` on these tables, written to a folder; the last instrument is the blind judge."""
    return list(
        judges(
            saved(criteria, folder / "criteria.parquet"),
            saved(levels, folder / "levels.parquet"),
            saved(papers, folder / "papers.parquet"),
            trials=trials,
            labels=labels,
            on_prose=on_prose,
        )
    )


@pytest.fixture
def judged(tmp_path: Path) -> list[Instrument]:
    """The judge of three of four planted papers, and the blind judge. The statuses on C1:

    | paper | truth | judge |
    |---|---|---|
    | a | YES | YES |
    | b | YES | did not read b |
    | c | NO | PARTIAL |
    | d | PARTIAL | missing |
    """
    levels = planted_levels(a="YES", b="YES", c="NO", d="PARTIAL")
    status_on_c1 = {"a": "YES", "c": "PARTIAL", "d": None}
    was_read = levels["paper"].isin(list(status_on_c1))
    criteria = levels[was_read].assign(judge="mine", stage="audited", status="NO")
    is_c1 = criteria["criterion"] == "C1"
    criteria.loc[is_c1, "status"] = criteria.loc[is_c1, "paper"].map(status_on_c1)
    papers = pd.DataFrame({"judge": "mine", "paper": list(status_on_c1)})
    return judges_of(tmp_path, criteria, levels, papers, labels={"mine": "Mine"})


def test_only_yes_counts_as_yes_in_a_status_and_in_its_truth(judged: list[Instrument]) -> None:
    mine, _ = judged

    assert units(on_c1(mine), "unit", "group", "truth", "score") == [
        ("a/0/C1", "a", True, 1.0),
        ("c/0/C1", "c", False, 0.0),
    ]


def test_a_card_names_what_was_not_measured_of_a_judge(judged: list[Instrument]) -> None:
    mine, _ = judged

    # Of the three papers that were read, only C1 of d has no status.
    assert mine.missing.startswith(f"1 of {3 * len(CODES)} planted statuses")
    assert "(snakemake results/claims/trust/mine measures them)" in mine.missing
    assert mine.missing.endswith("; real prose (mechaware judge measures it)")


def test_conditions_are_in_the_order_of_the_rubric(judged: list[Instrument]) -> None:
    assert list(dict.fromkeys(judged[0].rows["condition"])) == CODES


def test_the_blind_judge_has_yes_where_most_other_papers_have_yes(judged: list[Instrument]) -> None:
    """The truth is YES in papers a and b.

    For a, one of the three other papers has YES, and so for b. For c and for d two have.
    """
    _, blind = judged

    assert units(on_c1(blind), "group", "truth", "score") == [
        ("a", True, 0.0),
        ("b", True, 0.0),
        ("c", False, 1.0),
        ("d", False, 1.0),
    ]


def test_half_of_the_other_papers_are_not_most_of_them(tmp_path: Path) -> None:
    """For a, one of the two other papers has YES, and so for b. For c both have."""
    levels = planted_levels(a="YES", b="YES", c="NO")
    no_criteria = levels[:0].assign(judge="", stage="", status="")
    no_papers = pd.DataFrame({"judge": [], "paper": []}, dtype=str)
    [blind] = judges_of(tmp_path, no_criteria, levels, no_papers, labels={})

    assert units(on_c1(blind), "group", "score") == [("a", 0.0), ("b", 0.0), ("c", 1.0)]


def statuses(**letters: str) -> str:
    """27 statuses, Y, P or N: NO, but for the criteria named."""
    return "".join(letters.get(code, "N") for code in CODES)


def expectations(**letters: str) -> str:
    """27 expectations: to fall (f), to rise (r) or to stay (.) for the criteria named.

    The others may move or stay (?).
    """
    return "".join(letters.get(code, "?") for code in CODES)


@pytest.fixture
def edited(tmp_path: Path) -> Instrument:
    """A judge of one claim, with two edits, and with a sentence on real prose."""
    base = {
        "edit": "base",
        "criterion": "",
        "statuses": statuses(I1="Y", I2="N", C1="Y", C2="P", V1="P"),
        "expected": expectations(),
    }
    # I1 falls as it should. V1 and C1 should stay: V1 rises, and C1 stays.
    deleted = {
        "edit": "deleted",
        "criterion": "I1",
        "statuses": statuses(C1="Y", C2="P", V1="Y"),
        "expected": expectations(I1="f", V1=".", C1="."),
    }
    # I2 should fall from the bottom and C1 rise from the top: neither could move. C2 should rise
    # and falls: it has moved.
    toggled = {
        "edit": "toggled",
        "criterion": "C2",
        "statuses": statuses(I1="Y", C1="Y", V1="P"),
        "expected": expectations(I2="f", C1="r", C2="r"),
    }
    trials = pd.DataFrame([base, deleted, toggled])
    trials = trials.assign(paper="a", claim=0, edited="0", truth=statuses())

    levels = planted_levels(a="YES")
    mine, _ = judges_of(
        tmp_path,
        levels.assign(judge="mine", stage="audited", status="YES"),
        levels,
        pd.DataFrame({"judge": ["mine"], "paper": ["a"]}),
        trials=[saved(trials, tmp_path / "mine.parquet")],
        labels={"mine": "Mine"},
        on_prose={"mine": "It is right in 30%."},
    )
    return mine


def test_a_card_has_what_is_known_of_a_judge_on_real_prose(edited: Instrument) -> None:
    assert edited.not_planted == "It is right in 30%."


def test_an_edited_status_is_scored_by_whether_it_moved_if_it_could_move(
    edited: Instrument,
) -> None:
    edits = edited._replace(rows=edited.rows[edited.rows["part"] == "edits"])
    assert sorted(units(edits, "condition", "criterion", "truth", "score")) == [
        ("deleted", "C1", False, 0.0),
        ("deleted", "I1", True, 1.0),
        ("deleted", "V1", False, 1.0),
        ("toggled", "C2", True, 1.0),
    ]
    assert edited.missing.endswith(
        "2 edited statuses that could not move, as they were at that end before"
    )
