"""`mechaware.passages` and the workflow's step: a model is asked the samples of a log again.

Each sample has a passage in its prompt. The model is asked with that passage, with another one in
its place, and without a passage.
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
from scripts.grounding import exchange_passages as passages_step
from tests.tiny_models import END, make_tiny_model
from tests.unit.core.evaluation_logs import GENERATION, lm_eval, options, write_lines

REPOSITORY = Path(__file__).resolve().parents[3]
SCHEMA = json.loads((REPOSITORY / "mechaware/verdicts/schema.json").read_text())
# The samples that the model can read; a verdict needs 20 (`MIN_ITEMS`).
N_SAMPLES = 24
# The options of a sample, with and without a space before each. Every byte is a token.
OPTIONS_OF_TWO_OR_THREE_TOKENS = (" a", " bc", " d")
OPTIONS_OF_ONE_TOKEN = ("a", "b", "d")
# With these 54 bytes, a passage is longer than the model's context, 64 tokens.
TOO_LONG = " and more" * 6


def passage(number: int) -> str:
    """A passage with a number, of 19 to 21 bytes."""
    return f"river {number:02} has {number * number} fish"


def sample(
    number: int, *, more: str = "", choices: tuple[str, ...] = OPTIONS_OF_TWO_OR_THREE_TOKENS
) -> dict[str, Any]:
    """A sample with three options. `more` is added to its passage.

    The first option is right in the samples 0, 3, 6 and so on, the second in 1, 4, 7, the third in
    2, 5, 8.
    """
    text = passage(number) + more
    return lm_eval(
        number,
        {"passage": text, "question": "?"},
        number % 3,
        options(f"{text}\n{number}?", *choices),
    )


def sample_to_complete(number: int) -> dict[str, Any]:
    """A sample without options: the model writes its answer after the prompt. "a" is right."""
    text = passage(number)
    return lm_eval(number, {"passage": text}, "a", [(f"{text}\n?", GENERATION)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random model that reads at most 64 tokens; every byte is a token."""
    return make_tiny_model("llama", tmp_path_factory.mktemp("passages") / "tiny")


