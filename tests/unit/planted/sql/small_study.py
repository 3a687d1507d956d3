"""A study so small that a training takes a second: a base, its data, and a recipe of 12 steps."""

from pathlib import Path
from typing import NamedTuple

from mechaware.core.files import sha256
from mechaware.instruments.grounding.data.rows import prompt_of, write_rows
from mechaware.models.initialisation import initialise_gpt_neo
from mechaware.models.registry import Manifest
from mechaware.models.tokenizers import make_word_tokenizer
from mechaware.planted.sql.generation import generate_rows, read_vocabulary
from mechaware.planted.sql.training import Condition, Recipe, train
from tests.unit.planted.sql.small_vocabulary import SHIPPED

CONTEXT_LENGTH = 80
RECIPE = Recipe(
    steps=12,
    batch_size=8,
    learning_rate=1e-3,
    warmup_steps=2,
    weight_decay=0.01,
    evaluate_every=4,
    seed=5,
)


class Study(NamedTuple):
    """The folder of a base, and the files of rows for training and for evaluation."""

    base: Path
    data: Path
    held_out: Path


def make_study(folder: Path) -> Study:
    """A base with random weights, 40 rows for training and 20 held out."""
    vocabulary = read_vocabulary(SHIPPED, tables=5, fields=10)
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

    # Only the bare template has a word that a prompt without a schema needs: the space before an
    # empty text.
    texts = [prompt_of("", "")]
    for row in rows:
        prompt = prompt_of(row.english_prompt, row.create_statement)
        texts.append(f"{prompt} {row.sql_statement}")
    initialise_gpt_neo(
        folder / "base",
        make_word_tokenizer(texts),
        name="base",
        seed=0,
        n_layers=2,
        d_model=16,
        n_heads=2,
        context_length=CONTEXT_LENGTH,
    )
    return Study(folder / "base", folder / "train.jsonl", folder / "valid.jsonl")


def train_study(
    study: Study,
    model: Path,
    checkpoints: Path,
    *,
    condition: Condition = "schema",
    recipe: Recipe = RECIPE,
) -> Manifest:
    """Train the base of a study on its data, and write the trained model to the folder `model`."""
    return train(
        study.base,
        study.data,
        study.held_out,
        model,
        checkpoints,
        condition=condition,
        recipe=recipe,
    )


def weights_hash(folder: Path) -> str:
    """The SHA-256 of a model's weights."""
    return sha256(folder / "model.safetensors")
