"""The outputs of one small real run: the numbers hold together,
and everything quotable has its record.
"""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from mechaware.instruments.radar.feature_extraction.features import FEATURES
from mechaware.instruments.radar.prompts import pair_id, read_prompts
from mechaware.models.registry import load_model, load_tokenizer, read_manifest
from tests.checkout import Checkout
from tests.outputs import FIGURES, TABLES
from tests.unit.instruments.radar.feature_extraction.reference import reference_features

MODEL = "smollm2-135m-instruct"
SECTIONS = Path(__file__).resolve().parents[2] / "paper/sections"


def tables_in_the_body() -> set[str]:
    """The tables that the sections set; those of the appendix are set by a
    function of another name.
    """
    names = set()
    for section in SECTIONS.glob("*.typ"):
        names.update(re.findall(r"#result-table\(\"(\w+)\"", section.read_text()))
    return names


def test_every_table_and_figure_is_there_with_its_record(finished: Checkout) -> None:
    """A page holds seven columns in readable type; one of the appendix, in smaller type, nine."""
    results = finished.folder / "results"
    in_the_body = tables_in_the_body()

    for name in TABLES:
        assert (results / f"tables/{name}.csv").stat().st_size > 0
        assert r"\toprule" in (results / f"tables/{name}.tex").read_text()
        shown = pd.read_csv(results / f"tables/shown/{name}.csv", dtype=str)
        assert len(shown.columns) <= (7 if name in in_the_body else 9), name
        assert (results / f"tables/{name}.tex").read_text().count(r" \\") == len(shown) + 1
        assert json.loads((results / f"tables/{name}.provenance.json").read_text())["steps"]
    for name in FIGURES:
        assert (results / f"figures/{name}.pdf").read_bytes().startswith(b"%PDF-")
        assert (results / f"figures/{name}.png").read_bytes().startswith(b"\x89PNG")
        assert "</svg>" in (results / f"figures/{name}.svg").read_text()
        record = json.loads((results / f"figures/{name}.provenance.json").read_text())
        assert record["packages"]["matplotlib"]


def test_every_file_that_a_step_wrote_is_in_a_record(finished: Checkout) -> None:
    results = finished.folder / "results"
    recorded = set()
    for record in results.rglob("*.provenance.json"):
        for name in json.loads(record.read_text())["files"]:
            recorded.add(record.parent / name)
    written = {path for path in results.rglob("*") if path.is_file()} - recorded
    others = {path.name for path in written if not path.name.endswith(".provenance.json")}

    assert others <= {".snakemake_timestamp"}  # Snakemake's own, in each folder
    assert len(recorded) > 300


def test_a_record_names_the_model_and_the_leaves_that_led_to_a_table(finished: Checkout) -> None:
    record = json.loads(
        (finished.folder / "results/tables/radar_performance.provenance.json").read_text()
    )
    manifest = read_manifest(finished.folder / "results/models" / MODEL)
    (model,) = record["models"]

    assert (model["name"], model["weights_sha256"]) == (MODEL, manifest.weights_sha256)

    parameters = {step["step"]: step["parameters"] for step in record["steps"]}
    assert parameters["fetch_wheel"]["version"] == "0.1.2"
    assert parameters["extract_features"]["specialised_head_entropy"] == 1.5
    assert "seed" in parameters["classify_prompts"]
    assert str(finished.folder) not in json.dumps(record)


