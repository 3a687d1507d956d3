"""Which option of a sample is right: the one that the log names, or an error, never a guess.

A place is the index of an option, counted from 0.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import mechaware as ma
from tests.unit.core.evaluation_logs import (
    inspect_sample,
    lm_eval,
    older,
    options,
    scored,
    write_inspect,
    write_lines,
)

SUM = "Nine minus six is"
NUMBERS = options(SUM, " 1", " 2", " 3", " 4")
COLOURS = options("Grass is", " blue", " green", " red")
CUP = {
    "sentence": "The cup did not fit into the box as the _ was too wide.",
    "option1": "box",
    "option2": "cup",
}
FILLED = [
    ("The cup did not fit into the box as the box", " was too wide."),
    ("The cup did not fit into the box as the cup", " was too wide."),
]
# The options are the contexts; their common ending, 1, is also a place.
GIFTS = [
    ("Ann gave Bo", " 1"),
    ("Bo gave Ann", " 1"),
    ("Bo gave Eva", " 1"),
]
FROM_TWO = options("Eight less four is", " 2", " 3", " 4")
LABELLED = {"text": ["1", "2", "3", "4"], "label": ["1", "2", "3", "4"]}
# As in TruthfulQA: the label 1 is that of a right option.
TRUTHS = {
    "mc1_targets": {"choices": ["blue", "red"], "labels": [1, 0]},
    "mc2_targets": {"choices": ["blue", "green", "red"], "labels": [1, 0, 1]},
}


def sample(
    target: object, requests: Sequence[tuple[object, object]], **document: Any
) -> dict[str, Any]:
    """A line of a log with the sample 0, whose document has the fields `document`."""
    return lm_eval(0, document, target, requests)


def read_question_and_answer(folder: Path, line: dict[str, Any]) -> tuple[str, str]:
    """Question and answer of the log's one sample, with the whole prompt as question."""
    log = ma.read_log(write_lines(folder / "samples.jsonl", line), question="arguments")
    return log["question"][0], log["answer"][0]


