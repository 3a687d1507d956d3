"""The choices of a benchmark's items, read from CSV, JSON lines and Parquet."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from mechaware.core.errors import UserError
from mechaware.instruments.radar.benchmark import read_benchmark
from mechaware.instruments.radar.question_answer import QuestionAnswer
from tests.unit.instruments.radar.benchmark_files import write_file, write_rows

CAPITAL = "Capital of Peru?\nA. 1\nB. Lima\nC. 0\nAnswer:"


@pytest.mark.parametrize(
    ("answer", "choices", "expected"),
    [
        pytest.param("Lima", "1|Lima|0", " B", id="a choice"),
        pytest.param("B", "1| Lima |0", " B", id="a letter"),
        pytest.param("2", "1|Lima|0", " C", id="a number from 0"),
        # The text 1 is choice A; as a number from 0, 1 would be B.
        pytest.param("1", "1|Lima|0", " A", id="a text before a number"),
        pytest.param("Lima", '"[""1"", ""Lima"", ""0""]"', " B", id="a JSON list"),
        pytest.param("", "1|Lima|0", "", id="no answer"),
    ],
)
def test_choices_become_lettered_lines_and_the_answer_a_letter(
    tmp_path: Path, answer: str, choices: str, expected: str
) -> None:
    path = write_file(
        tmp_path,
        f"id,question,answer,choices\na,Capital of Peru?,{answer},{choices}\nb,Who?,Ann,\n",
    )

    with_choices, without = read_benchmark(path).lines

    assert with_choices == QuestionAnswer(CAPITAL, expected)
    assert without == QuestionAnswer("Who?", " Ann")


# An answer and choices in JSON lines

LISTED = ["4", "Lima", "1"]
# As the Hub's ARC has them. The label 1 belongs to the text 4, and the text 1 has the label 3.
LABELLED = {"text": LISTED, "label": ["1", "2", "3"]}


def write_json_lines(folder: Path, answer: Any, choices: Any) -> Path:
    """Row 1 has the answer and the choices, row 2 is empty and skipped, row 3 has no choices.

    The capitals of the file's ending make no difference.
    """
    with_choices = {"id": "a", "question": "Q?", "answer": answer, "choices": choices}
    without = {"id": "b", "question": "", "answer": "x"}
    lines = [json.dumps(with_choices), "", json.dumps(without)]
    return write_file(folder, "\n".join(lines), "items.JSONL")


@pytest.mark.parametrize(
    ("answer", "choices", "letter"),
    [
        pytest.param("1", LISTED, "C", id="a text"),
        pytest.param(1, LISTED, "B", id="a number from 0, as the Hub's MMLU has it"),
        # Beside an empty cell, pandas turns integers into floats.
        pytest.param(1.0, LISTED, "B", id="a number from 0 as a float"),
        pytest.param(2, [1, 2, 3], "B", id="a number among numbers"),
        pytest.param(2.0, [1, 2.0, 3.5], "B", id="a float among numbers"),
        pytest.param("1", LABELLED, "A", id="a label before a text"),
        pytest.param("Lima", LABELLED, "B", id="a text among labels"),
        pytest.param(2, LABELLED, "B", id="a number as a label"),
        pytest.param("B", {"text": LISTED}, "B", id="a mapping without labels"),
        pytest.param("3", json.dumps(LABELLED), "C", id="a mapping as JSON text"),
        pytest.param("[2]", "[1]|[2]", "B", id="choices between bars that begin like JSON"),
        pytest.param("2", "[1, 2, 3]", "B", id="numbers as JSON text"),
    ],
)
def test_an_answer_of_json_lines_is_the_letter_of_its_choice(
    tmp_path: Path, answer: Any, choices: Any, letter: str
) -> None:
    path = write_json_lines(tmp_path, answer, choices)

    benchmark = read_benchmark(path)

    assert benchmark.lines[0].answer == f" {letter}"
    assert [item.row for item in benchmark.items] == [1, 3]


WRITE_A_LIST = "; write a JSON list of 2 to 26 texts, or separate them by |"


@pytest.mark.parametrize(
    ("answer", "choices", "fault"),
    [
        pytest.param(
            "C",
            LABELLED,
            "answer 'C' is none of the 3 choices; write one, or its label",
            id="a letter where choices have other labels",
        ),
        pytest.param(
            "D",
            LISTED,
            "answer 'D' is none of the 3 choices; write one, its letter or its number",
            id="neither choice nor letter",
        ),
        pytest.param(
            ["1"], LISTED, "answer ['1'] is not a text; write one text", id="a list as answer"
        ),
        pytest.param(
            {"text": "1"},
            LISTED,
            "answer {'text': '1'} is not a text; write one text",
            id="a mapping as answer",
        ),
        pytest.param(
            "1",
            {"A": "x", "B": "y"},
            "choices {'A': 'x', 'B': 'y'}" + WRITE_A_LIST,
            id="a mapping without texts",
        ),
        pytest.param(
            "1",
            {"text": ["x", "y"], "label": ["1"]},
            "choices {'text': ['x', 'y'], 'label': ['1']}" + WRITE_A_LIST,
            id="a label too few",
        ),
        pytest.param("1", 5, "choices 5" + WRITE_A_LIST, id="a number"),
        pytest.param("1", True, "choices True" + WRITE_A_LIST, id="a truth value"),
        pytest.param("x", ["x"], "choices ['x']" + WRITE_A_LIST, id="one choice"),
        pytest.param(
            "0", "|".join(map(str, range(27))), WRITE_A_LIST, id="more choices than letters"
        ),
        pytest.param("x", '["x" "y|z"]', 'choices ["x" "y|z"]' + WRITE_A_LIST, id="broken JSON"),
        pytest.param(
            "x",
            "['x', 'y|z']",
            "choices ['x', 'y|z']" + WRITE_A_LIST,
            id="a list as pandas exports it",
        ),
        pytest.param(
            "x",
            "['x'\n 'y']",
            "choices ['x' 'y']" + WRITE_A_LIST,
            id="an array as pandas exports it",
        ),
        pytest.param("x", ["x", None], "empty choice; fill it in or remove it", id="a null"),
        pytest.param(
            "x", "x||y", "empty choice; fill it in or remove it", id="nothing between bars"
        ),
        pytest.param(
            "x",
            [["x"], ["y"]],
            "choice ['x'] is not a text; write one text",
            id="nested lists",
        ),
        pytest.param(
            "x",
            "x| y|x ",
            "choice 'x' twice; change or remove one of them",
            id="two equal choices",
        ),
        pytest.param(
            "x",
            ["x", "\ud83d"],
            "choice has '\\ud83d', half of a character; write the whole character",
            id="half a character",
        ),
    ],
)
def test_choices_that_cannot_be_used_are_refused_or_skipped(
    tmp_path: Path, answer: Any, choices: Any, fault: str
) -> None:
    path = write_json_lines(tmp_path, answer, choices)

    with pytest.raises(UserError) as refused:
        read_benchmark(path)
    message = str(refused.value)
    assert message.startswith(f"{path}, row 1: ")
    assert message.endswith(fault)

    benchmark = read_benchmark(path, skip_faulty=True)
    assert benchmark.skipped == (message,)
    assert [item.row for item in benchmark.items] == [3]


# Other formats


@pytest.mark.parametrize("answer_type", ["Int64", "float64"])
def test_parquet_keeps_integers_beside_empty_cells_and_reads_labelled_choices(
    tmp_path: Path, answer_type: str
) -> None:
    table = pd.DataFrame(
        {
            "id": pd.array(["a", "b", "c"], dtype="string"),
            "question": ["When?", "Where?", "Who?"],
            # The second answer is the label of Lima.
            "answer": pd.array([1737, 2, None], dtype="Int64"),
            "choices": [None, LABELLED, None],
            # No value: the benchmark is read as if it had no such column.
            "seen": pd.array([None, None, None], dtype="boolean"),
        }
    )
    path = tmp_path / "items.parquet"
    table.astype({"answer": answer_type}).to_parquet(path)

    benchmark = read_benchmark(path)

    assert [line.text for line in benchmark.lines] == [
        "When? 1737",
        "Where?\nA. 4\nB. Lima\nC. 1\nAnswer: B",
        "Who?",
    ]


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_json_lines_and_parquet_hold_ids_texts_choices_and_truth_values(
    tmp_path: Path, ending: str
) -> None:
    rows: list[dict[str, Any]] = [
        {
            "id": 1,
            "question": "Capital of Peru?",
            "answer": "Lima",
            "seen": True,
            "choices": ["1", "Lima", "0"],
        }
    ]
    for number in range(2, 7):
        rows.append(
            {
                "id": number,
                "question": f"Who is {number}?",
                "answer": "Ann",
                "seen": number < 4,
                "choices": None,
            }
        )
    path = tmp_path / f"items.{ending}"
    write_rows(path, rows)

    benchmark = read_benchmark(path)

    assert benchmark.lines[0] == QuestionAnswer(CAPITAL, " B")
    assert benchmark.lines[1] == QuestionAnswer("Who is 2?", " Ann")
    assert [item.id for item in benchmark.items] == ["1", "2", "3", "4", "5", "6"]
    assert [item.seen for item in benchmark.items] == [True, True, True, False, False, False]
    assert [item.row for item in benchmark.items] == [1, 2, 3, 4, 5, 6]
