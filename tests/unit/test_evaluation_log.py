"""Logs of lm-eval and Inspect, written here by hand in the forms of their versions, and the samples read from them."""

import json
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

import mechaware as ma
from mechaware.radar.library import _benchmark

# A line of lm-eval, older and newer, of a generation, and of a task with a request for each choice.
GENERATED = {
    "doc_id": 3,
    "doc": {"question": "Capital of Peru?"},
    "target": "Lima",
    "arguments": [["Q: Capital of Chad?\nA: N'Djamena\n\nQ: Capital of Peru?\nA:", {"until": ["\n"]}]],
    "resps": [[" Lima"]],
    "filtered_resps": ["Lima"],
    "doc_hash": "5f",
    "exact_match": 1.0,
}
PROMPT = GENERATED["arguments"][0][0]  # type: ignore[index]
NEWER = GENERATED | {
    "arguments": {"gen_args_0": {"arg_0": PROMPT, "arg_1": {"until": ["\n"]}}},
    "filter": "strict",
    "metrics": ["bleu", "exact_match"],
    "bleu": 0.5,
}
LOOSE = NEWER | {"filter": "loose", "exact_match": 0.0}
CHOSEN = {
    "doc_id": 0,
    "doc": {},
    "target": "1",
    "arguments": {f"gen_args_{place}": {"arg_0": "2 + 2 =", "arg_1": f" {3 + place}"} for place in range(3)},
    "metrics": ["acc"],
    "acc": True,
}
CHAT = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Capital of Peru?"}]
LM_EVAL: dict[str, tuple[list[dict[str, Any]], dict[str, str], list[tuple[str, str, str, float]]]] = {
    "a generation": ([GENERATED], {}, [("3", PROMPT, "Lima", 1.0)]),
    "the first metric and filter": ([NEWER, LOOSE], {}, [("3", PROMPT, "Lima", 0.5)]),
    "those that are named": ([NEWER, LOOSE], {"metric": "exact_match,loose"}, [("3", PROMPT, "Lima", 0.0)]),
    "a field of the doc": ([GENERATED], {"question": "question"}, [("3", "Capital of Peru?", "Lima", 1.0)]),
    "several answers": ([GENERATED | {"target": "['Lima', 'lima']"}], {}, [("3", PROMPT, "Lima", 1.0)]),
    "a choice by its place": ([CHOSEN], {}, [("0", "2 + 2 =", " 4", 1.0)]),
    "a choice by its text": (
        [CHOSEN | {"target": "no", "arguments": [["Is it?", " yes"], ["Is it?", " no"]]}],
        {},
        [("0", "Is it?", " no", 1.0)],
    ),
    "a place among contexts": (
        [CHOSEN | {"target": 1, "arguments": [["Ann", " left."], ["Bob", " left."]]}],
        {},
        [("0", "Bob", " left.", 1.0)],
    ),
    "a whole text": ([CHOSEN | {"arguments": [["All of it."]]}], {}, [("0", "", "All of it.", 1.0)]),
    "a chat": (
        [GENERATED | {"arguments": [[[json.dumps(CHAT)], {}]]}],
        {},
        [("3", "Capital of Peru?", "Lima", 1.0)],
    ),
}


@pytest.mark.parametrize(("lines", "options", "expected"), LM_EVAL.values(), ids=LM_EVAL)
def test_the_samples_of_lm_eval(
    tmp_path: Path, lines: list[dict[str, Any]], options: dict[str, str], expected: list[tuple[str, str, str, float]]
) -> None:
    path = tmp_path / "samples_capitals.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    log = ma.read_log(path, **options)
    assert [tuple(row) for row in log.itertuples(index=False)] == expected
    assert list(log) == ["id", "question", "answer", "correct"]


def sample(name: object, **fields: object) -> dict[str, object]:
    return {"id": name, "epoch": 1, "input": "Capital of Peru?", "target": "Lima"} | fields


def scored(value: object) -> dict[str, object]:
    return {"match": {"value": value, "answer": "Lima"}}


