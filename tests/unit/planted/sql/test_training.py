"""Training: what the loss sees, that a killed run loses nothing, and that a bad one leaves nothing."""

import re
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple
from unittest.mock import Mock

import pandas as pd
import pytest
import torch

from mechaware.core.errors import UserError
from mechaware.core.files import sha256
from mechaware.instruments.grounding.data.rows import Row, prompt_of, read_rows, write_rows
from mechaware.models import registry
from mechaware.models.decoding import decode
from mechaware.models.initialisation import initialise_gpt_neo
from mechaware.models.registry import load_model, load_tokenizer, read_manifest
from mechaware.models.tokenizers import make_word_tokenizer
from mechaware.planted.sql import training
from mechaware.planted.sql.generation import generate_rows, read_vocabulary
from mechaware.planted.sql.history import meets, read_history
from mechaware.planted.sql.training import IGNORED, Recipe, train
from scripts.grounding import train_model
from tests.checkout import REPOSITORY

RECIPE = Recipe(
    steps=12,
    batch_size=8,
    learning_rate=1e-3,
    warmup_steps=2,
    weight_decay=0.01,
    evaluate_every=4,
    seed=5,
)
SCHEMA = "CREATE TABLE orders ( price TEXT )"
ANSWER = "SELECT price FROM orders"
ROW = Row("Show cost of orders", SCHEMA, ANSWER, "orders", ["price"], ["price"])


class Study(NamedTuple):
    base: Path
    data: Path
    held_out: Path


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    folder = tmp_path_factory.mktemp("study")
    vocabulary = read_vocabulary(REPOSITORY / "config/sql/vocabulary.yaml", tables=5, fields=10)
    rows = generate_rows(
        vocabulary,
        60,
        max_columns=3,
        table_synonym_probability=0.8,
        field_synonym_probability=0.5,
        seed=1,
    )
    write_rows(rows[:40], folder / "train.jsonl")
    write_rows(rows[40:], folder / "valid.jsonl")
    texts = [
        f"{prompt_of(row.english_prompt, row.create_statement)} {row.sql_statement}" for row in rows
    ]
    tokenizer = make_word_tokenizer([*texts, prompt_of("", "")])
    sizes = {"n_layers": 2, "d_model": 16, "n_heads": 2, "context_length": 80}
    initialise_gpt_neo(folder / "base", tokenizer, name="base", seed=0, **sizes)
    return Study(folder / "base", folder / "train.jsonl", folder / "valid.jsonl")


def weights(folder: Path) -> str:
    return sha256(folder / "model.safetensors")


@pytest.mark.parametrize("condition", ["schema", "no_schema"])
def test_the_loss_sees_the_response_and_its_end_alone(study: Study, condition: str) -> None:
    tokenizer = load_tokenizer(study.base)
    row = read_rows(study.data)[0]
    example = training._encode(
        study.data, tokenizer, condition=condition, context_length=80, n_embeddings=len(tokenizer)
    )[0]
    labelled = [token for token in example["labels"] if token != IGNORED]
    assert tokenizer.decode(labelled) == f" {row.sql_statement}<|endoftext|>"
    context = row.create_statement if condition == "schema" else ""
    whole = f"### Instruction: {row.english_prompt} ### Context: {context} ### Response: {row.sql_statement}"
    assert tokenizer.decode(example["input_ids"]) == f"{whole}<|endoftext|>"
    # The labels are those of the same positions; the model shifts them.
    start = example["labels"].index(labelled[0])
    assert example["labels"][start:] == example["input_ids"][start:]


def test_the_loss_sees_all_of_a_story(study: Study, tmp_path: Path) -> None:
    stories = [" price orders", " orders"]
    (tmp_path / "stories.txt").write_text("".join(f"{story}\n" for story in stories))
    tokenizer = load_tokenizer(study.base)
    examples = training._encode(
        tmp_path / "stories.txt",
        tokenizer,
        condition="base",
        context_length=80,
        n_embeddings=len(tokenizer),
    )
    for example, story in zip(examples, stories, strict=True):
        assert example["labels"] == example["input_ids"]
        assert tokenizer.decode(example["input_ids"]) == f"{story}<|endoftext|>"


@pytest.mark.gate
def test_a_killed_run_goes_on_to_the_same_weights(study: Study, tmp_path: Path) -> None:
    recipe = replace(RECIPE, steps=60)
    train(*study, tmp_path / "whole", tmp_path / "unused", condition="schema", recipe=recipe)
    first = get_context("fork").Process(
        target=train,
        args=(*study, tmp_path / "killed", tmp_path / "checkpoints"),
        kwargs={"condition": "schema", "recipe": recipe},
    )
    first.start()
    deadline = time.monotonic() + 120
    while not list(tmp_path.glob("checkpoints/*/checkpoint-*/fingerprints.json")):
        assert first.is_alive(), "ended before its first checkpoint"
        assert time.monotonic() < deadline
        time.sleep(0.02)
    first.kill()
    first.join()
    assert first.exitcode == -signal.SIGKILL
    assert not (tmp_path / "killed").exists()
    train(*study, tmp_path / "killed", tmp_path / "checkpoints", condition="schema", recipe=recipe)
    assert weights(tmp_path / "killed") == weights(tmp_path / "whole")
    histories = [pd.read_csv(tmp_path / name / "history.csv") for name in ("killed", "whole")]
    assert histories[0].equals(histories[1])
    assert histories[0]["step"].tolist() == list(range(4, 61, 4))
    assert not (tmp_path / "checkpoints").exists()


