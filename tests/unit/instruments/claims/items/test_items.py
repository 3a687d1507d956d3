"""Labelled items, what a judge is asked about them, and a file of replies."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from mechaware.core.errors import UserError
from mechaware.instruments.claims.items.edits import IRRELEVANT, plan_questions
from mechaware.instruments.claims.items.labelled import LabelledItem, read_items
from mechaware.instruments.claims.items.replies import read_replies
from mechaware.instruments.claims.rubric.rubric import Criterion, Rubric

RUBRIC = Rubric(
    "review",
    ("bad", "needs work", "good"),
    "",
    {code: Criterion(code, code, code, {}) for code in ("names", "tests")},
)
HEADER = "id,group,criterion,claim,text,label,second_label\n"
ROWS = "a,pr1,names,Renames x,It says width.,good,Needs_work\nb,pr2,tests,,No test.,BAD,\n"


def items(folder: Path, rows: str) -> list[LabelledItem]:
    path = folder / "items.csv"
    path.write_text(HEADER + rows)
    return read_items(path, RUBRIC)


def replies(folder: Path, text: str) -> list[Sequence[str | None]]:
    path = folder / "replies.csv"
    path.write_text(text)
    return [answer[:3] for answer in read_replies(path, items(folder, ROWS), RUBRIC)]


def refusal(function: object, folder: Path, text: str) -> str:
    with pytest.raises(UserError) as refused:
        function(folder, text)  # type: ignore[operator]
    return str(refused.value).replace(f"{folder}/", "")


def test_labels_are_read_as_the_statuses_that_they_are_and_a_second_may_be_missing(
    tmp_path: Path,
) -> None:
    first, second = items(tmp_path, ROWS)
    assert (first.label, first.second) == ("good", "needs work")
    assert (second.claim, second.label, second.second) == ("", "bad", "")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("c,pr2,style,,T.,bad,", "criterion 'style' is not in the rubric; it has names, tests"),
        ("c,pr2,tests,,T.,fine,", "label 'fine' is none of the statuses; write bad or needs work or good"),
        ("c,pr2,tests,,T.,bad,ok", "second_label 'ok' is none of the statuses; write bad or needs work or good"),
        ("c,pr2,tests,, ,bad,", "no text; write one, or remove the row"),
        ("c,,tests,,T.,bad,", "no group; write one, or remove the row"),
        ("a,pr2,tests,,T.,bad,", "a second item 'a'; give each its own id"),
    ],
)  # fmt: skip
def test_a_row_that_cannot_be_used_is_refused_by_its_line(
    tmp_path: Path, row: str, message: str
) -> None:
    assert refusal(items, tmp_path, f"{ROWS}{row}\n") == f"items.csv, row 4: {message}"


def test_items_of_one_group_are_refused(tmp_path: Path) -> None:
    message = (
        "items.csv: one group, 'pr1'; a card needs two or more, and 6 for a verdict: write in 'group' what items "
        "share, such as their paper"
    )
    assert refusal(items, tmp_path, ROWS.replace("pr2", "pr1")) == message


def test_replies_are_read_by_item_and_edit_and_an_item_without_one_has_no_status(
    tmp_path: Path,
) -> None:
    read = replies(tmp_path, "id,status,edit\nb,Good,\nb,bad,no text\n")
    assert read == [("b", "", "good"), ("b", "no text", "bad"), ("a", "", None)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,status\nz,good\n", "replies.csv, row 2: no item 'z'; remove the reply, or correct its id"),
        ("id,status\na,good\na,bad\n", "replies.csv, row 3: a second reply to item 'a'; remove one"),
        (
            "id,status,edit\na,good,\na,good,again\na,bad,again\n",
            "replies.csv, row 4: a second reply to item 'a', edit 'again'; remove one",
        ),
        (
            "id,status,edit\na,good,shouted\n",
            "replies.csv, row 2: no edit 'shouted'; write one of 'again', 'other spacing', 'passages reordered', "
            "'irrelevant sentence', 'no text', or leave the cell empty",
        ),
        (
            "id,status\na,3\nb,1\n",
            "replies.csv: no reply is one of the statuses bad, needs work, good; correct the column 'status'",
        ),
    ],
)  # fmt: skip
def test_a_file_of_replies_that_cannot_be_used_is_refused(
    tmp_path: Path, text: str, message: str
) -> None:
    assert refusal(replies, tmp_path, text) == message


def test_an_edit_changes_spacing_order_or_length_alone_or_takes_the_text_away() -> None:
    text = "The name is wide.\nIt holds a width."
    item = LabelledItem(
        id="a",
        group="pr1",
        criterion="names",
        claim="Renames x",
        text=text,
        label="good",
        second="",
    )
    asked = {question.edit: question.text for question in plan_questions([item], edited=1, seed=3)}
    assert asked == {
        "": text,
        "again": text,
        "other spacing": "The  name  is  wide.\n\nIt  holds  a  width.",
        "passages reordered": "It holds a width.\nThe name is wide.",
        "irrelevant sentence": f"{text}\n{IRRELEVANT}",
        "no text": "",
    }


def nine_items_of_each_of_three_groups() -> list[LabelledItem]:
    """Items of one passage, p0 to p8, q0 to q8 and r0 to r8, in the groups p, q and r."""
    made = []
    for group in ("p", "q", "r"):
        for number in range(9):
            made.append(
                LabelledItem(
                    id=f"{group}{number}",
                    group=group,
                    criterion="names",
                    claim="",
                    text="One.",
                    label="good",
                    second="",
                )
            )
    return made


def test_five_edited_items_are_one_of_each_group_and_then_one_more_of_two_groups() -> None:
    planned = nine_items_of_each_of_three_groups()

    questions = plan_questions(planned, edited=5, seed=3)

    unedited = questions[:27]
    assert [question.id for question in unedited] == [item.id for item in planned]
    edited = [question.id for question in questions if question.edit == "no text"]
    assert len(set(edited)) == 5
    by_group = Counter(name[0] for name in edited)
    assert sorted(by_group.values()) == [1, 2, 2]


def test_a_single_passage_is_not_reordered() -> None:
    questions = plan_questions(nine_items_of_each_of_three_groups(), edited=5, seed=3)

    assert "passages reordered" not in {question.edit for question in questions}