@pytest.fixture(scope="module")
def model(folder: Path) -> LoadedModel:
    """The model of `folder`."""
    return ma.load(folder)


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of `N_SAMPLES` samples, and one more that is too long for the model."""
    path = tmp_path_factory.mktemp("log") / "samples.jsonl"
    return write_lines(path, *map(sample, range(N_SAMPLES)), sample(N_SAMPLES, more=TOO_LONG))


def answer_of(model: LoadedModel, prompt: str, choices: tuple[str, ...]) -> str:
    """The option with the largest sum of log-probabilities of its tokens, by a pass for each."""
    n_prompt = len(model.tokenizer(prompt).input_ids)
    totals = {}
    for option in choices:
        ids = model.tokenizer(prompt + option).input_ids
        with torch.inference_mode():
            logits = model.network(input_ids=torch.tensor([ids])).logits[0].double()
        log_probs = logits.log_softmax(-1)

        # The logits at a position are those of the next token.
        totals[option] = 0.0
        for position in range(n_prompt, len(ids)):
            totals[option] += float(log_probs[position - 1, ids[position]])
    return max(totals, key=totals.__getitem__)


@pytest.mark.parametrize(
    "choices",
    [OPTIONS_OF_TWO_OR_THREE_TOKENS, OPTIONS_OF_ONE_TOKEN],
    ids=["two or three tokens", "one token"],
)
def test_answers_are_those_of_a_plain_loop_over_the_three_prompts(
    model: LoadedModel, tmp_path: Path, choices: tuple[str, ...]
) -> None:
    """The loop is slow, so it answers every second sample; each option is right in four of them."""
    samples = [sample(number, choices=choices) for number in range(N_SAMPLES)]
    too_long = sample(N_SAMPLES, more=TOO_LONG)
    path = write_lines(tmp_path / "samples.jsonl", *samples, too_long)

    verdict = ma.passages(model, path, name="mine", seed=7)

    assert verdict.n == N_SAMPLES
    other_passages = exchange_passages(
        [passage(number) for number in range(N_SAMPLES)],
        derive_seed(7, "exchange_passages", "mine"),
    )
    answers = {(row["id"], row["condition"]): row for row in verdict.evidence.answers}
    for number in range(0, N_SAMPLES, 2):
        own = passage(number)
        right = choices[number % 3]
        shown = {"own": own, "exchanged": other_passages[own], "none": ""}
        for condition, text in shown.items():
            expected = answer_of(model, f"{text}\n{number}?", choices)
            answer = answers[str(number), condition]
            assert answer["answer"] == expected
            assert answer["right"] == (expected == right)
    # The model does not give one answer to all prompts.
    assert len({row["answer"] for row in answers.values()}) > 1

    note, *_ = verdict.notes
    assert note.startswith("1 samples of the log are not asked:\nsample 24: ")
    assert note.endswith("tokens with its answer, but the model reads at most 64")


def run_step(samples: Path, model: Path, out: Path) -> None:
    """Run the workflow's step on a log; it writes to the folder `out`.

    The exchange of passages is that of `ma.passages(..., name="mine", seed=7)`.
    """
    passages_step.main(
        name="mine",
        label="Tiny",
        samples=samples,
        model=model,
        field="",
        metric="",
        confidence_level=0.95,
        seed=derive_seed(7, "exchange_passages", "mine"),
        verdict=out / "verdict.json",
        page=out / "index.html",
        lines=out / "lines.txt",
        by_item=out / "items.csv",
    )


def test_the_step_writes_the_librarys_verdict_its_page_and_a_row_for_each_item(
    model: LoadedModel, folder: Path, log: Path, tmp_path: Path
) -> None:
    run_step(log, folder, tmp_path)
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
    assert items["id"].tolist() == [str(number) for number in range(N_SAMPLES)]

    own_rows = [row for row in verdict.evidence.answers if row["condition"] == "own"]
    assert items["right_own"].tolist() == [str(row["right"]) for row in own_rows]


def test_written_answers_are_greedy_continuations(model: LoadedModel, tmp_path: Path) -> None:
    """The prompt without its passage is the same in each sample; one answer is compared.

    Here the continuation is decoded by transformers, token by token. It has at most 17 tokens: one,
    the length of the right answer, and 16 for words around it.
    """
    path = write_lines(tmp_path / "samples.jsonl", *map(sample_to_complete, range(N_SAMPLES)))

    verdict = ma.passages(model, path)

    answer = next(row for row in verdict.evidence.answers if row["condition"] == "none")
    prompt_ids = model.tokenizer("\n?").input_ids
    ids = list(prompt_ids)
    for _ in range(1 + 16):
        with torch.inference_mode():
            logits = model.network(input_ids=torch.tensor([ids])).logits[0, -1]
        ids.append(int(logits.argmax()))
    continuation = model.tokenizer.decode(ids[len(prompt_ids) :])
    assert answer["answer"] == continuation.partition(END)[0].strip()
    assert any(note.startswith("24 items have no options") for note in verdict.notes)


def test_a_model_that_can_read_too_few_samples_is_refused_before_its_weights_are_loaded(
    folder: Path, tmp_path: Path
) -> None:
    """Loading would fail: the model's folder has no weights."""
    without_weights = shutil.copytree(folder, tmp_path / "model")
    for weights in without_weights.glob("*.safetensors"):
        weights.unlink()
    too_long = [sample(number, more=TOO_LONG) for number in range(N_SAMPLES)]
    path = write_lines(tmp_path / "samples.jsonl", *too_long)

    message = r"the model can read 0 items .* take a model with a longer"
    with pytest.raises(UserError, match=message):
        run_step(path, without_weights, tmp_path)
    assert not (tmp_path / "verdict.json").exists()


def test_the_command_names_a_logs_entry_in_the_config_and_its_page_by_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_lines(Path("my.boolq.jsonl"), *map(sample, range(N_SAMPLES)))

    question = ask_passages(Path("my.boolq.jsonl"), "gpt2")

    assert question.config["grounding"] == {
        "passages": {"my-boolq": {"log": "my.boolq.jsonl", "model": "gpt2"}}
    }
    assert question.page == "results/grounding/passages/my-boolq/index.html"
