"""Training: which tokens the loss counts, where weights come from, when it ends, what it shows."""

import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pandas as pd
import pytest
import torch

from mechaware.core.errors import UserError
from mechaware.instruments.grounding.data.rows import Row, prompt_of, read_rows, write_rows
from mechaware.models.decoding import decode
from mechaware.models.registry import load_model, load_tokenizer, read_manifest
from mechaware.planted.sql import training
from mechaware.planted.sql.history import meets, read_history
from mechaware.planted.sql.training import IGNORED
from scripts.grounding import train_model
from tests.unit.planted.sql.small_study import (
    CONTEXT_LENGTH,
    RECIPE,
    Study,
    train_study,
    weights_hash,
)

SCHEMA = "CREATE TABLE orders ( price TEXT )"
ANSWER = "SELECT price FROM orders"
ROW = Row("Show cost of orders", SCHEMA, ANSWER, "orders", ["price"], ["price"])


@pytest.mark.parametrize("condition", ["schema", "no_schema"])
def test_the_loss_counts_the_response_and_its_end_alone(study: Study, condition: str) -> None:
    tokenizer = load_tokenizer(study.base)
    first_row = read_rows(study.data)[0]
    first_example, *_ = training._encode(
        study.data,
        tokenizer,
        condition=condition,
        context_length=CONTEXT_LENGTH,
        n_embeddings=len(tokenizer),
    )
    counted = [token for token in first_example["labels"] if token != IGNORED]
    assert tokenizer.decode(counted) == f" {first_row.sql_statement}<|endoftext|>"

    context = first_row.create_statement if condition == "schema" else ""
    assert tokenizer.decode(first_example["input_ids"]) == (
        f"### Instruction: {first_row.english_prompt} ### Context: {context} "
        f"### Response: {first_row.sql_statement}<|endoftext|>"
    )
    # A label has the position of its own token; the model shifts the labels by one.
    n_ignored = len(first_example["labels"]) - len(counted)
    assert first_example["labels"][n_ignored:] == first_example["input_ids"][n_ignored:]


def test_the_loss_counts_all_tokens_of_a_story(study: Study, tmp_path: Path) -> None:
    stories = [" price orders", " orders"]
    (tmp_path / "stories.txt").write_text("".join(f"{story}\n" for story in stories))
    tokenizer = load_tokenizer(study.base)
    examples = training._encode(
        tmp_path / "stories.txt",
        tokenizer,
        condition="base",
        context_length=CONTEXT_LENGTH,
        n_embeddings=len(tokenizer),
    )
    for example, story in zip(examples, stories, strict=True):
        assert example["labels"] == example["input_ids"]
        assert tokenizer.decode(example["input_ids"]) == f"{story}<|endoftext|>"


def test_a_base_starts_from_weights_that_its_seed_draws_and_sql_from_the_weights_of_the_base(
    study: Study, tmp_path: Path
) -> None:
    """Compared by the embeddings after 4 steps of 1e-12, which are too small to move them."""
    slow = replace(RECIPE, steps=4, learning_rate=1e-12)
    stories = tmp_path / "stories.txt"
    stories.write_text("orders price orders\n" * 8)
    on_stories = Study(study.base, stories, held_out=stories)
    seeds = {"base-s1": 1, "base-s2": 2, "base-s1-again": 1}
    for name, seed in seeds.items():
        recipe = replace(slow, seed=seed)
        train_study(on_stories, tmp_path / name, tmp_path / "c", condition="base", recipe=recipe)
    on_sql = study._replace(base=tmp_path / "base-s1")
    train_study(on_sql, tmp_path / "sql", tmp_path / "c", recipe=replace(slow, seed=3))

    def embeddings(folder: Path) -> torch.Tensor:
        model = load_model(folder, torch.device("cpu"))
        return model.get_input_embeddings().weight.detach()

    assert weights_hash(tmp_path / "base-s1") == weights_hash(tmp_path / "base-s1-again")
    untrained = embeddings(study.base)
    base_1 = embeddings(tmp_path / "base-s1")
    base_2 = embeddings(tmp_path / "base-s2")
    for first, second in combinations([untrained, base_1, base_2], 2):
        assert (first - second).abs().mean() > 0.01
    assert (base_1 - embeddings(tmp_path / "sql")).abs().max() < 1e-6
    assert read_manifest(tmp_path / "base-s1").source == "base"
    assert read_manifest(tmp_path / "base-s2").source == "base"
    assert read_manifest(tmp_path / "sql").source == "base-s1"


