"""The grounding study's outputs of one small real run: the numbers hold together, from the data to the tables."""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import torch

from mechaware.grounding.data.pairs import read_pairs, tokenise_pairs
from mechaware.grounding.data.rows import SPLITS, read_rows
from mechaware.grounding.names import CATEGORIES, CONTROLS
from mechaware.models.registry import load_model, load_tokenizer
from tests.conftest import Checkout

TRAINED = ("schema-s0", "no_schema-s0")
RUNS = (*TRAINED, *CONTROLS)


@pytest.fixture
def grounding(finished: Checkout) -> Path:
    return finished.folder / "results/grounding"


def record(grounding: Path, run: str) -> dict[str, Any]:
    return dict(json.loads((grounding / f"models/{run}.provenance.json").read_text()))


def differences(one: Any, other: Any, path: str = "") -> Iterator[str]:
    """Where two JSON documents differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted(one.keys() | other.keys()):
            yield from differences(one.get(key), other.get(key), f"{path}/{key}")
    elif one != other:
        yield path


def test_the_records_of_the_two_conditions_differ_in_the_context_alone(grounding: Path) -> None:
    records = [record(grounding, run) for run in TRAINED]
    trained = []
    for one in records:
        steps = {step["step"]: step["parameters"] for step in one.pop("steps")}
        models = {model["name"]: model for model in one.pop("models")}
        trained.append({"steps": steps, "models": models, **one})
    (first, second) = trained
    assert set(differences(first["steps"], second["steps"])) == {"/train_model/condition"}
    assert (first["steps"]["train_model"]["condition"], second["steps"]["train_model"]["condition"]) == (
        "schema",
        "no_schema",
    )
    assert first["inputs"] == second["inputs"]
    assert first["models"]["gpt-neo-sql"] == second["models"]["gpt-neo-sql"]
    one, other = first["models"]["schema-s0"], second["models"]["no_schema-s0"]
    assert set(differences(one, other)) == {"/name", "/weights_sha256"}


def test_no_row_stands_in_two_splits_and_all_of_them_run(grounding: Path) -> None:
    rows = {split: read_rows(grounding / f"data/{split}.jsonl") for split in SPLITS}
    assert {split: len(part) for split, part in rows.items()} == {"train": 600, "valid": 30, "test": 20}
    asked = [(row.english_prompt, row.create_statement) for part in rows.values() for row in part]
    assert len(set(asked)) == len(asked)
    for row in rows["test"]:
        with sqlite3.connect(":memory:") as database:
            database.execute(row.create_statement)
            database.execute(row.sql_statement)


@pytest.mark.parametrize("run", RUNS)
def test_the_patching_table_starts_from_what_transformers_says(grounding: Path, run: str) -> None:
    """Clean and corrupted differences against a plain forward pass, for trained models and controls."""
    table = pd.read_parquet(grounding / f"patching/{run}.parquet").drop_duplicates("pair").set_index("pair")
    pairs = read_pairs(grounding / "pairs.jsonl")
    folder = grounding / f"models/{run}"
    model = load_model(folder, torch.device("cpu"))
    for pair, tokens in zip(pairs, tokenise_pairs(pairs, load_tokenizer(folder)), strict=True):
        for prompt, column in ((tokens.clean, "clean_diff"), (tokens.corrupted, "corrupted_diff")):
            with torch.inference_mode():
                logits = model(torch.tensor([prompt])).logits[0, -1]
            expected = float(logits[tokens.correct] - logits[tokens.incorrect])
            assert table.loc[pair.id, column] == pytest.approx(expected, abs=1e-4)


def test_every_pair_is_judged_once_per_model(grounding: Path) -> None:
    ids = [pair.id for pair in read_pairs(grounding / "pairs.jsonl")]
    assert len(ids) == len(set(ids)) == 3 * len(CATEGORIES)
    for run in RUNS:
        rules = pd.read_parquet(grounding / f"rules/{run}.parquet")
        assert rules["pair"].tolist() == ids
        assert (rules["run"] == run).all()


def test_the_rules_know_the_controls(finished: Checkout) -> None:
    table = pd.read_csv(finished.folder / "results/tables/grounding_controls.csv", keep_default_na=False)
    assert (table["found"] == table["expected"]).all()
    assert (table["clean_right"] == 1).all()
    found = table.drop_duplicates("run").set_index("run")
    assert found["found_layer"].to_dict() == {"copy_head": "1", "late_copy_head": "1", "schema_blind": ""}
    assert found["follows_schema"].to_dict() == {"copy_head": 1, "late_copy_head": 1, "schema_blind": 0}


def test_the_controls_recover_at_the_layers_before_their_reading_block_and_no_other(grounding: Path) -> None:
    table = pd.read_csv(grounding / "recovery.csv")
    for mode in ("denoise", "noise"):
        by_layer = table[table["mode"] == mode].pivot(index="run", columns="layer", values="recovered").round(3)
        assert by_layer.loc["copy_head"].tolist() == [1, 0, 0, 0]
        assert by_layer.loc["late_copy_head"].tolist() == [1, 1, 1, 0]
        assert "schema_blind" not in by_layer.index


def test_the_accuracy_table_counts_the_predictions(finished: Checkout, grounding: Path) -> None:
    table = pd.read_csv(finished.folder / "results/tables/grounding_accuracy.csv")
    assert len(table) == 8
    for run in TRAINED:
        predictions = pd.read_csv(grounding / f"predictions/{run}.csv", keep_default_na=False)
        for condition, part in predictions.groupby("evaluated_with"):
            right = (part["gold"] == part["predicted"]).mean()
            rows = table[(table["run"] == run) & (table["evaluated_with"] == condition)].set_index("metric")
            assert rows.loc["exact_match", "value"] == pytest.approx(right)
            assert rows.loc["field_accuracy", "n"] == part["names"].sum()
    paper = table.set_index(["trained_with", "evaluated_with", "metric"])["reported"]
    assert paper["no_schema", "no_schema", "field_accuracy"] == 0.935


def test_no_checkpoint_is_left(grounding: Path) -> None:
    assert not list(grounding.glob("checkpoints/*"))
