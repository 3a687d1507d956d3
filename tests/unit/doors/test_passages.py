"""A log with passages asked again: answers against a plain loop,
the verdict's files, refusals before a load.
"""

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
from mechaware.models.opening import LoadedModel
from scripts.grounding import exchange_passages as script
from tests.tiny_models import END, make_tiny_model
from tests.unit.core.evaluation_logs import GENERATION, lm_eval, options, write_lines

REPOSITORY = Path(__file__).resolve().parents[3]
SCHEMA = json.loads((REPOSITORY / "mechaware/verdicts/schema.json").read_text())
N = 24
CHOICES = (" a", " bc", " d")
LETTERS = ("a", "b", "d")  # of one token each
TOO_LONG = " and more" * 6  # what makes a passage longer than the model's context


def passage(number: int) -> str:
    """A passage of 25 bytes at most, with a number of its own."""
    return f"river {number:02} has {number * number} fish"


def line(number: int, *, more: str = "", choices: tuple[str, ...] = CHOICES) -> dict[str, Any]:
    """A sample with three options, of which the right one is the first,
    second and third in turn.
    """
    text = passage(number) + more
    return lm_eval(
        number,
        {"passage": text, "question": "?"},
        number % 3,
        options(f"{text}\n{number}?", *choices),
    )


