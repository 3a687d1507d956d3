"""The table of judges on quotations from real papers: a judge's row, and the sentence made of it.

In all tests a judge gave a status on criteria A and B of seven papers. The labels are the statuses
that the author of Claim Validity Scores gave.
"""

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
# By criterion, for papers 0 to 6: the labels, and the statuses that the judge gave.
LABELS = {
    "A": ["NO", "NO", "NO", "NO", "NO", "NO", "YES"],
    "B": ["YES", "YES", "YES", "YES", "YES", "YES", "YES"],
}
GIVEN = {
    "A": ["YES", "NO", "NO", "NO", "NO", "NO", "YES"],
    "B": ["YES", "NO", "PARTIAL", "YES", "YES", "YES", "YES"],
}
PROVENANCE = {"date": "", "device": "", "commit": "", "command": ""}


def row_of(judge: str, items: str) -> dict[str, object]:
    """The row of a judge that gave the statuses `GIVEN`; the options `items` chose the items."""
    labelled = []
    answers = []
    for code, labels in LABELS.items():
        for paper, label in enumerate(labels):
            name = f"{code}{paper}"
            item = LabelledItem(
                id=name,
                group=f"paper {paper}",
                criterion=code,
                claim="",
                text="Some text.",
                label=label,
                second="",
            )
            labelled.append(item)
            answers.append(Answer(name, "", GIVEN[code][paper]))
    card = judge_card(
        labelled,
        RUBRIC,
        answers,
        judge=judge,
        procedure=make_procedure("claims", {}, ["A", "B"], ""),
        confidence_level=0.95,
    )
    return {"judge": judge, "items": items, **judge_row(card.evidence.record()), **PROVENANCE}


def test_a_row_has_the_shares_of_statuses_that_are_exact_too_high_and_too_low() -> None:
    row = row_of("ours", "")

    assert (row["n"], row["papers"]) == (14, 7)
    # Three are wrong: A of paper 0 is too high, B of papers 1 and 2 too low.
    assert row["exact"] == pytest.approx(11 / 14)
    # A status can be too high for the six labels below YES, and too low for the eight above NO.
    assert row["too_high"] == pytest.approx(1 / 6)
    assert row["too_low"] == pytest.approx(2 / 8)
    # The commonest label of the other papers (A: NO, B: YES) is wrong only for A of paper 6.
    assert row["commonest"] == pytest.approx(13 / 14)
    assert row["lead"] == pytest.approx(11 / 14 - 13 / 14)
    assert row["exact_low"] < row["exact"] < row["exact_high"]


def test_a_row_replaces_only_the_judges_former_row_on_the_same_items() -> None:
    former = pd.DataFrame([row_of("ours", "--criteria may"), row_of("ours", "")])
    newer = row_of("ours", "") | {"date": "2026-12-01"}

    table = with_row(former, newer)

    assert list(table["items"]) == ["--criteria may", ""]
    assert list(table["date"]) == ["", "2026-12-01"]


def test_the_sentence_about_a_judge_is_made_of_its_row_with_the_most_items() -> None:
    """The shares are those of the first test.

    11 of 14 is 79%, 13 of 14 is 93%, 1 of 6 is 17%, and 2 of 8 is 25%.
    """
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
