"""A log with passages asked again: answers against a plain loop, the verdict's files, refusals before a load."""

import json
import shutil
from pathlib import Path
from typing import Any

import jsonschema
import pandas as pd
import pytest
import torch

import mechaware as ma
from mechaware.core.errors import UserError
from mechaware.core.seeds import derive_seed
from mechaware.doors.command.questions import ask_passages
from mechaware.instruments.grounding.passages.exchange import exchange_passages
from mechaware.models.sources import LoadedModel
from scripts.grounding import exchange_passages as script
from tests.tiny_models import END, make_tiny_model
from tests.unit.core.evaluation_logs import GENERATION, lm_eval, options, write_lines

REPOSITORY = Path(__file__).resolve().parents[3]
SCHEMA = json.loads((REPOSITORY / "mechaware/verdicts/schema.json").read_text())
N = 24
CHOICES = (" a", " bc", " d")
LETTERS = ("a", "b", "d")  # of one token each


def passage(number: int) -> str:
    return f"river {number:02} has {number * number} fish"


def line(number: int, *, more: str = "", choices: tuple[str, ...] = CHOICES) -> dict[str, Any]:
    text = passage(number) + more
    return lm_eval(
        number,
        {"passage": text, "question": "?"},
        number % 3,
        options(f"{text}\n{number}?", *choices),
    )


def written_line(number: int) -> dict[str, Any]:
    text = passage(number)
    return lm_eval(number, {"passage": text}, "a", [(f"{text}\n?", GENERATION)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every byte is a token of the model, which reads 64 of them."""
    return make_tiny_model("llama", tmp_path_factory.mktemp("passages") / "tiny")


@pytest.fixture(scope="module")
def model(folder: Path) -> LoadedModel:
    return ma.load(folder)


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One item more than the model can read."""
    path = tmp_path_factory.mktemp("log") / "samples.jsonl"
    return write_lines(path, *map(line, range(N)), line(N, more=" and more" * 6))


def answer_of(model: LoadedModel, prompt: str, choices: tuple[str, ...]) -> str:
    """The option with the largest sum of log-probabilities, by one pass for each."""
    totals = {}
    for option in choices:
        prompt_ids = model.tokenizer(prompt).input_ids
        ids = model.tokenizer(prompt + option).input_ids
        with torch.inference_mode():
            logits = model.network(input_ids=torch.tensor([ids])).logits[0].double()
        log_probs = logits.log_softmax(-1)
        behind = range(len(prompt_ids), len(ids))
        totals[option] = sum(float(log_probs[place - 1, ids[place]]) for place in behind)
    return max(totals, key=totals.__getitem__)


@pytest.mark.parametrize("choices", [CHOICES, LETTERS])
def test_answers_are_those_of_a_plain_loop_over_the_three_prompts(
    model: LoadedModel, tmp_path: Path, choices: tuple[str, ...]
) -> None:
    lines = [line(number, choices=choices) for number in range(N)]
    path = write_lines(tmp_path / "samples.jsonl", *lines, line(N, more=" and more" * 6))
    verdict = ma.passages(model, path, name="mine", seed=7)

    assert verdict.n == N

    others = exchange_passages(
        [passage(number) for number in range(N)], derive_seed(7, "exchange_passages", "mine")
    )
    answers = {(row["id"], row["condition"]): row for row in verdict.evidence.answers}
    asked = 0
    for number in range(0, N, 3):
        own = passage(number)
        for condition, shown in (("own", own), ("exchanged", others[own]), ("none", "")):
            expected = answer_of(model, f"{shown}\n{number}?", choices)
            assert answers[str(number), condition]["answer"] == expected
            assert answers[str(number), condition]["right"] == (expected == choices[number % 3])
            asked += 1
    assert asked == 24
    assert len({row["answer"] for row in answers.values()}) > 1  # the prompts matter

    (note, *_) = verdict.notes
    assert note.startswith("1 samples of the log are not asked:\nsample 24: ")
    assert note.endswith("tokens with its answer, but the model reads at most 64")


def test_the_step_writes_the_library_s_verdict_its_page_and_a_row_for_each_item(
    model: LoadedModel, folder: Path, log: Path, tmp_path: Path
) -> None:
    names = {
        "verdict": "v.json",
        "page": "index.html",
        "lines": "lines.txt",
        "by_item": "items.csv",
    }
    files = {name: tmp_path / file for name, file in names.items()}
    script.main(
        name="mine", label="Tiny", samples=log, model=folder, field="", metric="",
        confidence_level=0.95, seed=derive_seed(7, "exchange_passages", "mine"), **files,
    )  # fmt: skip
    record = json.loads(files["verdict"].read_text())
    jsonschema.validate(record, SCHEMA)
    verdict = ma.passages(model, log, name="mine", seed=7)

    assert record == json.loads(json.dumps(verdict.record()))
    assert record["error_rates"]["rates"] == []
    assert record["error_rates"]["missing"][0].startswith("how often this verdict is wrong is not")

    page = files["page"].read_text()
    assert "Does the score of Tiny on mine follow the passages?" in page
    assert "How often this verdict is wrong is not measured" in page
    assert files["lines"].read_text().startswith(f"mine: {verdict.status}: ")

    items = pd.read_csv(files["by_item"], dtype=str)
    assert items["id"].tolist() == [str(number) for number in range(N)]

    by_own = [row["right"] for row in verdict.evidence.answers if row["condition"] == "own"]
    assert items["right_own"].tolist() == [str(right) for right in by_own]


def test_written_answers_are_the_greedy_continuations(model: LoadedModel, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "samples.jsonl", *map(written_line, range(N)))
    verdict = ma.passages(model, path)
    first = next(row for row in verdict.evidence.answers if row["condition"] == "none")
    ids = model.tokenizer("\n?").input_ids
    for _ in range(17):  # one of the answer and 16 around it
        with torch.inference_mode():
            ids.append(int(model.network(input_ids=torch.tensor([ids])).logits[0, -1].argmax()))
    assert first["answer"] == model.tokenizer.decode(ids[2:]).partition(END)[0].strip()
    assert any(note.startswith("24 items have no options") for note in verdict.notes)


def test_a_model_that_can_read_too_few_is_refused_before_its_weights_are_loaded(
    folder: Path, tmp_path: Path
) -> None:
    without_weights = shutil.copytree(folder, tmp_path / "model")
    for weights in without_weights.glob("*.safetensors"):
        weights.unlink()
    lines = [line(number, more=" and more" * 6) for number in range(N)]
    path = write_lines(tmp_path / "samples.jsonl", *lines)
    with pytest.raises(
        UserError, match=r"the model can read 0 items .* take a model with a longer"
    ):
        script.main(
            name="mine", label="Tiny", samples=path, model=without_weights, field="", metric="",
            confidence_level=0.95, seed=1, **dict.fromkeys(("verdict", "page", "lines", "by_item"), path),
        )  # fmt: skip


def test_the_verb_enters_a_log_in_a_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_lines(Path("my.boolq.jsonl"), *map(line, range(N)))
    question = ask_passages(Path("my.boolq.jsonl"), "gpt2")

    assert question.config["grounding"] == {
        "passages": {"my-boolq": {"log": "my.boolq.jsonl", "model": "gpt2"}}
    }
    assert question.page == "results/grounding/passages/my-boolq/index.html"
