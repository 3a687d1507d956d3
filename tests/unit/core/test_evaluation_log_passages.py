"""The passage of each sample in a log, and logs that are refused."""

import math
from pathlib import Path
from typing import Any

import pytest

from mechaware.core.errors import UserError
from mechaware.core.evaluation_log.passages import PassageItem, read_passages
from tests.unit.core.evaluation_logs import (
    GENERATION,
    inspect_sample,
    lm_eval,
    options,
    scored,
    write_inspect,
    write_lines,
)

N = 24  # items of a log, each with a passage of its own; at least 20 are needed


def passage(number: int) -> str:
    """A passage with white space that a prompt may repeat as single spaces."""
    return f"River {number} is long.\nIt flows  north."


def boolq_line(number: int, **changed: Any) -> dict[str, Any]:
    """A line as lm-eval writes it for BoolQ, with a worked example on river 99 before the question.

    Every third answer is marked right. `changed` replaces fields of the line.
    """
    document = {"passage": passage(number), "question": f"is river {number} long", "label": 1}
    shown = " ".join(passage(number).split())
    prompt = f"{passage(99)}\nQuestion: x?\nAnswer: no\n\n{shown}\nQuestion: {number}?\nAnswer:"
    right = float(number % 3 == 0)
    line = lm_eval(number, document, 1, options(prompt, " no", " yes"), right=right)
    return line | changed


def squad_line(number: int, target: list[str]) -> dict[str, Any]:
    """A line as lm-eval writes it for SQuAD: the answer is generated, `target` holds the accepted
    answers.
    """
    document = {"title": "Rivers", "context": passage(number), "question": "Which river?"}
    prompt = f"Rivers\n\n{passage(number)}\n\nQuestion: Which river?\nAnswer:"
    line = lm_eval(number, document, target, [(prompt, GENERATION)], metric="exact_match")
    return line | {"target": target}


def test_the_prompt_may_repeat_the_passage_with_other_white_space(tmp_path: Path) -> None:
    read = read_passages(write_lines(tmp_path / "samples.jsonl", *map(boolq_line, range(N))))
    assert not read.faults
    assert read.items[3] == PassageItem(
        id="3",
        before=f"{passage(99)}\nQuestion: x?\nAnswer: no\n\n",
        passage="River 3 is long. It flows north.",
        after="\nQuestion: 3?\nAnswer:",
        options=(" no", " yes"),
        accepted=(" yes",),
        correct=1.0,
    )
    assert [item.correct for item in read.items[:4]] == [1, 0, 0, 1]
    assert read.items[3].prompt("").endswith("no\n\n\nQuestion: 3?\nAnswer:")


def test_the_last_occurrence_counts_if_the_worked_example_has_the_same_passage(
    tmp_path: Path,
) -> None:
    lines = []
    for number in range(N):
        document = {"passage": passage(number), "question": "is it long", "label": 1}
        example = f"{passage(number)}\nQuestion: x?\nAnswer: no\n\n"
        prompt = f"{example}{passage(number)}\nQuestion: {number}?\nAnswer:"
        lines.append(lm_eval(number, document, 1, options(prompt, " no", " yes")))

    item = read_passages(write_lines(tmp_path / "samples.jsonl", *lines)).items[5]

    assert item.before == f"{passage(5)}\nQuestion: x?\nAnswer: no\n\n"
    assert item.after == "\nQuestion: 5?\nAnswer:"


def test_a_generated_answer_has_all_its_accepted_answers_and_no_options(tmp_path: Path) -> None:
    lines = [squad_line(number, [f"River {number}", str(number)]) for number in range(N)]
    read = read_passages(write_lines(tmp_path / "samples.jsonl", *lines))
    assert len(read.items) == N
    assert read.items[7].accepted == ("River 7", "7")
    assert read.items[7].options == ()
    assert read.faults == []


def test_a_sample_without_an_accepted_answer_is_left_out(tmp_path: Path) -> None:
    lines = [squad_line(number, [f"River {number}"]) for number in range(N)]
    lines.append(squad_line(N, []))
    path = write_lines(tmp_path / "samples.jsonl", *lines)
    read = read_passages(path)
    assert len(read.items) == N
    assert read.faults == [f"{path}, sample {N}: it has no accepted answer"]


def test_choices_of_inspect_are_asked_for_by_their_letters(tmp_path: Path) -> None:
    samples = []
    for number in range(N):
        sample = inspect_sample(
            number,
            input=f"{passage(number)}\n\nHow long is it?",
            target="B",
            choices=["short", "long"],
            metadata={"article": passage(number), "topic": "rivers"},
            scores=scored("C", "choice"),
        )
        samples.append(sample)

    item = read_passages(write_inspect(tmp_path / "log.json", *samples)).items[5]
    assert item.before == ""
    assert item.after == "\n\nHow long is it?\nA. short\nB. long\nAnswer:"
    assert (item.options, item.accepted, item.correct) == ((" A", " B"), (" B",), 1.0)


def test_a_log_without_marks_has_items_with_nan_as_mark(tmp_path: Path) -> None:
    lines = [boolq_line(number, metrics=[]) for number in range(N)]
    read = read_passages(write_lines(tmp_path / "samples.jsonl", *lines))
    assert all(math.isnan(item.correct) for item in read.items)


def test_a_path_without_a_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"samples.jsonl: no such file \(from "):
        read_passages(tmp_path / "samples.jsonl")


def test_a_file_that_is_not_a_log_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    path.write_text("id,question,answer\n")
    with pytest.raises(UserError, match="not read as an evaluation log; give lm-eval's"):
        read_passages(path)


def test_a_log_whose_documents_have_no_passage_is_refused(tmp_path: Path) -> None:
    lines = []
    for number in range(N):
        document = {"question": "q?", "label": 0}
        lines.append(lm_eval(number, document, 0, options("q?", " a", " b")))
    with pytest.raises(UserError, match=r"no prompt repeats .*; the samples have 'label', 'quest"):
        read_passages(write_lines(tmp_path / "samples.jsonl", *lines))


def test_a_field_that_no_document_has_is_refused(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "samples.jsonl", *map(boolq_line, range(N)))
    with pytest.raises(UserError, match="no prompt repeats a field notes; the samples have"):
        read_passages(path, field="notes")


def test_a_log_with_one_passage_for_all_items_is_refused(tmp_path: Path) -> None:
    first = boolq_line(0)
    same_passage = {"doc": first["doc"], "arguments": first["arguments"]}
    lines = [boolq_line(number, **same_passage) for number in range(N)]
    with pytest.raises(UserError, match="all 24 items have the same passage"):
        read_passages(write_lines(tmp_path / "samples.jsonl", *lines))


def test_a_log_with_fewer_than_20_items_is_refused(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "samples.jsonl", *map(boolq_line, range(19)))
    with pytest.raises(UserError, match=r"19 items with 19 passages; at least 20 items with 6"):
        read_passages(path)
