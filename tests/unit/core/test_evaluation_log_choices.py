"""Which option of a sample is right: the one that the log names, or an error, never a guess."""

import json
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
# An ending that is also a place.
GIFTS = [
    ("Ann gave Bo", " 1"),
    ("Bo gave Ann", " 1"),
    ("Bo gave Eva", " 1"),
]
FROM_TWO = options("Eight less four is", " 2", " 3", " 4")
LABELLED = {"text": ["1", "2", "3", "4"], "label": ["1", "2", "3", "4"]}
TRUTHS = {
    "mc1_targets": {"choices": ["blue", "red"], "labels": [1, 0]},
    "mc2_targets": {"choices": ["blue", "green", "red"], "labels": [1, 0, 1]},
}


def answer_of(folder: Path, line: dict[str, Any]) -> tuple[str, str]:
    """Question and answer of the log's one sample, with the whole prompt as question."""
    log = ma.read_log(write_lines(folder / "samples.jsonl", line), question="arguments")
    return log["question"][0], log["answer"][0]


RIGHT: dict[str, tuple[dict[str, Any], tuple[str, str]]] = {
    "a place": (lm_eval(0, {}, 1, COLOURS), ("Grass is", " green")),
    "a text": (lm_eval(0, {}, "red", COLOURS), ("Grass is", " red")),
    "a place of an older version": (older(lm_eval(0, {}, 2, COLOURS), 2), ("Grass is", " red")),
    "a truth value of an older version": (
        older(lm_eval(0, {}, True, COLOURS), True),
        ("Grass is", " green"),
    ),
    "a list of one place": (lm_eval(0, {}, [2], COLOURS), ("Grass is", " red")),
    "two places of one text": (
        lm_eval(0, {}, [0, 2], options("Grass is", " green", " red", " green")),
        ("Grass is", " green"),
    ),
    "an option in brackets": (
        lm_eval(0, {}, "[1]", options("The list is", " [2]", " [1]")),
        ("The list is", " [1]"),
    ),
    "a number that is an option and no place": (lm_eval(0, {}, "4", NUMBERS), (SUM, " 4")),
    "a number that is a place and no option": (lm_eval(0, {}, "0", NUMBERS), (SUM, " 1")),
    "a number that is the option at its place": (
        lm_eval(0, {}, "2", options("Five less three is", " 0", " 1", " 2")),
        ("Five less three is", " 2"),
    ),
    "a number of an older version": (older(lm_eval(0, {}, 2, NUMBERS), 2), (SUM, " 3")),
    "a number that the document has as a place": (lm_eval(0, {"gold": 2}, 2, NUMBERS), (SUM, " 3")),
    "a number whose option the document names": (
        lm_eval(0, {"answer": "3"}, 2, NUMBERS),
        (SUM, " 3"),
    ),
    "a number next to ARC's labels": (
        lm_eval(
            0, {"choices": LABELLED | {"label": ["A", "B", "C", "D"]}, "answerKey": "C"}, 2, NUMBERS
        ),
        (SUM, " 3"),
    ),
    "a number next to labels that are numbers": (
        lm_eval(0, {"choices": LABELLED, "answerKey": "3"}, 2, NUMBERS),
        (SUM, " 3"),
    ),
    "a number next to labels that are other numbers": (
        lm_eval(
            0,
            {"choices": {"text": ["2", "3", "4"], "label": ["1", "2", "3"]}, "answerKey": "3"},
            2,
            FROM_TWO,
        ),
        ("Eight less four is", " 4"),
    ),
    "a place and the document's letter": (
        lm_eval(0, {"choices": ["blue", "green", "red"], "answer": "B"}, 1, COLOURS),
        ("Grass is", " green"),
    ),
    "a place and the document's other number": (
        lm_eval(0, {"answer": 2}, 1, COLOURS),
        ("Grass is", " green"),
    ),
    "equal options and another": (
        lm_eval(0, {}, 2, options("Grass is", " red", " green", " green")),
        ("Grass is", " green"),
    ),
    "options with likelihoods of their own": (
        lm_eval(0, {}, "blue", [*COLOURS, *options("", " blue", " green", " red")]),
        ("Grass is", " blue"),
    ),
    "a number that the document's answer has as a text": (
        lm_eval(0, {"answer": "4"}, "3", NUMBERS),
        (SUM, " 4"),
    ),
    "a place that the document's answer has as a text": (
        lm_eval(0, {"answer": "4"}, "2", options("Eight less four is", " 2", " 3", " 4")),
        ("Eight less four is", " 4"),
    ),
    "a way out: the place as a number": (
        older(lm_eval(0, {"answer": "3"}, 2, NUMBERS), 2),
        (SUM, " 3"),
    ),
    "one option by the document's labels": (
        lm_eval(
            0,
            {"mc1_targets": {"choices": ["blue", "green", "red"], "labels": [0, 1, 0]}},
            1,
            COLOURS,
        ),
        ("Grass is", " green"),
    ),
    "labels of other options": (
        lm_eval(
            0, {"mc2_targets": TRUTHS["mc2_targets"]}, 1, options("Grass is", " red", " green")
        ),
        ("Grass is", " green"),
    ),
    "winogrande's first option": (
        lm_eval(0, CUP | {"answer": "1"}, "was too wide.", FILLED),
        FILLED[0],
    ),
    "winogrande's second option": (
        lm_eval(0, CUP | {"answer": "2"}, "was too wide.", FILLED),
        FILLED[1],
    ),
    "winogrande of an older version": (
        older(lm_eval(0, CUP | {"answer": "2"}, "was too wide.", FILLED), "was too wide."),
        FILLED[1],
    ),
    "a blank that the target fills by its place": (lm_eval(0, {}, 1, FILLED), FILLED[1]),
    "an ending that is a number, and a document": (
        lm_eval(
            0,
            {"options": ["Bo", "Cy", "Di"], "label": 2},
            1,
            [("Ann gave Bo", " 1"), ("Ann gave Cy", " 1"), ("Ann gave Di", " 1")],
        ),
        ("Ann gave Di", " 1"),
    ),
    "an empty option, which a document without an answer does not name": (
        lm_eval(0, {}, 1, [("The river is", ""), ("The river is", " Nile")]),
        ("The river is", " Nile"),
    ),
    "contexts and continuations that differ": (
        lm_eval(0, {}, "left.", [("Ann", " stayed."), ("Bo", " left.")]),
        ("Bo", " left."),
    ),
}


