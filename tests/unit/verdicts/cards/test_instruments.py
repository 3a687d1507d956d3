"""Tables of the studies, written by hand, become the units of cards.

First the cards of judges, then those of rules, then those of detectors.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import pytest

from mechaware.instruments.claims.rubric.criteria import CRITERIA
from mechaware.instruments.grounding.rules.registry import BASELINES, RULE_SETS, RULES, VARIANTS
from mechaware.instruments.radar.detectors.detector import Detector
from mechaware.verdicts.cards.card import Instrument
from mechaware.verdicts.cards.detectors import detectors
from mechaware.verdicts.cards.judges import judges
from mechaware.verdicts.cards.rules import rules

CODES = list(CRITERIA)


def saved(table: pd.DataFrame, path: Path) -> Path:
    """The path of the table, which is written there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    table.to_parquet(path)
    return path


def on_c1(instrument: Instrument) -> Instrument:
    """The instrument with only its units on the criterion C1."""
    return instrument._replace(rows=instrument.rows[instrument.rows["condition"] == "C1"])


def units(instrument: Instrument, *columns: str) -> list[tuple[Any, ...]]:
    """These columns of the instrument's units, a tuple for each unit."""
    return list(instrument.rows[list(columns)].itertuples(index=False, name=None))


# Judges


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


# Rules


def test_a_rule_is_scored_by_its_share_beyond_the_shortcut_on_the_half_that_was_held_out(
    tmp_path: Path,
) -> None:
    """Control 1 reads the requested column in each of two pairs, 3 in one; 5 was not held out.

    A share s and the share c of the shortcut give the score (s - c) / (1 - c).
    """
    names = [*RULE_SETS, *(rule.name for rule in RULES), *VARIANTS, *BASELINES]
    shares = pd.DataFrame(
        {
            "run": ["drawn_01", "drawn_03", "drawn_05"],
            "shortcut": [0.2, 0.25, 0.5],
            "further_mine": [0.6, 0.25, 0.0],
        }
    )
    for name in names:
        shares[name] = [1.0, 0.5, 0.5]
    verdict = saved(shares, tmp_path / "verdict.parquet")
    reads = pd.DataFrame(
        [
            ("drawn_01", "0", True, True),
            ("drawn_01", "1", True, True),
            ("drawn_03", "0", True, True),
            ("drawn_03", "1", True, False),
            ("drawn_05", "0", False, True),
            ("drawn_05", "1", False, True),
        ],
        columns=["run", "pair", "held_out", "reads"],
    )
    truth = saved(reads, tmp_path / "truth.parquet")
    cards = {instrument.name: instrument for instrument in rules(verdict, truth, 0.5)}

    assert list(cards) == [*names, "mine"]
    assert cards["paper"].cut == 0.5

    paper = cards["paper"].rows.drop_duplicates("unit")
    assert dict(zip(paper["unit"], paper["truth"], strict=True)) == {
        "drawn_01": True,
        "drawn_03": False,
    }
    # (1 - 0.2) / (1 - 0.2) and (0.5 - 0.25) / (1 - 0.25)
    assert paper["score"].tolist() == pytest.approx([1.0, 1 / 3])

    # (0.6 - 0.2) / (1 - 0.2) and (0.25 - 0.25) / (1 - 0.25)
    mine = cards["mine"].rows.drop_duplicates("unit")
    assert mine["score"].tolist() == pytest.approx([0.5, 0.0])


# Detectors


def test_in_the_card_of_a_detector_verbatim_items_come_first_by_falling_dose(
    tmp_path: Path,
) -> None:
    """Further columns of the file, such as the length, are no detectors."""
    rows = pd.DataFrame(
        [
            ("A", "i1", "recall", "contradicted", 64, True, 0.5),
            ("A", "i2", "reasoning", "verbatim", 4, True, 2.0),
            ("B", "i2", "reasoning", "verbatim", 4, False, 1.0),
            ("A", "i3", "recall", "verbatim", 16, False, 3.0),
            ("A", "i4", "recall", "answer_only", 16, False, 4.0),
        ],
        columns=["twin", "id", "kind", "form", "dose", "seen", "loss"],
    )
    rows = rows.assign(shuffled_loss=np.arange(5.0), length=7, unshuffled=0.0)
    (loss,) = detectors([saved(rows, tmp_path / "s3/scores.parquet")])

    assert (loss.name, loss.cut) == ("loss", None)
    assert units(loss, "unit", "group", "part", "condition", "truth", "score") == [
        ("s3/A/i3", "s3", "recall", "verbatim, read 16x", False, 3.0),
        ("s3/A/i2", "s3", "reasoning", "verbatim, read 4x", True, 2.0),
        ("s3/B/i2", "s3", "reasoning", "verbatim, read 4x", False, 1.0),
        ("s3/A/i1", "s3", "recall", "contradicted, read 64x", True, 0.5),
        ("s3/A/i4", "s3", "recall", "answer only, read 16x", False, 4.0),
    ]


def must_not_score(evidence: Any, seed: int) -> Any:
    """Cards read scores from files."""
    raise AssertionError(f"a card asked for scores of {evidence} with seed {seed}")


MINE = Detector("mine", "my certainty", "Me 2026", (), must_not_score)