PARTS = [{"type": "text", "text": "Capital"}, {"type": "image", "image": "x.png"}, {"type": "text", "text": "of Peru?"}]
INSPECT: dict[str, tuple[list[dict[str, object]], str, list[tuple[str, str, str, float]]]] = {
    "grades": (
        [sample(name, scores=scored(name)) for name in "CIPN"],
        "",
        [(name, "Capital of Peru?", "Lima", value) for name, value in zip("CIPN", (1, 0, 0.5, 0), strict=True)],
    ),
    "numbers over epochs": (
        [sample(7, scores=scored(1)), sample(7, epoch=2, scores=scored(False))],
        "",
        [("7", "Capital of Peru?", "Lima", 0.5)],
    ),
    "messages and targets": (
        [sample(1, input=[*CHAT, {"role": "user", "content": PARTS}], target=["Lima", "lima"], scores=scored("C"))],
        "",
        [("1", "Capital of Peru?\nCapital\nof Peru?", "Lima", 1.0)],
    ),
    "a named scorer": (
        [sample(1, scores=scored("C") | {"judge": {"value": {"style": 0.2, "fact": 0.9}}})],
        "judge/fact",
        [("1", "Capital of Peru?", "Lima", 0.9)],
    ),
}


@pytest.mark.parametrize("suffix", [".json", ".eval"])
@pytest.mark.parametrize(("samples", "metric", "expected"), INSPECT.values(), ids=INSPECT)
def test_the_samples_of_inspect(
    tmp_path: Path,
    samples: list[dict[str, object]],
    metric: str,
    expected: list[tuple[str, str, str, float]],
    suffix: str,
) -> None:
    path = write_inspect(tmp_path / f"log{suffix}", samples)
    assert [tuple(row) for row in ma.read_log(path, metric=metric).itertuples(index=False)] == expected


def write_inspect(path: Path, samples: list[dict[str, object]]) -> Path:
    if path.suffix == ".json":
        path.write_text(json.dumps({"version": 2, "status": "success", "samples": samples}))
        return path
    with ZipFile(path, "w") as archive:
        archive.writestr("header.json", "{}")
        for place, each in enumerate(samples):
            archive.writestr(f"samples/{each['id']}_epoch_{place + 1}.json", json.dumps(each))
    return path


def test_choices_and_a_sample_without_a_score(tmp_path: Path) -> None:
    """The letter of Inspect's target is read among the choices, as the detectors read those of a benchmark."""
    chosen = sample("a", target="B", choices=["Quito", "Lima"], scores=scored("I"))
    log = ma.read_log(write_inspect(tmp_path / "log.json", [chosen, sample("b", error={"message": "time"})]))
    assert log["correct"].isna().tolist() == [False, True]
    lines = _benchmark(log, "log").lines
    assert [line.text for line in lines] == [
        "Capital of Peru?\nA. Quito\nB. Lima\nAnswer: B",
        "Capital of Peru? Lima",
    ]


FAULTS: dict[str, tuple[str, str, dict[str, str], str]] = {
    "no file": ("", "", {}, "not read; give lm-eval's"),
    "another file": ("log.json", '{"results": {}}', {}, "not read; give lm-eval's"),
    "no zip": ("log.eval", "{}", {}, "not read; give lm-eval's"),
    "a broken line": ("samples.jsonl", '{"doc_id": 0', {}, "row 1: not JSON"),
    "no prompt": ("samples.jsonl", '{"doc_id": 0, "target": ""}', {}, "row 1: no 'arguments'"),
    "another metric": ("samples.jsonl", json.dumps(CHOSEN), {"metric": "f1"}, "sample 0: .*form: f1"),
    "another filter": ("samples.jsonl", json.dumps(NEWER), {"metric": "bleu,x"}, "no samples with the filter 'x'"),
    "another field": ("samples.jsonl", json.dumps(NEWER), {"question": "text"}, "sample 3: .*form: 'text'"),
    "another choice": ("samples.jsonl", json.dumps(CHOSEN | {"target": "five"}), {}, "sample 0: .*'five' is not in"),
}


@pytest.mark.parametrize(("name", "text", "options", "message"), FAULTS.values(), ids=FAULTS)
def test_what_cannot_be_read_is_one_line(
    tmp_path: Path, name: str, text: str, options: dict[str, str], message: str
) -> None:
    path = tmp_path / (name or "nothing.json")
    if name:
        path.write_text(text)
    with pytest.raises(ma.UserError, match=message) as raised:
        ma.read_log(path, **options)
    assert str(raised.value).startswith(str(path))
    assert "\n" not in str(raised.value)
