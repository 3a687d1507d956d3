"""Tables of the studies, written by hand, as the units of a card."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from mechaware.instruments.claims.rubric.criteria import CRITERIA
from mechaware.instruments.grounding.rules.registry import BASELINES, RULE_SETS, RULES, VARIANTS
from mechaware.instruments.radar.detectors.detector import Detector
from mechaware.verdicts.cards.card import Instrument
from mechaware.verdicts.cards.instruments import detectors, judges, rules

CODES = list(CRITERIA)


def saved(table: pd.DataFrame, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    table.to_parquet(path)
    return path


def on_c1(instrument: Instrument) -> Instrument:
    """The instrument with only its units on the criterion C1."""
    return instrument._replace(rows=instrument.rows[instrument.rows["condition"] == "C1"])


def units(instrument: Instrument, *columns: str) -> list[tuple[Any, ...]]:
    return list(instrument.rows[list(columns)].itertuples(index=False, name=None))


# Judges


def planted_levels(**truth_of_papers: str) -> pd.DataFrame:
    """One claim a paper: the given status on C1, and NO on the other criteria."""
    rows = []
    for paper, truth_of_c1 in truth_of_papers.items():
        for code in CODES:
            truth = truth_of_c1 if code == "C1" else "NO"
            rows.append({"paper": paper, "claim": 0, "criterion": code, "truth": truth})
    return pd.DataFrame(rows)


@pytest.fixture
def judged(tmp_path: Path) -> list[Instrument]:
    """Papers a to d of which c is NO and d PARTIAL on C1; the judge read a, c and d, and found no status of d's C1."""
    levels = planted_levels(a="YES", b="YES", c="NO", d="PARTIAL")
    statuses = {"a": "YES", "c": "PARTIAL", "d": None}
    criteria = levels[levels["paper"].isin(list(statuses))].assign(
        judge="mine", stage="audited", status="NO"
    )
    is_c1 = criteria["criterion"] == "C1"
    criteria.loc[is_c1, "status"] = criteria.loc[is_c1, "paper"].map(statuses)
    papers = pd.DataFrame({"judge": "mine", "paper": list(statuses)})
    return list(
        judges(
            saved(criteria, tmp_path / "criteria.parquet"),
            saved(levels, tmp_path / "levels.parquet"),
            saved(papers, tmp_path / "papers.parquet"),
            trials=[],
            labels={"mine": "Mine"},
            on_prose={},
        )
    )


def test_a_status_is_a_yes_or_none_and_so_is_its_truth(judged: list[Instrument]) -> None:
    mine, _ = judged

    found = units(on_c1(mine), "unit", "group", "truth", "score")

    assert found == [("a/0/C1", "a", True, 1.0), ("c/0/C1", "c", False, 0.0)]
    assert mine.missing.startswith(f"1 of {3 * len(CODES)} planted statuses")  # b was not read
    assert "(snakemake results/claims/trust/mine measures them)" in mine.missing
    assert mine.missing.endswith("; real prose (mechaware judge measures it)")


def test_conditions_are_in_the_order_of_the_rubric(judged: list[Instrument]) -> None:
    assert list(dict.fromkeys(judged[0].rows["condition"])) == CODES


def test_the_blind_judge_says_what_most_other_papers_have(judged: list[Instrument]) -> None:
    """YES are a and b of a to d. Of the three others of a there is one, of c and of d two."""
    _, blind = judged

    found = units(on_c1(blind), "group", "truth", "score")

    assert found == [("a", True, 0.0), ("b", True, 0.0), ("c", False, 1.0), ("d", False, 1.0)]


def test_half_of_the_other_papers_are_not_most_of_them(tmp_path: Path) -> None:
    levels = planted_levels(a="YES", b="YES", c="NO")
    criteria = levels[:0].assign(judge="", stage="", status="")
    papers = pd.DataFrame({"judge": [], "paper": []}, dtype=str)
    files = [
        saved(table, tmp_path / f"{name}.parquet")
        for name, table in (("criteria", criteria), ("levels", levels), ("papers", papers))
    ]
    (blind,) = judges(*files, trials=[], labels={}, on_prose={})
    found = units(on_c1(blind), "group", "score")

    assert found == [("a", 0.0), ("b", 0.0), ("c", 1.0)]


def letters(**named: str) -> str:
    """27 statuses: NO, but for the criteria named."""
    return "".join(named.get(code, "N") for code in CODES)


def expectations(**named: str) -> str:
    """27 expectations: to stay, but for the criteria named; `?` is neither."""
    return "".join(named.get(code, "?") for code in CODES)