def test_cards_have_the_labels_and_sources_of_their_detectors_the_users_own_included(
    tmp_path: Path,
) -> None:
    items = pd.DataFrame(
        {"twin": ["A", "B"], "id": "x", "kind": "recall", "form": "verbatim", "dose": 1}
    )
    items = items.assign(seen=[True, False], shuffled_seen=[True, False])
    ours = items.assign(min_k=[1.0, 2.0], shuffled_min_k=[1.0, 2.0])
    own = items.assign(mine=[3.0, 5.0], shuffled_mine=[3.0, 5.0])
    scores = saved(ours, tmp_path / "s0/scores.parquet")
    own_scores = saved(own, tmp_path / "s0/own_scores.parquet")
    cards = {card.name: card for card in detectors([scores], [own_scores], [MINE])}

    assert {name: card.label for name, card in cards.items()} == {
        "min_k": "Min-K%",
        "mine": "my certainty",
    }
    assert "Source: Me 2026 (your own)." in cards["mine"].claims
    assert {name: [*card.sources.values()] for name, card in cards.items()} == {
        "min_k": ["scripts/radar/score_twins.py"],
        "mine": ["scripts/radar/score_twins_by_own.py"],
    }
    assert cards["mine"].rows["score"].tolist() == [3.0, 5.0]


def test_docstrings_are_a_part_of_a_card_with_seeds_of_their_own(tmp_path: Path) -> None:
    """Twins that read docstrings are others than twins of the same seed that read names.

    The question's loss was measured on names alone: its card has no rows of docstrings.
    """
    items = pd.DataFrame(
        {"twin": ["A", "B"], "id": "x", "kind": "recall", "form": "verbatim", "dose": 4}
    )
    items = items.assign(seen=[True, False], shuffled_seen=[True, False])
    names = items.assign(loss=[1.0, 2.0], shuffled_loss=0.0, question_loss=3.0)
    names = names.assign(shuffled_question_loss=0.0, length=30.0)
    docstrings = items.assign(kind="docstring", loss=[5.0, 4.0], shuffled_loss=0.0, length=250.0)

    scores = saved(names, tmp_path / "s0/scores.parquet")
    text_scores = saved(docstrings, tmp_path / "natural/s0/scores.parquet")
    cards = {card.name: card for card in detectors([scores], text_scores=[text_scores])}

    assert units(cards["loss"], "unit", "part", "score") == [
        ("s0/A/x", "recall", 1.0),
        ("s0/B/x", "recall", 2.0),
        ("docstrings s0/A/x", "docstring", 5.0),
        ("docstrings s0/B/x", "docstring", 4.0),
    ]
    assert set(cards["question_loss"].rows["part"]) == {"recall"}
    assert cards["loss"].sources == {
        str(scores): "scripts/radar/score_twins.py",
        str(text_scores): "scripts/radar/measure_text_twins.py",
    }


def test_a_fitted_detector_scores_names_by_other_seeds_and_docstrings_by_names(
    tmp_path: Path,
) -> None:
    items = pd.DataFrame(
        {"twin": ["A", "B"], "id": "x", "kind": "recall", "form": "verbatim", "dose": 4}
    )
    items = items.assign(seen=[True, False], loss=0.0, shuffled_loss=0.0, length=30.0)
    scores = saved(items, tmp_path / "s3/scores.parquet")
    text_scores = saved(items.assign(kind="docstring"), tmp_path / "natural/s3/scores.parquet")

    def fitted(fit: str, lens: list[float]) -> pd.DataFrame:
        """The scores of both items by a fit; `lens` are those of the logit lens."""
        return items[["twin", "id"]].assign(
            seed=3,
            fit=fit,
            logit_lens=lens,
            fitted_likelihoods=[0.5, 0.25],
            shuffled_logit_lens=0.0,
            shuffled_fitted_likelihoods=0.0,
        )

    # The scores that no card should show are 9.
    on_names = pd.concat([fitted("within", [9.0, 9.0]), fitted("other_seeds", [1.0, 2.0])])
    on_docstrings = pd.concat(
        [
            fitted("within", [9.0, 9.0]),
            fitted("other_seeds", [9.0, 9.0]),
            fitted("names", [3.0, 4.0]),
        ]
    )
    lens_scores = [
        saved(on_names, tmp_path / "lens_scores.parquet"),
        saved(on_docstrings, tmp_path / "natural/lens_scores.parquet"),
    ]
    instruments = detectors([scores], text_scores=[text_scores], lens_scores=lens_scores)
    cards = {card.name: card for card in instruments}

    assert sorted(cards) == ["fitted_likelihoods", "logit_lens", "loss"]
    lens = cards["logit_lens"]
    assert units(lens, "unit", "part", "score") == [
        ("s3/A/x", "recall", 1.0),
        ("s3/B/x", "recall", 2.0),
        ("docstrings s3/A/x", "docstring", 3.0),
        ("docstrings s3/B/x", "docstring", 4.0),
    ]
    # The card names the detector to compare it with, and the scripts of its files.
    assert "the difference between its card and that of the likelihoods" in lens.claims
    assert "fitted" not in cards["loss"].claims
    assert lens.sources[str(lens_scores[1])] == "scripts/radar/score_text_logit_lens.py"
    assert str(lens_scores[1]) not in cards["loss"].sources