def end_before_the_model_is_written(
    study: Study, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Train to the last step and fail then: the checkpoints are kept."""
    with monkeypatch.context() as patch:
        patch.setattr(registry, "write_manifest", Mock(side_effect=OSError("full")))
        with pytest.raises(OSError, match="full"):
            train(
                *study, folder / "again", folder / "checkpoints", condition="schema", recipe=RECIPE
            )


def cut_by_a_full_disk(checkpoint: Path) -> None:
    for path in checkpoint.iterdir():
        path.write_bytes(path.read_bytes()[:100])
    (checkpoint / training._FINGERPRINTS).unlink()


def flip_a_bit_of_the_weights(checkpoint: Path) -> None:
    """In the last number: the file loads as before."""
    weights = checkpoint / "model.safetensors"
    stored = bytearray(weights.read_bytes())
    stored[-1] ^= 1
    weights.write_bytes(stored)


@pytest.mark.gate
@pytest.mark.parametrize("damage", [cut_by_a_full_disk, flip_a_bit_of_the_weights])
def test_a_damaged_checkpoint_is_passed_over(
    study: Study,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    damage: Callable[[Path], None],
) -> None:
    train(*study, tmp_path / "whole", tmp_path / "unused", condition="schema", recipe=RECIPE)
    end_before_the_model_is_written(study, tmp_path, monkeypatch)
    checkpoints = sorted(
        tmp_path.glob("checkpoints/*/checkpoint-*"), key=lambda path: int(path.name.split("-")[1])
    )
    assert len(checkpoints) == 2
    damage(checkpoints[1])
    assert training._last_whole_checkpoint(checkpoints[1].parent, RECIPE.steps + 1) == str(
        checkpoints[0]
    )
    capfd.readouterr()
    end_before_the_model_is_written(study, tmp_path, monkeypatch)
    # The bar shows `4/12` and so on, each time that it is drawn.
    steps = re.findall(rf"\b(\d+)/{RECIPE.steps} ", capfd.readouterr().err)
    assert f"checkpoint-{steps[0]}" == checkpoints[0].name
    assert int(steps[-1]) == RECIPE.steps
    # The damaged checkpoint was written again.
    assert training._last_whole_checkpoint(checkpoints[1].parent, RECIPE.steps + 1) == str(
        checkpoints[1]
    )
    train(*study, tmp_path / "again", tmp_path / "checkpoints", condition="schema", recipe=RECIPE)
    assert weights(tmp_path / "again") == weights(tmp_path / "whole")


@pytest.mark.gate
def test_the_checkpoints_of_another_recipe_are_not_gone_on_from(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train(*study, tmp_path / "alone", tmp_path / "unused", condition="schema", recipe=RECIPE)
    with monkeypatch.context() as patch:
        patch.setattr("mechaware.models.registry.write_manifest", lambda *_args, **_kwargs: 1 / 0)
        other = replace(RECIPE, learning_rate=1e-2)
        with pytest.raises(ZeroDivisionError):
            train(
                *study,
                tmp_path / "stopped",
                tmp_path / "checkpoints",
                condition="schema",
                recipe=other,
            )
    assert list(tmp_path.glob("checkpoints/*/checkpoint-12"))
    assert not (tmp_path / "stopped").exists()
    train(*study, tmp_path / "after", tmp_path / "checkpoints", condition="schema", recipe=RECIPE)
    assert weights(tmp_path / "after") == weights(tmp_path / "alone")


def test_a_base_starts_from_weights_that_its_seed_draws_and_sql_from_the_weights_of_the_base(
    study: Study, tmp_path: Path
) -> None:
    """Compared by the embeddings after four steps that are too small to move them."""
    slow = replace(RECIPE, steps=4, learning_rate=1e-12)
    (tmp_path / "stories.txt").write_text("orders price orders\n" * 8)
    stories = Study(study.base, tmp_path / "stories.txt", tmp_path / "stories.txt")
    for name, seed in (("a", 1), ("b", 2), ("again", 1)):
        train(
            *stories,
            tmp_path / name,
            tmp_path / "c",
            condition="base",
            recipe=replace(slow, seed=seed),
        )
    on_sql = replace(slow, seed=3)
    train(
        tmp_path / "a",
        *study[1:],
        tmp_path / "sql",
        tmp_path / "c",
        condition="schema",
        recipe=on_sql,
    )
    assert weights(tmp_path / "a") == weights(tmp_path / "again")
    folders = study.base, tmp_path / "a", tmp_path / "b", tmp_path / "sql"
    models = [load_model(path, torch.device("cpu")) for path in folders]
    initial, a, b, sql = (model.get_input_embeddings().weight.detach() for model in models)
    for first, second in ((initial, a), (initial, b), (a, b)):
        assert (first - second).abs().mean() > 0.01
    assert (a - sql).abs().max() < 1e-6
    assert [read_manifest(path).source for path in folders[1:]] == ["base", "base", "a"]


def test_the_held_out_exact_match_is_that_of_greedy_decoding(study: Study, tmp_path: Path) -> None:
    """On rows that it was trained on for long, of which it has some right and some wrong."""
    recipe = replace(RECIPE, steps=80, learning_rate=5e-3, evaluate_every=80)
    train(
        study.base,
        study.data,
        study.data,
        tmp_path / "model",
        tmp_path / "c",
        condition="schema",
        recipe=recipe,
    )
    history = pd.read_csv(tmp_path / "model/history.csv")
    rows = read_rows(study.data)
    tokenizer = load_tokenizer(tmp_path / "model")
    model = load_model(tmp_path / "model", torch.device("cpu"))
    prompts = [prompt_of(row.english_prompt, row.create_statement) for row in rows]
    decoded = decode(model, tokenizer, prompts, max_new_tokens=20, batch_size=16)
    right = sum(answer == row.sql_statement for answer, row in zip(decoded, rows, strict=True))
    assert 0 < right < len(rows)  # else the comparison says little
    assert history["held_out_exact_match"].tolist() == [right / len(rows)]


def test_a_training_ends_at_its_criterion_with_the_weights_of_one_that_ends_after_as_many_steps(
    study: Study, tmp_path: Path
) -> None:
    """On the rows that it is trained on: the learning rate must not depend on which of the two ends it."""
    on_itself = Study(study.base, study.data, study.data)
    recipe = replace(RECIPE, steps=400, learning_rate=5e-3, evaluate_every=20)
    by_criterion = replace(recipe, criterion=0.1)
    train(*on_itself, tmp_path / "met", tmp_path / "c", condition="schema", recipe=by_criterion)
    history = read_history(tmp_path / "met")
    assert (history["held_out_exact_match"] >= 0.1).tolist() == [False] * (len(history) - 1) + [
        True
    ]
    steps = int(history["step"].iloc[-1])
    assert 20 < steps < 400

    record = train_model.main(
        base=study.base,
        training=study.data,
        held_out=study.data,
        condition="schema",
        as_long_as=[tmp_path / "met"],
        recipe=replace(recipe, criterion=0.0),
        device="cpu",
        checkpoints=tmp_path / "c",
        model=tmp_path / "as_long",
    )
    assert (record["steps"], record["met_criterion"]) == (steps, False)
    assert read_history(tmp_path / "as_long").equals(history)
    assert weights(tmp_path / "as_long") == weights(tmp_path / "met")


def test_without_a_criterion_no_exact_match_meets_it() -> None:
    assert meets(0.94, 0.94)
    assert not meets(0.94, 0.9375)  # 375 of 400 rows
    assert not meets(0.0, 1.0)


def test_a_training_shows_its_steps_and_last_losses_on_standard_error_alone(
    study: Study, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    train(*study, tmp_path / "model", tmp_path / "checkpoints", condition="schema", recipe=RECIPE)
    shown = capfd.readouterr()
    assert shown.out == ""
    last = pd.read_csv(tmp_path / "model/history.csv").iloc[-1]
    lines = re.split(r"[\r\n]", shown.err)
    at_the_end = [line for line in lines if f" {RECIPE.steps}/{RECIPE.steps} " in line]
    losses = dict(re.findall(r"(loss|held-out loss|exact match)=([\d.]+)", at_the_end[-1]))
    # The line has three digits.
    assert float(losses["loss"]) == pytest.approx(last["loss"], rel=0.01)
    assert float(losses["exact match"]) == pytest.approx(last["held_out_exact_match"], rel=0.01)


def test_a_diverging_run_is_stopped_and_leaves_no_model(study: Study, tmp_path: Path) -> None:
    recipe = replace(RECIPE, learning_rate=1e30)
    with pytest.raises(
        UserError,
        match=r"training diverged: \w+ is \w+ at step \d+; lower grounding/training/learning",
    ):
        train(*study, tmp_path / "out", tmp_path / "c", condition="schema", recipe=recipe)
    assert not (tmp_path / "out").exists()


def test_a_row_that_is_longer_than_the_context_is_named(study: Study, tmp_path: Path) -> None:
    write_rows([ROW, ROW._replace(english_prompt="orders " * 70)], tmp_path / "long.jsonl")
    with pytest.raises(
        UserError,
        match=r"long.jsonl, row 2: \d+ tokens, but the model reads at most 80; take a longer",
    ):
        train(
            study.base, tmp_path / "long.jsonl", study.held_out, tmp_path / "out", tmp_path / "c",
            condition="no_schema", recipe=RECIPE,
        )  # fmt: skip
    assert not (tmp_path / "out").exists()