@pytest.mark.parametrize("reduction", ["sum", "mean"])
def test_the_features_of_the_real_model_equal_the_formulas_read_independently(
    finished: Checkout, reduction: str
) -> None:
    """Straight from transformers' attentions and hidden states to the 37
    numbers, prompt by prompt.
    """
    folder = finished.folder / "results"
    model = load_model(folder / "models" / MODEL, torch.device("cpu"))
    tokenizer = load_tokenizer(folder / "models" / MODEL)
    table = pd.read_parquet(
        folder / f"radar/{MODEL}/features/radar_train.{reduction}.parquet"
    ).set_index("id")
    for prompt in read_prompts(finished.folder / "config/prompts/radar_train.csv")[::6]:
        ids = torch.tensor([tokenizer(prompt.prompt).input_ids])
        # The last entry of transformers' states is behind the final norm: a hook keeps the state
        # before it.
        raw_last: list[torch.Tensor] = []

        def keep(module: torch.nn.Module, args: object, out: torch.Tensor) -> None:
            raw_last.append(out)  # noqa: B023 - it is called in this round alone

        hook = model.model.layers[-1].register_forward_hook(keep)
        with torch.inference_mode():
            out = model(ids, output_hidden_states=True, output_attentions=True, use_cache=False)
            hook.remove()
            states = torch.cat([*out.hidden_states[1:-1], *raw_last])
            log_probs = model.lm_head(model.model.norm(states[:, -1])).double().log_softmax(-1)
        probabilities = log_probs.exp()
        expected = reference_features(
            probabilities.amax(-1).numpy(),
            -(probabilities * log_probs).sum(-1).numpy(),
            states.transpose(0, 1).double().numpy(),
            torch.cat(out.attentions).double().numpy(),
            reduction=reduction,
            tau=1.5,
        )
        for name in FEATURES:
            # Two float32 passes, batched and alone, agree to 1e-5 (capture's own test); the
            # formulas add nothing to it.
            assert table.loc[prompt.id, name] == pytest.approx(
                expected[name], rel=1e-4, abs=1e-5
            ), (prompt.id, name)


def test_the_performance_table_counts_the_predictions(finished: Checkout) -> None:
    results = finished.folder / "results"
    predictions = pd.read_parquet(results / f"radar/{MODEL}/predictions/radar_matched.parquet")
    right = (predictions["predicted"] == predictions["label"]).sum()
    table = pd.read_csv(results / "tables/radar_performance.csv").set_index(["prompt_set", "slice"])

    assert table.loc[("radar_matched", "overall"), ["correct", "n"]].tolist() == [right, 120]
    # The paper's numbers stand beside sets of its own kind only.
    assert np.isnan(table.loc[("radar_matched", "overall"), "reported"])
    assert table.loc[("radar_train", "cross_validation"), "reported"] == 0.967

    validated = pd.read_parquet(results / f"radar/{MODEL}/cross_validation.parquet")
    right = (validated["predicted"] == validated["label"]).sum()

    assert table.loc[("radar_train", "cross_validation"), ["correct", "n"]].tolist() == [right, 30]
    assert validated["fold"].nunique() == 2  # of config/test.yaml


def test_the_controls_use_the_ensemble_and_the_splits_of_the_study(finished: Checkout) -> None:
    results = finished.folder / "results"
    controls = pd.read_parquet(results / f"radar/{MODEL}/controls/radar_matched.parquet")
    radar = controls.query(
        "system == 'radar' and protocol == 'trained' and reduction == 'sum'"
    ).set_index("id")
    predictions = pd.read_parquet(
        results / f"radar/{MODEL}/predictions/radar_matched.parquet"
    ).set_index("id")

    assert radar["predicted"].equals(predictions["predicted"].loc[radar.index])
    assert (controls.groupby(["protocol", "system", "reduction"]).size() == 120).all()


def test_each_repeated_system_is_tested_against_permuted_labels(finished: Checkout) -> None:
    path = finished.folder / f"results/radar/{MODEL}/permutations/radar_matched.parquet"
    draws = pd.read_parquet(path)
    columns = ["largest_effect", "radar", "prompt_length", "bag_of_words"]
    assert draws[columns].notna().all(axis=None)

    table = pd.read_csv(
        finished.folder / "results/tables/radar_controls.csv", keep_default_na=False, na_values=[""]
    )
    tested = table[table["p_above_guessing"].notna()]

    assert set(tested["system"]) == {"radar", "prompt_length", "bag_of_words"}

    validated = tested.query("protocol == 'cross_validated'")
    assert set(validated["system"]) == set(tested["system"])
    for row in validated.itertuples():
        n_reaching = (draws[row.system] >= row.seed_mean - 1e-9).sum()  # the file has ten digits
        assert row.p_of_mean == pytest.approx((1 + n_reaching) / (1 + len(draws)))
        # The least p-value that so many permutations can give.
        assert row.p_above_guessing > 1 / (1 + len(draws)) - 1e-9


def test_matched_pairs_have_the_same_number_of_tokens_within_one(finished: Checkout) -> None:
    table = pd.read_parquet(
        finished.folder / f"results/radar/{MODEL}/features/radar_matched.sum.parquet"
    )
    pair = [pair_id(*row) for row in zip(table["id"], table["label"], strict=True)]

    n_tokens = table["n_tokens"].groupby(pair)
    assert (n_tokens.size() == 2).all()
    assert (n_tokens.apply(np.ptp) <= 1).all()
