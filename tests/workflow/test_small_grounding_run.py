"""The grounding study's outputs of one small real run agree with each other, from the trained
models to the tables, and with what is known about the controls.
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

# The runs of config/test.yaml. A run is a model on the pairs: trained models, their base and the
# controls on all pairs, the models listed as pretrained on one pair of each category.
PAIRS_PER_CATEGORY = 3
TRAINED = ("schema-s0", "no_schema-s0")
DRAWN = tuple(drawn_controls(8))
ON_ALL_PAIRS = (*TRAINED, "base-s0", *CONTROLS, *DRAWN)
SHOTS = ("zero-shot", "few-shot")
PRETRAINED = tuple(f"gpt-neo-sql.{shots}" for shots in SHOTS)


@pytest.fixture
def grounding(finished: Checkout) -> Path:
    """The folder of the study's results in the small run."""
    return finished.folder / "results/grounding"


def differences(one: Any, other: Any, path: str = "") -> Iterator[str]:
    """The paths at which two JSON documents differ, such as `/train_model/condition`."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted(one.keys() | other.keys()):
            yield from differences(one.get(key), other.get(key), f"{path}/{key}")
    elif one != other:
        yield path


def test_the_records_of_the_two_conditions_differ_in_the_condition_alone(grounding: Path) -> None:
    def record_of(run: str) -> dict[str, Any]:
        """How a model was made, with the steps and the models as dicts by their names."""
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
    # The base is gpt-neo-sql after its training on stories.
    assert schema["models"]["base-s0"] == no_schema["models"]["base-s0"]
    trained = differences(schema["models"]["schema-s0"], no_schema["models"]["no_schema-s0"])
    assert set(trained) == {"/name", "/weights_sha256"}


def test_no_checkpoint_is_left(grounding: Path) -> None:
    assert not list(grounding.glob("checkpoints/*"))


@pytest.mark.parametrize("run", ["schema-s0", "grounded_2"])
def test_the_clean_and_corrupted_differences_are_those_of_a_forward_pass(
    grounding: Path, run: str
) -> None:
    """The differences in the patching tables of a trained model and of a control, in logits."""
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
    # Every layer of a pair has the same two differences.
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

    assert len(ids) == len(set(ids)) == PAIRS_PER_CATEGORY * len(CATEGORIES)

    rules = pd.read_parquet(grounding / "rules.parquet")
    for run in ON_ALL_PAIRS:
        assert rules.loc[rules["run"] == run, "pair"].tolist() == ids
    first_of_each_category = ids[::PAIRS_PER_CATEGORY]
    for run in PRETRAINED:
        assert rules.loc[rules["run"] == run, "pair"].tolist() == first_of_each_category


@pytest.mark.gate
def test_the_real_model_is_judged_on_pairs_whose_words_are_tokens_of_it(embedded: Checkout) -> None:
    grounding = embedded.folder / "results/grounding"
    ids = {pair.id for pair in read_pairs(grounding / "pairs.jsonl")}
    rules = pd.read_parquet(grounding / "rules.parquet")
    for shots in SHOTS:
        of_run = rules[rules["run"] == f"{MODEL}.{shots}"]
        assert set(of_run["pair"]) <= ids
        assert not of_run["category"].duplicated().any()


def test_a_control_that_grounds_answers_at_every_place_and_a_shortcut_does_not(
    grounding: Path,
) -> None:
    """`right` is the share of right answers. `column` is the place of the requested column in the
    schema, from 1; 0 stands for all places together.
    """
    table = pd.read_parquet(grounding / "behaviour.parquet")
    behaviour = table.set_index(["run", "prompt", "column"])["right"].sort_index()

    for name, control in CONTROLS.items():
        clean = behaviour.loc[name, "clean"].drop(0)  # by place
        if control.grounded:
            assert (clean == 1).all(), name
            assert behaviour.loc[name, "both", 0] == 1, name
        elif name == "schema_blind":
            # It answers from the request, without the schema.
            assert behaviour.loc[name, "both", 0] == 1
        elif name == "habit":
            # It raises all columns, and it raises the words that the request may mean by more: a
            # requested column of the schema is raised by both.
            assert (clean == 1).all()
        else:
            # Any other shortcut is right at most where the requested column is the first.
            assert (clean.drop(1) == 0).all(), name


def test_the_rules_judge_the_controls_as_their_mechanisms_imply(finished: Checkout) -> None:
    """R2 and R3 patch the states after a block, so they miss what the first block reads. R1 tests
    neither the sign of the difference nor whether the column was requested.

    `paper` is the share of all pairs that pass R1 to R3; `paper_first` is their share of the pairs
    whose requested column is the first, and `paper_elsewhere` their share of the other pairs.
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
    # The best layer of by_place depends on the place of the column. R2 holds in every pair, R3 only
    # in the pairs with the commonest best layer.
    assert table.loc["by_place", "r2"] == 1
    assert 0 < table.loc["by_place", "r3"] < 1

    # by_place grounds, but is left out: G3 asks for the block that reads in most pairs, and fails
    # where another block reads.
    expected = {name: control.grounded for name, control in CONTROLS.items() if name != "by_place"}
    assert table.drop("by_place")["grounded_verdict"].to_dict() == expected