# By case: the line of a log, and the question and answer that are read. Current versions of lm-eval
# write a target as text, "2"; `older` gives a line the target with its type, 2.
RIGHT_OPTIONS: dict[str, tuple[dict[str, Any], tuple[str, str]]] = {
    "a place": (sample(1, COLOURS), ("Grass is", " green")),
    "a text": (sample("red", COLOURS), ("Grass is", " red")),
    "a place of an older version": (older(sample(2, COLOURS), 2), ("Grass is", " red")),
    "a truth value of an older version": (
        older(sample(True, COLOURS), True),
        ("Grass is", " green"),
    ),
    "a list of one place": (sample([2], COLOURS), ("Grass is", " red")),
    "two places of one text": (
        sample([0, 2], options("Grass is", " green", " red", " green")),
        ("Grass is", " green"),
    ),
    "an option in brackets": (
        sample("[1]", options("The list is", " [2]", " [1]")),
        ("The list is", " [1]"),
    ),
    "a number that is an option and no place": (sample("4", NUMBERS), (SUM, " 4")),
    "a number that is a place and no option": (sample("0", NUMBERS), (SUM, " 1")),
    "a number that is the option at its place": (
        sample("2", options("Five less three is", " 0", " 1", " 2")),
        ("Five less three is", " 2"),
    ),
    "a number of an older version": (older(sample(2, NUMBERS), 2), (SUM, " 3")),
    "a number that the document has as a place": (sample(2, NUMBERS, gold=2), (SUM, " 3")),
    "a number whose option the document names": (
        sample(2, NUMBERS, answer="3"),
        (SUM, " 3"),
    ),
    "a number next to ARC's labels": (
        sample(2, NUMBERS, choices=LABELLED | {"label": ["A", "B", "C", "D"]}, answerKey="C"),
        (SUM, " 3"),
    ),
    "a number next to labels that are numbers": (
        sample(2, NUMBERS, choices=LABELLED, answerKey="3"),
        (SUM, " 3"),
    ),
    "a number next to labels that are other numbers": (
        sample(
            2, FROM_TWO, choices={"text": ["2", "3", "4"], "label": ["1", "2", "3"]}, answerKey="3"
        ),
        ("Eight less four is", " 4"),
    ),
    "a place and the document's letter": (
        sample(1, COLOURS, choices=["blue", "green", "red"], answer="B"),
        ("Grass is", " green"),
    ),
    "a place and the document's other number": (
        sample(1, COLOURS, answer=2),
        ("Grass is", " green"),
    ),
    "equal options and another": (
        sample(2, options("Grass is", " red", " green", " green")),
        ("Grass is", " green"),
    ),
    "options with likelihoods of their own": (
        sample("blue", [*COLOURS, *options("", " blue", " green", " red")]),
        ("Grass is", " blue"),
    ),
    "a number that the document's answer has as a text": (
        sample("3", NUMBERS, answer="4"),
        (SUM, " 4"),
    ),
    "a place that the document's answer has as a text": (
        sample("2", FROM_TWO, answer="4"),
        ("Eight less four is", " 4"),
    ),
    "the remedy of the message: the place as a number without quotes": (
        older(sample(2, NUMBERS, answer="3"), 2),
        (SUM, " 3"),
    ),
    "one option by the document's labels": (
        sample(1, COLOURS, mc1_targets={"choices": ["blue", "green", "red"], "labels": [0, 1, 0]}),
        ("Grass is", " green"),
    ),
    "labels of other options": (
        sample(1, options("Grass is", " red", " green"), mc2_targets=TRUTHS["mc2_targets"]),
        ("Grass is", " green"),
    ),
    "winogrande's first option": (
        sample("was too wide.", FILLED, **CUP, answer="1"),
        FILLED[0],
    ),
    "winogrande's second option": (
        sample("was too wide.", FILLED, **CUP, answer="2"),
        FILLED[1],
    ),
    "winogrande of an older version": (
        older(sample("was too wide.", FILLED, **CUP, answer="2"), "was too wide."),
        FILLED[1],
    ),
    "a blank that the target fills by its place": (sample(1, FILLED), FILLED[1]),
    "an ending that is a number, and a document": (
        sample(
            1,
            [("Ann gave Bo", " 1"), ("Ann gave Cy", " 1"), ("Ann gave Di", " 1")],
            options=["Bo", "Cy", "Di"],
            label=2,
        ),
        ("Ann gave Di", " 1"),
    ),
    "an empty option, which a document without an answer does not name": (
        sample(1, [("The river is", ""), ("The river is", " Nile")]),
        ("The river is", " Nile"),
    ),
    "contexts and continuations that differ": (
        sample("left.", [("Ann", " stayed."), ("Bo", " left.")]),
        ("Bo", " left."),
    ),
}


@pytest.mark.parametrize(("line", "expected"), RIGHT_OPTIONS.values(), ids=RIGHT_OPTIONS)
def test_the_right_option_is_taken(
    tmp_path: Path, line: dict[str, Any], expected: tuple[str, str]
) -> None:
    assert read_question_and_answer(tmp_path, line) == expected


