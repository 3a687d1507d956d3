"""The passage of each sample in a log, and logs without passages."""

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

N = 24


def passage(number: int) -> str:
    return f"River {number} is long.\nIt flows  north."


def boolq(number: int, **changed: Any) -> dict[str, Any]:
    """A line as lm-eval writes it for BoolQ, with a worked example before the question."""
    document = {"passage": passage(number), "question": f"is river {number} long", "label": 1}
    shown = " ".join(passage(number).split())
    prompt = f"{passage(99)}\nQuestion: x?\nAnswer: no\n\n{shown}\nQuestion: {number}?\nAnswer:"
    return (
        lm_eval(number, document, 1, options(prompt, " no", " yes"), right=float(number % 3 == 0))
        | changed
    )


def written(number: int, target: list[str]) -> dict[str, Any]:
    """A line whose answer is generated, as for SQuAD."""
    document = {"title": "Rivers", "context": passage(number), "question": "Which river?"}
    prompt = f"Rivers\n\n{passage(number)}\n\nQuestion: Which river?\nAnswer:"
    return lm_eval(number, document, target, [(prompt, GENERATION)], metric="exact_match") | {
        "target": target
    }


def test_the_passage_is_where_the_prompt_repeats_it_last_but_for_white_space(
    tmp_path: Path,
) -> None:
    read = read_passages(write_lines(tmp_path / "samples.jsonl", *map(boolq, range(N))))
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


def test_of_a_passage_that_the_worked_example_also_has_the_last_occurrence_counts(
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


def test_a_written_answer_has_all_accepted_ones_and_one_without_any_is_left_out(
    tmp_path: Path,
) -> None:
    lines = [written(number, [f"River {number}", str(number)]) for number in range(N)]
    lines.append(written(N, []))
    path = write_lines(tmp_path / "samples.jsonl", *lines)
    read = read_passages(path)
    assert len(read.items) == N
    assert read.items[7].accepted == ("River 7", "7")
    assert read.items[7].options == ()
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


def test_a_log_without_a_mark_has_items_without_one(tmp_path: Path) -> None:
    lines = [boolq(number, metrics=[]) for number in range(N)]
    read = read_passages(write_lines(tmp_path / "samples.jsonl", *lines))
    assert all(math.isnan(item.correct) for item in read.items)


def test_logs_in_which_no_passage_can_be_exchanged_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    with pytest.raises(UserError, match=r"samples.jsonl: no such file \(from "):
        read_passages(path)
    path.write_text("id,question,answer\n")
    with pytest.raises(UserError, match="not read as an evaluation log; give lm-eval's"):
        read_passages(path)

    plain = [
        lm_eval(number, {"question": "q?", "label": 0}, 0, options("q?", " a", " b"))
        for number in range(N)
    ]
    with pytest.raises(UserError, match=r"no prompt repeats .*; the samples have 'label', 'quest"):
        read_passages(write_lines(path, *plain))
    with pytest.raises(UserError, match="no prompt repeats a field notes; the samples have"):
        read_passages(write_lines(path, *map(boolq, range(N))), field="notes")

    # Items of one passage, which the identity of their documents does not tell from each other.
    first = boolq(0)
    of_the_first = {"doc": first["doc"], "arguments": first["arguments"], "doc_hash": ""}
    same = [boolq(number) | of_the_first for number in range(N)]
    with pytest.raises(UserError, match="all 24 items have the same passage"):
        read_passages(write_lines(path, *same))
    with pytest.raises(UserError, match=r"19 items with 19 passages; at least 20 items with 6"):
        read_passages(write_lines(path, *map(boolq, range(19))))