def test_drawn_controls_are_ranked_on_the_half_that_was_held_out(
    finished: Checkout, grounding: Path
) -> None:
    """Of the eight drawn controls, four are held out. In either half two ground and two copy a
    column by its place: the first column, in the held-out half the last.
    """
    drawn = pd.read_csv(finished.folder / "results/tables/grounding_drawn.csv")
    truth = pd.read_parquet(grounding / "truth.parquet")

    held_out = drawn.set_index(["rules", "half"]).loc[("grounded", "held_out")]
    assert (held_out["grounded"], held_out["others"], held_out["auroc"]) == (2, 2, 1)
    # Of four controls in a row, two read the requested column in every pair, and two in none.
    share_read = truth.groupby("run")["reads"].mean()
    assert share_read[list(DRAWN)].tolist() == [1, 1, 0, 0, 1, 1, 0, 0]
    assert len(share_read) == len(DRAWN)


def test_the_block_found_in_a_control_is_a_block_that_reads(finished: Checkout) -> None:
    """No block is found in a control that reads no schema word."""
    verdicts = pd.read_csv(finished.folder / "results/tables/grounding_verdict.csv")
    found = verdicts.set_index("run")["found_block"]

    for name, control in CONTROLS.items():
        if control.read_blocks:
            assert found[name] in control.read_blocks, name
        else:
            assert pd.isna(found[name]), name


def test_the_gap_is_attributed_to_the_heads_of_trained_models_alone(grounding: Path) -> None:
    """One pair of each category is attributed in each model. The table of places has the blocks of
    the attributed heads.
    """
    heads = pd.read_parquet(grounding / "attribution_trained.parquet")
    config = load_model(grounding / "models/schema-s0", torch.device("cpu")).config
    n_heads = config.num_hidden_layers * config.num_attention_heads

    rows_per_run = heads.groupby("run").size().to_dict()
    assert rows_per_run == dict.fromkeys(TRAINED, len(CATEGORIES) * n_heads)

    places = pd.read_parquet(grounding / "places.parquet")
    attributed = places[places["instrument"] == "attribution_set"]

    assert set(TRAINED) <= set(attributed["run"])
    assert not attributed["run"].isin(["base-s0", *CONTROLS, *PRETRAINED]).any()


def test_the_accuracy_table_counts_the_predictions(finished: Checkout, grounding: Path) -> None:
    table = pd.read_csv(finished.folder / "results/tables/grounding_accuracy.csv")
    table = table.set_index(["trained_with", "evaluated_with", "metric"])
    n_metrics = 2  # exact match and field accuracy

    assert len(table) == len(CONDITIONS) * len(CONDITIONS) * n_metrics

    for condition in CONDITIONS:
        predictions = pd.read_parquet(grounding / f"predictions/{condition}-s0.parquet")
        for evaluated, answers in predictions.groupby("evaluated_with"):
            exact_match = (answers["gold"] == answers["predicted"]).mean()
            row = table.loc[condition, evaluated, "exact_match"]
            assert row["value"] == pytest.approx(exact_match)
            row = table.loc[condition, evaluated, "field_accuracy"]
            assert row["n"] == answers["names"].sum()

    # The paper's Table 1 has 93.5%.
    assert table.loc[("no_schema", "no_schema", "field_accuracy"), "reported"] == 0.935