@pytest.mark.parametrize(("line", "expected"), RIGHT.values(), ids=RIGHT)
def test_the_right_option_is_taken(
    tmp_path: Path, line: dict[str, Any], expected: tuple[str, str]
) -> None:
    assert answer_of(tmp_path, line) == expected


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "a place and the text of another": (
        lm_eval(0, {}, "2", NUMBERS),
        "target '2' is an option and the place of another, ' 3', counted from 0; write the right option's place as the "
        "target, a number without quotes",
    ),
    "digits in a document, place or text": (
        lm_eval(0, {"label": "2"}, "2", NUMBERS),
        "target '2' is an option and the place of another, ' 3', counted from 0; write the right option's place",
    ),
    "digits in a document's answer, place or text": (
        lm_eval(0, {"answer": "3"}, "3", NUMBERS),
        "target '3' is an option and the place of another, ' 4', counted from 0; write the right option's place",
    ),
    "several options by the document's labels": (
        lm_eval(0, TRUTHS, 0, COLOURS),
        "2 options are right: 'blue', 'red'; leave the sample out",
    ),
    "a text and the document's other number": (
        lm_eval(0, {"answer": "4"}, "1", NUMBERS),
        "target '1' is '1', '2', the document's answer '4'; correct one",
    ),
    "counted from 1": (
        lm_eval(0, {}, 3, COLOURS),
        "target 3, but 3 options, counted from 0; correct the target",
    ),
    "counted from 1, unlike the document's answer": (
        lm_eval(0, {"answer": "green"}, 2, COLOURS),
        "target '2' is 'red', the document's answer 'green'; correct one",
    ),
    "counted from 1, unlike ARC's label": (
        lm_eval(
            0,
            {
                "choices": {"text": ["blue", "green", "red"], "label": ["1", "2", "3"]},
                "answerKey": "2",
            },
            2,
            COLOURS,
        ),
        "target '2' is 'red', the document's answer 'green'; correct one",
    ),
    "a blank, counted from 1, unlike the document's answer": (
        lm_eval(0, CUP | {"answer": "1"}, 1, FILLED),
        "target 1, counted from 0, and the document's answer differ: 'cup', 'box'; correct one",
    ),
    "no option": (
        lm_eval(0, {}, "pink", COLOURS),
        "target 'pink' is none of the options ' blue', ' green', ' red'",
    ),
    "a place below 0": (lm_eval(0, {}, -1, COLOURS), "target '-1' is none of the options"),
    "several options": (
        lm_eval(0, {}, [0, 2], COLOURS),
        "2 options are right: 'blue', 'red'; leave the sample out",
    ),
    "an empty list": (lm_eval(0, {}, [], COLOURS), "the target is an empty list; correct it"),
    "a blank without a document": (
        lm_eval(0, {}, "was too wide.", FILLED),
        "tells which context is right",
    ),
    "a blank whose answer is kept back": (
        lm_eval(0, CUP | {"answer": ""}, "was too wide.", FILLED),
        "tells which",
    ),
    "a blank with other options": (
        lm_eval(0, CUP | {"answer": "1", "option1": "lid"}, "was too wide.", FILLED),
        "tells which context is right",
    ),
    "a blank, counted from 1": (
        lm_eval(0, CUP, 2, FILLED),
        "target 2, but 2 options, counted from 0",
    ),
    "a blank, place or ending": (
        lm_eval(0, {}, "1", GIFTS),
        "tells which context is right; write its place",
    ),
}


@pytest.mark.parametrize(("line", "message"), WRONG.values(), ids=WRONG)
def test_an_option_that_the_log_leaves_open_is_one_line(
    tmp_path: Path, line: dict[str, Any], message: str
) -> None:
    with pytest.raises(ma.UserError) as raised:
        answer_of(tmp_path, line)
    assert str(raised.value).startswith(f"{tmp_path}/samples.jsonl, sample 0: ")
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


INSPECT: dict[str, tuple[dict[str, Any], str]] = {
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


@pytest.mark.parametrize(("fields", "message"), INSPECT.values(), ids=INSPECT)
def test_a_choice_that_inspect_leaves_open_is_one_line(
    tmp_path: Path, fields: dict[str, Any], message: str
) -> None:
    path = write_inspect(tmp_path / "log.json", inspect_sample("q7", **fields))
    with pytest.raises(ma.UserError) as raised:
        ma.read_log(path)
    assert str(raised.value).startswith(f"{path}, sample q7: {message}")
    assert "\n" not in str(raised.value)


def test_letters_are_read_as_inspects_scorer_reads_them(tmp_path: Path) -> None:
    samples = [
        inspect_sample(
            1, target="c", choices=["gold", "glass", "tin"], scores=scored("C", "choice")
        ),
        inspect_sample(2, target="", choices=["gold", "tin"]),
    ]
    log = ma.read_log(write_inspect(tmp_path / "log.json", *samples))
    assert log["answer"].tolist() == ["tin", ""]
    assert json.dumps(log["choices"][0]) == '["gold", "glass", "tin"]'
