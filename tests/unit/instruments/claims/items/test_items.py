"""Labelled items, what a judge is asked about them, and a file of replies."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from mechaware.core.errors import UserError
from mechaware.instruments.claims.items.edits import IRRELEVANT, plan_questions
from mechaware.instruments.claims.items.labelled import LabelledItem, read_items
from mechaware.instruments.claims.items.replies import Answer, read_replies
from mechaware.instruments.claims.rubric.rubric import Criterion, Rubric

RUBRIC = Rubric(
    name="review",
    statuses=("bad", "needs work", "good"),
    guidance="",
    criteria={code: Criterion(code, code, code, {}) for code in ("names", "tests")},
)
# The items a and b. The second label of a and the label of b are statuses in another spelling.
ITEMS = """\
id,group,criterion,claim,text,label,second_label
a,pr1,names,Renames x,It says width.,good,Needs_work
b,pr2,tests,,No test.,BAD,
"""


def read_item_file(folder: Path, text: str) -> list[LabelledItem]:
    path = folder / "items.csv"
    path.write_text(text)
    return read_items(path, RUBRIC)


def read_reply_file(folder: Path, text: str) -> list[Answer]:
    """The answers of a file of replies to `ITEMS`."""
    path = folder / "replies.csv"
    path.write_text(text)
    return read_replies(path, read_item_file(folder, ITEMS), RUBRIC)


def refusal(read: Callable[[Path, str], object], folder: Path, text: str) -> str:
    """The message with which `read` refuses a file with this text, without the folder's name."""
    with pytest.raises(UserError) as refused:
        read(folder, text)
    return str(refused.value).replace(f"{folder}/", "")


def test_labels_are_read_in_any_spelling_and_a_second_label_may_be_missing(tmp_path: Path) -> None:
    first, second = read_item_file(tmp_path, ITEMS)

    assert first.label == "good"
    assert first.second == "needs work"
    assert second.claim == ""
    assert second.label == "bad"
    assert second.second == ""


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("c,pr2,style,,T.,bad,", "criterion 'style' is not in the rubric; it has names, tests"),
        (
            "c,pr2,tests,,T.,fine,",
            "label 'fine' is none of the statuses; write bad or needs work or good",
        ),
        (
            "c,pr2,tests,,T.,bad,ok",
            "second_label 'ok' is none of the statuses; write bad or needs work or good",
        ),
        ("c,pr2,tests,, ,bad,", "no text; write one, or remove the row"),
        ("c,,tests,,T.,bad,", "no group; write one, or remove the row"),
        ("a,pr2,tests,,T.,bad,", "a second item 'a'; give each its own id"),
    ],
)
def test_a_row_that_cannot_be_used_is_refused_by_its_line(
    tmp_path: Path, row: str, message: str
) -> None:
    assert refusal(read_item_file, tmp_path, f"{ITEMS}{row}\n") == f"items.csv, row 4: {message}"


def test_items_of_one_group_are_refused(tmp_path: Path) -> None:
    message = (
        "items.csv: one group, 'pr1'; a card needs two or more, and 6 for a verdict: write in "
        "'group' what items share, such as their paper"
    )
    assert refusal(read_item_file, tmp_path, ITEMS.replace("pr2", "pr1")) == message


def test_an_answer_has_its_item_and_edit_and_an_item_without_a_reply_has_no_status(
    tmp_path: Path,
) -> None:
    answers = read_reply_file(tmp_path, "id,status,edit\nb,Good,\nb,bad,no text\n")

    assert answers == [
        Answer(id="b", edit="", status="good"),
        Answer(id="b", edit="no text", status="bad"),
        Answer(id="a", edit="", status=None, evidence="no reply"),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "id,status\nz,good\n",
            "replies.csv, row 2: no item 'z'; remove the reply, or correct its id",
        ),
        (
            "id,status\na,good\na,bad\n",
            "replies.csv, row 3: a second reply to item 'a'; remove one",
        ),
        (
            "id,status,edit\na,good,\na,good,again\na,bad,again\n",
            "replies.csv, row 4: a second reply to item 'a', edit 'again'; remove one",
        ),
        (
            "id,status,edit\na,good,shouted\n",
            "replies.csv, row 2: no edit 'shouted'; write one of 'again', 'other spacing', "
            "'passages reordered', 'irrelevant sentence', 'no text', or leave the cell empty",
        ),
        (
            "id,status\na,3\nb,1\n",
            "replies.csv: no reply is one of the statuses bad, needs work, good; "
            "correct the column 'status'",
        ),
    ],
)
def test_a_file_of_replies_that_cannot_be_used_is_refused(
    tmp_path: Path, text: str, message: str
) -> None:
    assert refusal(read_reply_file, tmp_path, text) == message


def test_a_retest_keeps_the_text_and_every_other_edit_changes_one_thing_about_it() -> None:
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

    questions = plan_questions([item], edited=1, seed=3)

    assert {question.edit: question.text for question in questions} == {
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
    items = nine_items_of_each_of_three_groups()

    questions = plan_questions(items, edited=5, seed=3)

    unedited = questions[:27]
    assert [question.id for question in unedited] == [item.id for item in items]
    edited = [question.id for question in questions if question.edit == "no text"]
    assert len(set(edited)) == 5
    group_of = {item.id: item.group for item in items}
    n_by_group = Counter(group_of[item_id] for item_id in edited)
    assert sorted(n_by_group.values()) == [1, 2, 2]


def test_a_single_passage_is_not_reordered() -> None:
    questions = plan_questions(nine_items_of_each_of_three_groups(), edited=5, seed=3)

    assert "passages reordered" not in {question.edit for question in questions}