def test_an_edited_status_counts_where_it_could_move_and_by_whether_it_moved(
    tmp_path: Path,
) -> None:
    before = letters(I1="Y", I2="N", C1="Y", C2="P", V1="P")
    common = {"paper": "a", "claim": 0, "edited": "0", "truth": letters()}
    rows = [
        {"edit": "base", "criterion": "", "statuses": before, "expected": expectations()},
        # I1 falls as it should; V1, which nothing concerns, moves as well, and C1 stays.
        {"edit": "deleted", "criterion": "I1", "statuses": letters(C1="Y", C2="P", V1="Y")}
        | {"expected": expectations(I1="f", V1=".", C1=".")},
        # I2 is at the bottom and C1 at the top: neither could move. C2 could rise, and falls: it has moved.
        {"edit": "toggled", "criterion": "C2", "statuses": letters(I1="Y", C1="Y", V1="P")}
        | {"expected": expectations(I2="f", C1="r", C2="r")},
    ]
    levels = planted_levels(a="YES")
    criteria = levels.assign(judge="mine", stage="audited", status="YES")
    papers = pd.DataFrame({"judge": ["mine"], "paper": ["a"]})
    files = [
        saved(table, tmp_path / f"{name}.parquet")
        for name, table in (("criteria", criteria), ("levels", levels), ("papers", papers))
    ]
    trials = saved(pd.DataFrame([common | row for row in rows]), tmp_path / "mine.parquet")
    mine, _ = judges(
        *files, trials=[trials], labels={"mine": "Mine"}, on_prose={"mine": "It is right in 30%."}
    )

    assert mine.not_planted == "It is right in 30%."

    edits = mine._replace(rows=mine.rows[mine.rows["part"] == "edits"])
    assert sorted(units(edits, "condition", "criterion", "truth", "score")) == [
        ("deleted", "C1", False, 0.0),
        ("deleted", "I1", True, 1.0),
        ("deleted", "V1", False, 1.0),
        ("toggled", "C2", True, 1.0),
    ]
    assert mine.missing.endswith(
        "2 edited statuses that could not move, as they were at that end before"
    )


# Rules


def test_a_rule_is_scored_by_its_share_beyond_the_shortcut_on_the_half_that_was_held_out(
    tmp_path: Path,
) -> None:
    """Drawn control 1 reads what is asked for in each pair, 3 in one of two; 5 is of the other half."""
    names = [*RULE_SETS, *(rule.name for rule in RULES), *VARIANTS, *BASELINES]
    runs = ["drawn_01", "drawn_03", "drawn_05"]
    shares = pd.DataFrame({"run": runs, "shortcut": [0.2, 0.25, 0.5]})
    for name in names:
        shares[name] = [1.0, 0.5, 0.5]
    shares["further_mine"] = [0.6, 0.25, 0.0]
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
    found = {instrument.name: instrument for instrument in rules(verdict, truth, 0.5)}

    assert list(found) == [*names, "mine"]

    # (0.5 - 0.25) / (1 - 0.25) and (0.6 - 0.2) / (1 - 0.2)
    paper = found["paper"].rows.drop_duplicates("unit")
    assert dict(zip(paper["unit"], paper["truth"], strict=True)) == {
        "drawn_01": True,
        "drawn_03": False,
    }
    assert paper["score"].tolist() == pytest.approx([1.0, 1 / 3])
    assert found["mine"].rows.drop_duplicates("unit")["score"].tolist() == pytest.approx([0.5, 0.0])
    assert found["paper"].cut == 0.5


# Detectors


def test_a_detector_scores_items_under_each_twin_by_kind_with_those_read_as_they_are_first(
    tmp_path: Path,
) -> None:
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


def score(evidence: Any, seed: int) -> Any:
    raise AssertionError(f"a card asked for scores of {evidence} with seed {seed}")


MINE = Detector("mine", "my certainty", "Me 2026", (), score)


def test_a_card_has_the_label_and_the_source_of_its_detector_also_of_an_own_one(
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
    """Their seed 0 is another than that of the names; a column of names alone has no rows of docstrings."""
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

    def fitted(fit: str, *lens: float) -> pd.DataFrame:
        of_fit = items[["twin", "id"]].assign(seed=3, fit=fit, logit_lens=lens)
        of_fit = of_fit.assign(fitted_likelihoods=[0.5, 0.25])
        return of_fit.assign(shuffled_logit_lens=0.0, shuffled_fitted_likelihoods=0.0)

    on_names = pd.concat([fitted("within", 9.0, 9.0), fitted("other_seeds", 1.0, 2.0)])
    on_docstrings = pd.concat(
        [fitted("within", 9.0, 9.0), fitted("other_seeds", 9.0, 9.0), fitted("names", 3.0, 4.0)]
    )
    lens_scores = [
        saved(on_names, tmp_path / "lens_scores.parquet"),
        saved(on_docstrings, tmp_path / "natural/lens_scores.parquet"),
    ]
    cards = {
        card.name: card
        for card in detectors([scores], text_scores=[text_scores], lens_scores=lens_scores)
    }
    assert sorted(cards) == ["fitted_likelihoods", "logit_lens", "loss"]
    lens = cards["logit_lens"]
    assert units(lens, "unit", "part", "score") == [
        ("s3/A/x", "recall", 1.0),
        ("s3/B/x", "recall", 2.0),
        ("docstrings s3/A/x", "docstring", 3.0),
        ("docstrings s3/B/x", "docstring", 4.0),
    ]
    # The card asks for a comparison, and names what to compare it with.
    assert "the difference between its card and that of the likelihoods" in lens.claims
    assert "fitted" not in cards["loss"].claims
    assert lens.sources[str(lens_scores[1])] == "scripts/radar/score_text_logit_lens.py"
    assert str(lens_scores[1]) not in cards["loss"].sources
