"""Which samples of a log are one item, by the task, the document and the id;
one id with two texts is an error.
"""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import mechaware as ma
from tests.unit.core.evaluation_logs import (
    GENERATION,
    inspect_sample,
    lm_eval,
    older,
    write_inspect,
    write_lines,
)


def asked(doc_id: int, question: str, answer: str, right: float) -> dict[str, Any]:
    """The line of a question; `right` is its metric."""
    requests = [(f"{question}\nA:", GENERATION)]
    return lm_eval(doc_id, {"question": question}, answer, requests, right=right)


def rows_of(log: pd.DataFrame) -> list[tuple[str, str, float]]:
    """The question, the answer and the mark of each item."""
    return list(log[["question", "answer", "correct"]].itertuples(index=False, name=None))


ALGEBRA = [asked(0, "Is 91 prime?", "no", 1.0), asked(1, "Is 97 prime?", "yes", 1.0)]
ANATOMY = [asked(0, "Is the ulna a bone?", "yes", 0.0), asked(1, "Is bile a bone?", "no", 1.0)]
FOUR = [
    ("Is 91 prime?", "no", 1.0),
    ("Is 97 prime?", "yes", 1.0),
    ("Is the ulna a bone?", "yes", 0.0),
    ("Is bile a bone?", "no", 1.0),
]


def test_two_tasks_in_one_file_have_ids_of_their_own(tmp_path: Path) -> None:
    """Without a name of the task the hash of the document tells them apart."""
    log = ma.read_log(write_lines(tmp_path / "samples.jsonl", *ALGEBRA, *ANATOMY))
    assert rows_of(log) == FOUR
    expected = []
    for line in (*ALGEBRA, *ANATOMY):
        expected.append(f"{line['doc_id']}-{line['doc_hash'][:8]}")
    assert log["id"].tolist() == expected


@pytest.mark.parametrize("field", ["task", "task_name"])
def test_two_tasks_that_the_lines_name_are_in_the_ids(tmp_path: Path, field: str) -> None:
    algebra = [line | {field: "algebra"} for line in ALGEBRA]
    anatomy = [line | {field: "anatomy"} for line in ANATOMY]
    log = ma.read_log(write_lines(tmp_path / "samples.jsonl", *algebra, *anatomy))
    assert log["id"].tolist() == ["algebra/0", "algebra/1", "anatomy/0", "anatomy/1"]
    assert rows_of(log) == FOUR

    one_task = ma.read_log(write_lines(tmp_path / "one.jsonl", *algebra))
    assert one_task["id"].tolist() == ["0", "1"]


def test_tasks_with_other_filters_are_all_read(tmp_path: Path) -> None:
    strict = [line | {"filter": "strict"} for line in ANATOMY]
    loose = [line | {"filter": "loose"} for line in ANATOMY]
    log = ma.read_log(write_lines(tmp_path / "samples.jsonl", *ALGEBRA, *strict, *loose))
    assert rows_of(log) == FOUR


def test_an_evaluation_that_was_repeated_is_averaged(tmp_path: Path) -> None:
    """The first item is evaluated four times, and only the first evaluation is right."""
    wrong = ALGEBRA[0] | {"acc": 0.0}
    log = ma.read_log(write_lines(tmp_path / "samples.jsonl", *ALGEBRA, wrong, wrong, wrong))
    assert log["id"].tolist() == ["0", "1"]
    assert log["correct"].tolist() == [0.25, 1.0]


TWO_TEXTS: dict[str, list[dict[str, Any]]] = {
    "two tasks of an older version": [older(line, line["target"]) for line in (*ALGEBRA, *ANATOMY)],
    "two documents in one task": [
        ALGEBRA[0] | {"task": "algebra"},
        ALGEBRA[1] | {"task": "algebra"},
        ANATOMY[0] | {"task": "algebra"},
        ANATOMY[1] | {"task": "anatomy"},
    ],
    "one document with two answers": [*ALGEBRA, ALGEBRA[0] | {"target": "yes"}],
    "one document in other words": [
        *ALGEBRA,
        ALGEBRA[0] | {"arguments": {"gen_args_0": {"arg_0": "Prime: 91?", "arg_1": GENERATION}}},
    ],
    "two filters of different documents": [
        older(ALGEBRA[0], "no"),
        older(ANATOMY[0], "yes") | {"filter": "strict"},
    ],
}


@pytest.mark.parametrize("lines", TWO_TEXTS.values(), ids=TWO_TEXTS)
def test_one_id_with_two_texts_is_one_line_that_says_what_to_do(
    tmp_path: Path, lines: list[dict[str, Any]]
) -> None:
    path = write_lines(tmp_path / "samples.jsonl", *lines)
    with pytest.raises(ma.UserError) as raised:
        ma.read_log(path, skip_faulty=True)
    second = 2 if len(lines) == 2 else 3
    name = "algebra/0" if "task" in lines[0] else "0"
    assert str(raised.value) == (
        f"{path}, sample {name}: lines 1 and {second} have different documents or texts; keep one task and one "
        "evaluation in a file, or add a field 'task' to each line"
    )


@pytest.mark.parametrize("suffix", [".json", ".eval"])
def test_one_id_with_two_texts_in_inspect_is_one_line(tmp_path: Path, suffix: str) -> None:
    other = inspect_sample("7", input="Capital of Chad?")
    path = write_inspect(tmp_path / f"log{suffix}", inspect_sample("6"), inspect_sample(7), other)
    with pytest.raises(ma.UserError) as raised:
        ma.read_log(path)
    assert str(raised.value) == (
        f"{path}, sample 7: the samples 2 and 3 of the log have this id and different texts; give each an id of its own"
    )
