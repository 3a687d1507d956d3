"""A judge's row on real prose has the numbers of its card, and replaces its former row on the same items alone."""

import re

import pandas as pd
import pytest

from exhibits.author.prose_judges import judge_row, prose_sentences, with_row
from mechaware.core.errors import UserError
from mechaware.instruments.claims.items.labelled import LabelledItem
from mechaware.instruments.claims.items.replies import Answer
from mechaware.instruments.claims.rubric.rubric import Criterion, Rubric
from mechaware.verdicts.judge_cards.card import judge_card
from mechaware.verdicts.procedure import make_procedure

RUBRIC = Rubric(
    name="Ours",
    statuses=("NO", "PARTIAL", "YES"),
    guidance="",
    criteria={code: Criterion(code, code, code, {}) for code in ("A", "B")},
)
# Of each of seven papers, by criterion A and by criterion B: the label, and the status that the judge gave.
LABELS_A = ["NO", "NO", "NO", "NO", "NO", "NO", "YES"]
GIVEN_A = ["YES", "NO", "NO", "NO", "NO", "NO", "YES"]
LABELS_B = ["YES"] * 7
GIVEN_B = ["YES", "NO", "PARTIAL", "YES", "YES", "YES", "YES"]
PROVENANCE = {"date": "", "device": "", "commit": "", "command": ""}


def row_of(judge: str, items: str) -> dict[str, object]:
    labelled = []
    answers = []
    for code, labels, given in (("A", LABELS_A, GIVEN_A), ("B", LABELS_B, GIVEN_B)):
        for paper, (label, status) in enumerate(zip(labels, given, strict=True)):
            name = f"{code}{paper}"
            labelled.append(
                LabelledItem(
                    id=name,
                    group=f"paper {paper}",
                    criterion=code,
                    claim="",
                    text="Some text.",
                    label=label,
                    second="",
                )
            )
            answers.append(Answer(name, "", status))
    card = judge_card(
        labelled,
        RUBRIC,
        answers,
        judge=judge,
        procedure=make_procedure("claims", {}, ["A", "B"], ""),
        confidence_level=0.95,
    )
    return {"judge": judge, "items": items, **judge_row(card.evidence.record()), **PROVENANCE}


def test_a_row_counts_what_the_judge_has_right_too_high_and_too_low() -> None:
    row = row_of("ours", "")
    assert (row["n"], row["papers"]) == (14, 7)
    # Wrong are A of paper 0, and B of papers 1 and 2.
    assert row["exact"] == pytest.approx(11 / 14)
    # Of the six labels below YES one is exceeded; of the eight above NO two are not reached.
    assert row["too_high"] == pytest.approx(1 / 6)
    assert row["too_low"] == pytest.approx(2 / 8)
    # The commonest label of the other papers is NO for A and YES for B: wrong for A of paper 6 alone.
    assert row["commonest"] == pytest.approx(13 / 14)
    assert row["lead"] == pytest.approx(11 / 14 - 13 / 14)
    assert row["exact_low"] < row["exact"] < row["exact_high"]


def test_a_row_replaces_the_judges_former_one_on_the_same_items_alone() -> None:
    former = pd.DataFrame([row_of("ours", "--criteria may"), row_of("ours", "")])
    newer = row_of("ours", "") | {"date": "2026-12-01"}
    table = with_row(former, newer)

    assert list(table["items"]) == ["--criteria may", ""]
    assert list(table["date"]) == ["", "2026-12-01"]


def test_the_sentence_of_a_judge_is_on_its_row_with_the_most_items() -> None:
    """Of 14 items 11 are right: 79%; of six that could be too high one is, of eight that could be too low two."""
    whole = row_of("ours", "") | {"date": "2026-12-01", "commit": "abc"}
    part = whole | {"items": "--number 4", "n": 4, "exact": 1.0}
    sentences = prose_sentences(pd.DataFrame([whole, part]))

    assert list(sentences) == ["ours"]

    sentence = sentences["ours"]
    assert "14 criteria by quotations from 7 papers." in sentence
    assert "The judge gives his status in 79% (" in sentence
    assert "commonest status is right in 93%." in sentence
    assert re.search(r"could be, 17% \(.*\) are too high and 25% \(.*\) too low\.", sentence)
    assert "on 2026-12-01 at commit abc" in sentence


def test_a_row_with_other_columns_than_the_table_is_refused() -> None:
    former = pd.DataFrame([row_of("ours", "")]).assign(country="")
    with pytest.raises(UserError, match="country"):
        with_row(former, row_of("ours", ""))