def written_line(number: int) -> dict[str, Any]:
    """A sample without options, whose answer is written."""
    text = passage(number)
    return lm_eval(number, {"passage": text}, "a", [(f"{text}\n?", GENERATION)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every byte is a token of the model, which reads 64 of them."""
    return make_tiny_model("llama", tmp_path_factory.mktemp("passages") / "tiny")


@pytest.fixture(scope="module")
def model(folder: Path) -> LoadedModel:
    """The model of `folder`."""
    return ma.load(folder)


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As many items as `N`, and one that is too long for the model."""
    path = tmp_path_factory.mktemp("log") / "samples.jsonl"
    return write_lines(path, *map(line, range(N)), line(N, more=TOO_LONG))


def answer_of(model: LoadedModel, prompt: str, choices: tuple[str, ...]) -> str:
    """The option with the largest sum of log-probabilities, by one pass for each."""
    n_prompt = len(model.tokenizer(prompt).input_ids)
    totals = {}
    for option in choices:
        ids = model.tokenizer(prompt + option).input_ids
        with torch.inference_mode():
            logits = model.network(input_ids=torch.tensor([ids])).logits[0].double()
        log_probs = logits.log_softmax(-1)

        # The logits at a place are those of the next token.
        totals[option] = 0.0
        for place in range(n_prompt, len(ids)):
            totals[option] += float(log_probs[place - 1, ids[place]])
    return max(totals, key=totals.__getitem__)


@pytest.mark.parametrize("choices", [CHOICES, LETTERS])
def test_answers_are_those_of_a_plain_loop_over_the_three_prompts(
    model: LoadedModel, tmp_path: Path, choices: tuple[str, ...]
) -> None:
    """Of every second item, so that each of the three options is the right one of some."""
    lines = [line(number, choices=choices) for number in range(N)]
    path = write_lines(tmp_path / "samples.jsonl", *lines, line(N, more=TOO_LONG))

    verdict = ma.passages(model, path, name="mine", seed=7)

    assert verdict.n == N
    others = exchange_passages(
        [passage(number) for number in range(N)], derive_seed(7, "exchange_passages", "mine")
    )
    answers = {(row["id"], row["condition"]): row for row in verdict.evidence.answers}
    for number in range(0, N, 2):
        own = passage(number)
        right = choices[number % 3]
        for condition, shown in (("own", own), ("exchanged", others[own]), ("none", "")):
            expected = answer_of(model, f"{shown}\n{number}?", choices)
            answer = answers[str(number), condition]
            assert answer["answer"] == expected
            assert answer["right"] == (expected == right)
    assert len({row["answer"] for row in answers.values()}) > 1  # the prompts matter

    (note, *_) = verdict.notes
    assert note.startswith("1 samples of the log are not asked:\nsample 24: ")
    assert note.endswith("tokens with its answer, but the model reads at most 64")


def test_the_step_writes_the_library_s_verdict_its_page_and_a_row_for_each_item(
    model: LoadedModel, folder: Path, log: Path, tmp_path: Path
) -> None:
    script.main(
        name="mine",
        label="Tiny",
        samples=log,
        model=folder,
        field="",
        metric="",
        confidence_level=0.95,
        seed=derive_seed(7, "exchange_passages", "mine"),
        verdict=tmp_path / "verdict.json",
        page=tmp_path / "index.html",
        lines=tmp_path / "lines.txt",
        by_item=tmp_path / "items.csv",
    )
    record = json.loads((tmp_path / "verdict.json").read_text())

    verdict = ma.passages(model, log, name="mine", seed=7)

    jsonschema.validate(record, SCHEMA)
    assert record == json.loads(json.dumps(verdict.record()))
    assert record["error_rates"]["rates"] == []
    assert record["error_rates"]["missing"][0].startswith("how often this verdict is wrong is not")

    page = (tmp_path / "index.html").read_text()
    assert "Does the score of Tiny on mine follow the passages?" in page
    assert "How often this verdict is wrong is not measured" in page
    assert (tmp_path / "lines.txt").read_text().startswith(f"mine: {verdict.status}: ")

    items = pd.read_csv(tmp_path / "items.csv", dtype=str)
    assert items["id"].tolist() == [str(number) for number in range(N)]

    by_own = [row["right"] for row in verdict.evidence.answers if row["condition"] == "own"]
    assert items["right_own"].tolist() == [str(right) for right in by_own]


def test_written_answers_are_the_greedy_continuations(model: LoadedModel, tmp_path: Path) -> None:
    """Token by token, by transformers, behind the prompt without its passage."""
    path = write_lines(tmp_path / "samples.jsonl", *map(written_line, range(N)))

    verdict = ma.passages(model, path)

    first = next(row for row in verdict.evidence.answers if row["condition"] == "none")
    prompt_ids = model.tokenizer("\n?").input_ids
    ids = list(prompt_ids)
    for _ in range(17):  # one of the answer and 16 around it
        with torch.inference_mode():
            logits = model.network(input_ids=torch.tensor([ids])).logits[0, -1]
        ids.append(int(logits.argmax()))
    continuation = model.tokenizer.decode(ids[len(prompt_ids) :])
    assert first["answer"] == continuation.partition(END)[0].strip()
    assert any(note.startswith("24 items have no options") for note in verdict.notes)


def test_a_model_that_can_read_too_few_is_refused_before_its_weights_are_loaded(
    folder: Path, tmp_path: Path
) -> None:
    without_weights = shutil.copytree(folder, tmp_path / "model")
    for weights in without_weights.glob("*.safetensors"):
        weights.unlink()
    lines = [line(number, more=TOO_LONG) for number in range(N)]
    path = write_lines(tmp_path / "samples.jsonl", *lines)

    message = r"the model can read 0 items .* take a model with a longer"
    with pytest.raises(UserError, match=message):
        script.main(
            name="mine",
            label="Tiny",
            samples=path,
            model=without_weights,
            field="",
            metric="",
            confidence_level=0.95,
            seed=1,
            verdict=tmp_path / "verdict.json",
            page=tmp_path / "index.html",
            lines=tmp_path / "lines.txt",
            by_item=tmp_path / "items.csv",
        )
    assert not (tmp_path / "verdict.json").exists()


def test_the_verb_enters_a_log_in_a_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_lines(Path("my.boolq.jsonl"), *map(line, range(N)))
    question = ask_passages(Path("my.boolq.jsonl"), "gpt2")

    assert question.config["grounding"] == {
        "passages": {"my-boolq": {"log": "my.boolq.jsonl", "model": "gpt2"}}
    }
    assert question.page == "results/grounding/passages/my-boolq/index.html"