# By case: the line of a log, and a part of the error.
OPEN_OPTIONS: dict[str, tuple[dict[str, Any], str]] = {
    "a place and the text of another": (
        sample("2", NUMBERS),
        "target '2' is an option and the place of another, ' 3', counted from 0; "
        "write the right option's place as the target, a number without quotes",
    ),
    "digits, and the same digits in the document": (
        sample("2", NUMBERS, label="2"),
        "target '2' is an option and the place of another, ' 3', counted from 0; "
        "write the right option's place",
    ),
    "digits, and the same digits as the document's answer": (
        sample("3", NUMBERS, answer="3"),
        "target '3' is an option and the place of another, ' 4', counted from 0; "
        "write the right option's place",
    ),
    "several options by the document's labels": (
        sample(0, COLOURS, **TRUTHS),
        "2 options are right: 'blue', 'red'; leave the sample out",
    ),
    "a text and the document's other number": (
        sample("1", NUMBERS, answer="4"),
        "target '1' is '1', '2', the document's answer '4'; correct one",
    ),
    "counted from 1": (
        sample(3, COLOURS),
        "target 3, but 3 options, counted from 0; correct the target",
    ),
    "counted from 1, unlike the document's answer": (
        sample(2, COLOURS, answer="green"),
        "target '2' is 'red', the document's answer 'green'; correct one",
    ),
    "counted from 1, unlike ARC's label": (
        sample(
            2,
            COLOURS,
            choices={"text": ["blue", "green", "red"], "label": ["1", "2", "3"]},
            answerKey="2",
        ),
        "target '2' is 'red', the document's answer 'green'; correct one",
    ),
    "a blank, counted from 1, unlike the document's answer": (
        sample(1, FILLED, **CUP, answer="1"),
        "target 1, counted from 0, and the document's answer differ: 'cup', 'box'; correct one",
    ),
    "no option": (
        sample("pink", COLOURS),
        "target 'pink' is none of the options ' blue', ' green', ' red'",
    ),
    "a place below 0": (sample(-1, COLOURS), "target '-1' is none of the options"),
    "several options": (
        sample([0, 2], COLOURS),
        "2 options are right: 'blue', 'red'; leave the sample out",
    ),
    "an empty list": (sample([], COLOURS), "the target is an empty list; correct it"),
    "a blank without a document": (
        sample("was too wide.", FILLED),
        "tells which context is right",
    ),
    "a blank whose answer is kept back": (
        sample("was too wide.", FILLED, **CUP, answer=""),
        "tells which",
    ),
    "a blank with other options": (
        sample("was too wide.", FILLED, **(CUP | {"answer": "1", "option1": "lid"})),
        "tells which context is right",
    ),
    "a blank, counted from 1": (
        sample(2, FILLED, **CUP),
        "target 2, but 2 options, counted from 0",
    ),
    "a blank whose target is a place and the ending": (
        sample("1", GIFTS),
        "tells which context is right; write its place",
    ),
}


@pytest.mark.parametrize(("line", "message"), OPEN_OPTIONS.values(), ids=OPEN_OPTIONS)
def test_a_right_option_that_the_log_leaves_open_is_an_error_of_one_line(
    tmp_path: Path, line: dict[str, Any], message: str
) -> None:
    with pytest.raises(ma.UserError) as raised:
        read_question_and_answer(tmp_path, line)
    assert str(raised.value).startswith(f"{tmp_path}/samples.jsonl, sample 0: ")
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


# By case: the fields of an Inspect sample, and the beginning of the error.
OPEN_CHOICES: dict[str, tuple[dict[str, Any], str]] = {
    "several letters": (
        {"target": ["A", "C"], "choices": ["gold", "glass", "tin"]},
        "2 choices are right: 'gold', 'tin'; leave the sample out",
    ),
    "letters in one text": (
        {"target": "A, C", "choices": ["gold", "glass", "tin"]},
        "2 choices are right",
    ),
    "no choice": (
        {"target": "zinc", "choices": ["gold", "tin"]},
        "target 'zinc' is none of the choices 'gold', 'tin'",
    ),
    "a letter beyond the choices": (
        {"target": "C", "choices": ["gold", "tin"]},
        "target 'C' is none of the choices",
    ),
    "a place": ({"target": "1", "choices": ["gold", "tin"]}, "target '1' is none of the choices"),
    "a letter and a text": (
        {"target": "A", "choices": ["B", "A"], "scores": scored("C")},
        "target 'A' is a choice and the letter of another; correct the target or the choices",
    ),
}


@pytest.mark.parametrize(("fields", "message"), OPEN_CHOICES.values(), ids=OPEN_CHOICES)
def test_a_right_choice_that_inspect_leaves_open_is_an_error_of_one_line(
    tmp_path: Path, fields: dict[str, Any], message: str
) -> None:
    path = write_inspect(tmp_path / "log.json", inspect_sample("q7", **fields))
    with pytest.raises(ma.UserError) as raised:
        ma.read_log(path)
    assert str(raised.value).startswith(f"{path}, sample q7: {message}")
    assert "\n" not in str(raised.value)


def test_a_lower_case_letter_names_a_choice_and_an_empty_target_none(tmp_path: Path) -> None:
    """As in Inspect's own scorer `choice`."""
    samples = [
        inspect_sample(
            1, target="c", choices=["gold", "glass", "tin"], scores=scored("C", "choice")
        ),
        inspect_sample(2, target="", choices=["gold", "tin"]),
    ]
    log = ma.read_log(write_inspect(tmp_path / "log.json", *samples))
    assert log["answer"].tolist() == ["tin", ""]
    assert json.dumps(log["choices"][0]) == '["gold", "glass", "tin"]'
