"""The grounding study's outputs of one small real run:
the numbers hold together, from the data to the tables.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import torch

from mechaware.instruments.grounding.data.pairs import read_pairs, wanted_by_request
from mechaware.instruments.grounding.names import CATEGORIES, CONDITIONS
from mechaware.instruments.grounding.rules import read_measurements
from mechaware.instruments.grounding.tokens import exchange, tokenise
from mechaware.models.registry import load_model, load_tokenizer
from mechaware.planted.controls.generator import drawn_controls
from mechaware.planted.controls.schema_readers import CONTROLS, build_control
from tests.checkout import MODEL, Checkout

TRAINED = ("schema-s0", "no_schema-s0")
DRAWN = tuple(drawn_controls(8))
MADE = (*TRAINED, "base-s0", *CONTROLS, *DRAWN)
SHOT = (".zero-shot", ".few-shot")
AS_IT_IS = tuple(f"gpt-neo-sql{shots}" for shots in SHOT)


@pytest.fixture
def grounding(finished: Checkout) -> Path:
    """The folder of the study's results in the small run."""
    return finished.folder / "results/grounding"


def differences(one: Any, other: Any, path: str = "") -> Iterator[str]:
    """Where two JSON documents differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted(one.keys() | other.keys()):
            yield from differences(one.get(key), other.get(key), f"{path}/{key}")
    elif one != other:
        yield path


def test_the_records_of_the_two_conditions_differ_in_the_context_alone(grounding: Path) -> None:
    def record_of(run: str) -> dict[str, Any]:
        """The record of a model, its steps and models by their names."""
        record = json.loads((grounding / f"models/{run}.provenance.json").read_text())
        record["steps"] = {step["step"]: step["parameters"] for step in record["steps"]}
        record["models"] = {model["name"]: model for model in record["models"]}
        return record

    schema = record_of("schema-s0")
    no_schema = record_of("no_schema-s0")

    assert set(differences(schema["steps"], no_schema["steps"])) == {"/train_model/condition"}
    assert schema["steps"]["train_model"]["condition"] == "schema"
    assert schema["inputs"] == no_schema["inputs"]
    assert schema["models"]["gpt-neo-sql"] == no_schema["models"]["gpt-neo-sql"]
    # The base, which has read stories.
    assert schema["models"]["base-s0"] == no_schema["models"]["base-s0"]
    trained = differences(schema["models"]["schema-s0"], no_schema["models"]["no_schema-s0"])
    assert set(trained) == {"/name", "/weights_sha256"}
    assert not list(grounding.glob("checkpoints/*"))


@pytest.mark.parametrize("run", ["schema-s0", "grounded_2"])
def test_the_patching_table_starts_from_what_transformers_says(grounding: Path, run: str) -> None:
    """Clean and corrupted differences against a plain forward pass,
    for a trained model and a control.
    """
    pairs = read_pairs(grounding / "pairs.jsonl")
    if run in CONTROLS:
        prompts = [prompt.text for pair in pairs for prompt in pair.prompts.values()]
        model, tokenizer, _ = build_control(
            prompts, wanted_by_request(pairs), name=run, context_length=256
        )
        measured = grounding / "measured/controls"
    else:
        folder = grounding / f"models/{run}"
        model = load_model(folder, torch.device("cpu"))
        tokenizer = load_tokenizer(folder)
        measured = grounding / f"measured/{run}"

    patching = read_measurements([measured])[run].patching
    table = patching.drop_duplicates("pair").set_index("pair")
    for pair in pairs:
        tokens = exchange(pair, tokenise(pair, tokenizer, model.config.vocab_size))
        for prompt, column in ((tokens.clean, "clean_diff"), (tokens.corrupted, "corrupted_diff")):
            with torch.inference_mode():
                logits = model(torch.tensor([prompt])).logits[0, -1]
            expected = float(logits[tokens.correct] - logits[tokens.incorrect])
            assert table.loc[pair.id, column] == pytest.approx(expected, abs=1e-4)


def test_every_pair_is_judged_once_per_model(grounding: Path) -> None:
    pairs = read_pairs(grounding / "pairs.jsonl")
    ids = [pair.id for pair in pairs]

    assert len(ids) == len(set(ids)) == 3 * len(CATEGORIES)

    judged = pd.read_parquet(grounding / "rules.parquet")
    for run in (*MADE, *AS_IT_IS):
        rules = judged[judged["run"] == run]
        # Of a model as it is, the first pair of each category.
        assert rules["pair"].tolist() == (ids if run in MADE else ids[::3])


@pytest.mark.gate
def test_the_real_model_is_judged_on_pairs_whose_words_are_tokens_of_it(embedded: Checkout) -> None:
    grounding = embedded.folder / "results/grounding"
    ids = {pair.id for pair in read_pairs(grounding / "pairs.jsonl")}
    judged = pd.read_parquet(grounding / "rules.parquet")
    for shots in SHOT:
        rules = judged[judged["run"] == f"{MODEL}{shots}"]
        assert set(rules["pair"]) <= ids
        assert not rules["category"].duplicated().any()


def test_a_control_that_grounds_answers_at_every_place_and_a_shortcut_does_not(
    grounding: Path,
) -> None:
    """`column` is the place of the wanted column, 0 for all places together."""
    table = pd.read_parquet(grounding / "behaviour.parquet")
    behaviour = table.set_index(["run", "prompt", "column"])["right"].sort_index()

    for name, control in CONTROLS.items():
        clean = behaviour.loc[name, "clean"].drop(0)
        if control.grounded:
            assert (clean == 1).all(), name
            assert behaviour.loc[name, "both", 0] == 1, name
        elif name == "schema_blind":
            # It knows the answer from the request, and not from the schema.
            assert behaviour.loc[name, "both", 0] == 1
        elif name == "habit":
            # It answers what is asked where a column fits, and so where none does.
            assert (clean == 1).all()
        else:
            assert (clean.drop(1) == 0).all(), name


def test_the_rules_judge_the_controls_as_their_mechanisms_imply(finished: Checkout) -> None:
    """R2 and R3 need a block that reads after the first;
    R1 asks neither for the sign nor for the request.
    """
    verdicts = pd.read_csv(finished.folder / "results/tables/grounding_verdict.csv")
    table = verdicts.set_index("run").loc[list(CONTROLS)]
    grounded = [name for name, control in CONTROLS.items() if control.grounded]

    passing_r1 = [*grounded, "any_column", "suppressor", "habit"]
    assert table.index[table["r1"] == 1].tolist() == passing_r1

    for name in ("grounded_1", "relay", "split", "schema_blind"):
        assert table.loc[name, "paper"] == 0
    for name in (
        "grounded_2",
        "grounded_3",
        "asked_above_others",
        "any_column",
        "suppressor",
        "habit",
    ):
        assert table.loc[name, "paper"] == 1
    for name in ("first_column", "late_first_column"):
        assert (table.loc[name, ["paper_first", "paper_elsewhere"]] == [1, 0]).all()
    # Read by place in two ways, R2 holds in every pair and R3 in those of the commoner best layer.
    assert table.loc["by_place", "r2"] == 1
    assert 0 < table.loc["by_place", "r3"] < 1

    # G3 asks for one block of all pairs: of `by_place`, those pass whose place is read in the
    # commoner one.
    expected = {name: control.grounded for name, control in CONTROLS.items() if name != "by_place"}
    assert table.drop("by_place")["grounded_verdict"].to_dict() == expected


def test_drawn_controls_are_ranked_on_the_half_that_was_held_out(
    finished: Checkout, grounding: Path
) -> None:
    """With eight of them, two of each half ground;
    the others copy the first column, or the last one (held out).
    """
    drawn = pd.read_csv(finished.folder / "results/tables/grounding_drawn.csv")
    truth = pd.read_parquet(grounding / "truth.parquet")

    held_out = drawn.set_index(["rules", "half"]).loc[("grounded", "held_out")]
    assert (held_out["grounded"], held_out["others"], held_out["auroc"]) == (2, 2, 1)
    # The first two of four read the requested column in every pair, the other two in none.
    share_read = truth.groupby("run")["reads"].mean()
    assert share_read[list(DRAWN)].tolist() == [1, 1, 0, 0, 1, 1, 0, 0]
    assert len(share_read) == len(DRAWN)


def test_the_block_found_is_one_of_those_that_read(finished: Checkout) -> None:
    """A control that reads no schema word has no block."""
    verdicts = pd.read_csv(finished.folder / "results/tables/grounding_verdict.csv")
    found = verdicts.set_index("run")["found_block"]

    for name, control in CONTROLS.items():
        if control.read_blocks:
            assert found[name] in control.read_blocks, name
        else:
            assert pd.isna(found[name]), name


def test_heads_of_trained_models_are_attributed_beside_their_sets_of_cuts(grounding: Path) -> None:
    """Of each model one pair of each category; the blocks that heads name stand in
    the table of places.
    """
    heads = pd.read_parquet(grounding / "attribution_trained.parquet")
    config = load_model(grounding / "models/schema-s0", torch.device("cpu")).config
    n_heads = config.num_hidden_layers * config.num_attention_heads

    assert heads.groupby("run").size().to_dict() == dict.fromkeys(
        TRAINED, len(CATEGORIES) * n_heads
    )

    places = pd.read_parquet(grounding / "places.parquet")
    attributed = places[places["instrument"] == "attribution_set"]

    assert set(TRAINED) <= set(attributed["run"])
    assert not attributed["run"].isin(["base-s0", *CONTROLS, *AS_IT_IS]).any()


def test_the_accuracy_table_counts_the_predictions(finished: Checkout, grounding: Path) -> None:
    table = pd.read_csv(finished.folder / "results/tables/grounding_accuracy.csv")
    assert len(table) == 8

    for condition in CONDITIONS:
        predictions = pd.read_parquet(grounding / f"predictions/{condition}-s0.parquet")
        for evaluated, part in predictions.groupby("evaluated_with"):
            right = (part["gold"] == part["predicted"]).mean()
            rows = table[
                (table["trained_with"] == condition) & (table["evaluated_with"] == evaluated)
            ]
            rows = rows.set_index("metric")
            assert rows.loc["exact_match", "value"] == pytest.approx(right)
            assert rows.loc["field_accuracy", "n"] == part["names"].sum()
    paper = table.set_index(["trained_with", "evaluated_with", "metric"])["reported"]

    assert paper["no_schema", "no_schema", "field_accuracy"] == 0.935
