"""The outputs of one small real run: numbers agree with each other and with independent formulas,
and every output has a provenance record.
"""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from transformers import PreTrainedModel

from mechaware.instruments.radar.feature_extraction.features import FEATURES
from mechaware.instruments.radar.prompts import pair_id, read_prompts
from mechaware.models.registry import load_model, load_tokenizer, read_manifest
from tests.checkout import Checkout
from tests.outputs import FIGURES, TABLES
from tests.unit.instruments.radar.feature_extraction.reference import reference_features

MODEL = "smollm2-135m-instruct"
SECTIONS = Path(__file__).resolve().parents[2] / "paper/sections"


def tables_in_the_body() -> set[str]:
    """The tables in the paper's sections, without the appendix, which calls `inline-table` in place
    of `result-table`.
    """
    names = set()
    for section in SECTIONS.glob("*.typ"):
        names.update(re.findall(r"#result-table\(\"(\w+)\"", section.read_text()))
    return names


def test_every_table_and_figure_is_there_with_its_record(finished: Checkout) -> None:
    """A table has at most seven columns, as many as a page holds in readable type; in the appendix,
    whose type is smaller, nine.
    """
    results = finished.folder / "results"
    in_the_body = tables_in_the_body()

    for name in TABLES:
        assert (results / f"tables/{name}.csv").stat().st_size > 0
        assert r"\toprule" in (results / f"tables/{name}.tex").read_text()
        shown = pd.read_csv(results / f"tables/shown/{name}.csv", dtype=str)
        max_columns = 7 if name in in_the_body else 9
        assert len(shown.columns) <= max_columns, name
        # LaTeX ends the header and each row with \\.
        n_lines = 1 + len(shown)
        assert (results / f"tables/{name}.tex").read_text().count(r" \\") == n_lines
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
    unrecorded = {path for path in results.rglob("*") if path.is_file()} - recorded
    names = {path.name for path in unrecorded if not path.name.endswith(".provenance.json")}

    # Snakemake writes this file into each folder that is an output.
    assert names <= {".snakemake_timestamp"}
    assert len(recorded) > 300


def test_a_tables_record_names_its_model_and_the_parameters_of_its_steps(
    finished: Checkout,
) -> None:
    record = json.loads(
        (finished.folder / "results/tables/radar_performance.provenance.json").read_text()
    )
    manifest = read_manifest(finished.folder / "results/models" / MODEL)
    (model,) = record["models"]

    assert (model["name"], model["weights_sha256"]) == (MODEL, manifest.weights_sha256)

    # The version is that of config/models.yaml, the entropy that of config/config.yaml.
    parameters = {step["step"]: step["parameters"] for step in record["steps"]}
    assert parameters["fetch_wheel"]["version"] == "0.1.2"
    assert parameters["extract_features"]["specialised_head_entropy"] == 1.5
    assert "seed" in parameters["classify_prompts"]
    assert str(finished.folder) not in json.dumps(record)


@torch.inference_mode()
def features_of_one_prompt(
    model: PreTrainedModel, ids: list[int], *, reduction: str
) -> dict[str, float]:
    """The 37 features by the reference formulas, from transformers' own attentions and states."""
    # The last of transformers' hidden states is after the final norm: a hook keeps the state before
    # it.
    before_the_norm: list[torch.Tensor] = []

    def keep(_module: torch.nn.Module, _arguments: object, output: torch.Tensor) -> None:
        before_the_norm.append(output)

    hook = model.model.layers[-1].register_forward_hook(keep)
    out = model(
        torch.tensor([ids]), output_hidden_states=True, output_attentions=True, use_cache=False
    )
    hook.remove()

    # [layer, token, d_model], without the embedding
    states = torch.cat([*out.hidden_states[1:-1], *before_the_norm])
    # [layer, head, query, key]
    attentions = torch.cat(out.attentions)
    # The logit lens on the last token: [layer, vocabulary]
    logits = model.lm_head(model.model.norm(states[:, -1]))
    log_probs = logits.double().log_softmax(-1)
    probabilities = log_probs.exp()
    confidence = probabilities.amax(-1)
    entropy = -(probabilities * log_probs).sum(-1)
    return reference_features(
        confidence.numpy(),
        entropy.numpy(),
        states.transpose(0, 1).double().numpy(),
        attentions.double().numpy(),
        reduction=reduction,
        tau=1.5,
    )


@pytest.mark.parametrize("reduction", ["sum", "mean"])
def test_the_features_of_the_real_model_equal_the_formulas_read_independently(
    finished: Checkout, reduction: str
) -> None:
    folder = finished.folder / "results"
    model = load_model(folder / "models" / MODEL, torch.device("cpu"))
    tokenizer = load_tokenizer(folder / "models" / MODEL)
    table = pd.read_parquet(
        folder / f"radar/{MODEL}/features/radar_train.{reduction}.parquet"
    ).set_index("id")
    # Every sixth prompt, to save time.
    for prompt in read_prompts(finished.folder / "config/prompts/radar_train.csv")[::6]:
        ids = tokenizer(prompt.prompt).input_ids
        expected = features_of_one_prompt(model, ids, reduction=reduction)
        for name in FEATURES:
            # The float32 states of a prompt in a batch and by itself agree to 1e-5
            # (tests/unit/models/test_capture.py); the formulas add no such difference.
            assert table.loc[prompt.id, name] == pytest.approx(
                expected[name], rel=1e-4, abs=1e-5
            ), (prompt.id, name)


def test_the_performance_table_counts_the_predictions(finished: Checkout) -> None:
    results = finished.folder / "results"
    predictions = pd.read_parquet(results / f"radar/{MODEL}/predictions/radar_matched.parquet")
    right = (predictions["predicted"] == predictions["label"]).sum()
    table = pd.read_csv(results / "tables/radar_performance.csv").set_index(["prompt_set", "slice"])

    assert table.loc[("radar_matched", "overall"), ["correct", "n"]].tolist() == [right, 120]
    # The paper has no set like radar_matched, so it reports no number for it.
    assert np.isnan(table.loc[("radar_matched", "overall"), "reported"])
    assert table.loc[("radar_train", "cross_validation"), "reported"] == 0.967

    validated = pd.read_parquet(results / f"radar/{MODEL}/cross_validation.parquet")
    right = (validated["predicted"] == validated["label"]).sum()

    assert table.loc[("radar_train", "cross_validation"), ["correct", "n"]].tolist() == [right, 30]
    # `radar/folds` of config/test.yaml.
    assert validated["fold"].nunique() == 2


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
    # One row for each permutation of the labels: the largest effect of a feature, and the accuracy
    # of each system.
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
        # The draws whose accuracy is at least the system's mean, which the CSV has with ten digits.
        n_reaching = (draws[row.system] >= row.seed_mean - 1e-9).sum()
        assert row.p_of_mean == pytest.approx((1 + n_reaching) / (1 + len(draws)))
        # The smallest p-value that len(draws) permutations can give is 1 / (1 + len(draws)).
        assert row.p_above_guessing > 1 / (1 + len(draws)) - 1e-9


def test_matched_pairs_have_the_same_number_of_tokens_within_one(finished: Checkout) -> None:
    table = pd.read_parquet(
        finished.folder / f"results/radar/{MODEL}/features/radar_matched.sum.parquet"
    )
    pairs = [pair_id(row.id, row.label) for row in table.itertuples()]

    n_tokens = table["n_tokens"].groupby(pairs)
    assert (n_tokens.size() == 2).all()
    assert (n_tokens.apply(np.ptp) <= 1).all()