def test_the_held_out_exact_match_is_that_of_greedy_decoding(study: Study, tmp_path: Path) -> None:
    """On the training rows, of which the model gets some right and some wrong after 80 steps."""
    recipe = replace(RECIPE, steps=80, learning_rate=5e-3, evaluate_every=80)
    on_itself = study._replace(held_out=study.data)
    train_study(on_itself, tmp_path / "model", tmp_path / "c", recipe=recipe)
    history = pd.read_csv(tmp_path / "model/history.csv")
    rows = read_rows(study.data)
    tokenizer = load_tokenizer(tmp_path / "model")
    model = load_model(tmp_path / "model", torch.device("cpu"))
    prompts = [prompt_of(row.english_prompt, row.create_statement) for row in rows]
    decoded = decode(model, tokenizer, prompts, max_new_tokens=20, batch_size=16)
    n_right = sum(answer == row.sql_statement for answer, row in zip(decoded, rows, strict=True))
    # All right or all wrong would be the same by many other ways of counting.
    assert 0 < n_right < len(rows)
    assert history["held_out_exact_match"].tolist() == [n_right / len(rows)]


def test_an_end_at_the_criterion_gives_the_weights_of_a_training_with_as_many_steps(
    study: Study, tmp_path: Path
) -> None:
    """The learning rate must not depend on which of the two ends the training.

    The held-out rows are the training rows, on which the criterion is met early.
    """
    on_itself = study._replace(held_out=study.data)
    # The criterion, one row in ten right, is met long before step 400.
    recipe = replace(RECIPE, steps=400, learning_rate=5e-3, evaluate_every=20)
    by_criterion = replace(recipe, criterion=0.1)
    train_study(on_itself, tmp_path / "met", tmp_path / "c", recipe=by_criterion)
    history = read_history(tmp_path / "met")
    *earlier, last = history["held_out_exact_match"]
    assert max(earlier) < 0.1 <= last
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
    assert weights_hash(tmp_path / "as_long") == weights_hash(tmp_path / "met")


def test_an_exact_match_meets_a_criterion_from_its_value_on() -> None:
    assert meets(0.94, 0.94)
    assert not meets(0.94, 0.9375)  # 375 of 400 rows


def test_no_exact_match_meets_the_criterion_0_which_is_none() -> None:
    assert not meets(0.0, 1.0)


def test_a_training_shows_its_steps_and_last_losses_on_standard_error_alone(
    study: Study, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    train_study(study, tmp_path / "model", tmp_path / "checkpoints")
    shown = capfd.readouterr()
    assert shown.out == ""
    last = pd.read_csv(tmp_path / "model/history.csv").iloc[-1]
    lines = re.split(r"[\r\n]", shown.err)
    at_the_end = [line for line in lines if f" {RECIPE.steps}/{RECIPE.steps} " in line]
    losses = dict(re.findall(r"(loss|held-out loss|exact match)=([\d.]+)", at_the_end[-1]))
    # The line has three digits of each.
    assert float(losses["loss"]) == pytest.approx(last["loss"], rel=0.01)
    assert float(losses["exact match"]) == pytest.approx(last["held_out_exact_match"], rel=0.01)


def test_a_diverging_run_is_stopped_and_leaves_no_model(study: Study, tmp_path: Path) -> None:
    recipe = replace(RECIPE, learning_rate=1e30)
    with pytest.raises(
        UserError,
        match=r"training diverged: \w+ is \w+ at step \d+; lower grounding/training/learning",
    ):
        train_study(study, tmp_path / "out", tmp_path / "c", recipe=recipe)
    assert not (tmp_path / "out").exists()


def test_a_row_that_is_longer_than_the_context_is_named(study: Study, tmp_path: Path) -> None:
    # With the prompt's other words, 70 words are more than 80 tokens.
    too_long = ROW._replace(english_prompt="orders " * 70)
    write_rows([ROW, too_long], tmp_path / "long.jsonl")
    on_long_rows = study._replace(data=tmp_path / "long.jsonl")
    with pytest.raises(
        UserError,
        match=r"long.jsonl, row 2: \d+ tokens, but the model reads at most 80; take a longer",
    ):
        train_study(on_long_rows, tmp_path / "out", tmp_path / "c", condition="no_schema")
    assert not (tmp_path / "out").exists()
