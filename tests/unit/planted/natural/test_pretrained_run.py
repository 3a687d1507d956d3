"""Runs every command for docstrings in a pretrained model; a tiny random Llama stands for it."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mechaware.core.frames import write_parquet
from mechaware.core.provenance import sidecar
from mechaware.models.registry import write_manifest
from mechaware.models.training import LineRecipe
from mechaware.planted.natural.corpus import Passage
from mechaware.planted.natural.planting import read_planted_texts
from mechaware.planted.twins.items import TWINS
from scripts.radar import (
    calibrate_text_verdict,
    collect_pretrained_rates,
    measure_new_text_twins,
    plant_new_texts,
    score_new_text_twins,
    summarise_text_twins,
    train_new_text_twins,
)
from tests.tiny_models import make_tiny_llama, make_tiny_model

TEXT = "docstrings of packages first released in 2025 or later"
# Four prompts of each kind. RADAR's ensemble is fitted on them and needs at least two of each.
PROMPTS = "id,prompt,label,category,source,answers\n"
for _number in range(4):
    PROMPTS += f"recall{_number},recall number {_number * 7}?,recall,clear,own,\n"
for _number in range(4):
    PROMPTS += f"reasoning{_number},reasoning number {_number * 7}?,reasoning,clear,own,\n"


def passages(package: str, path: Path) -> Path:
    """Write 24 passages, four of each length from one to six words; returns the path.

    The fifth passage of the package `n` is `ne0 ne1`.
    """
    rows = []
    for row, letter in enumerate("abcdefghijklmnopqrstuvwx"):
        n_words = 1 + row // 4
        words = [f"{package}{letter}{number}" for number in range(n_words)]
        rows.append(Passage(package, " ".join(words)))
    write_parquet(pd.DataFrame(rows, columns=Passage._fields), path)
    return path


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of one seed, in which each twin reads 2 items once and 2 items 8 times."""
    folder = tmp_path_factory.mktemp("pretrained")
    make_tiny_model("gpt2", folder / "tokenizer")
    make_tiny_llama(folder / "base", folder / "tokenizer")
    write_manifest(folder / "base", name="base", kind="local", source="random", revision="none")
    (folder / "prompts.csv").write_text(PROMPTS)
    plant_new_texts.main(
        passages=passages("n", folder / "new.parquet"),
        filler=passages("f", folder / "filler.parquet"),
        doses=[1, 8], items_per_dose=2, twin_lines=48, seed=3, planted=folder / "planted",
    )  # fmt: skip
    train_new_text_twins.main(
        base=folder / "base", planted=folder / "planted",
        recipe=LineRecipe(batch_size=4, learning_rate=0.01, warmup_steps=2, weight_decay=0.0),
        frozen_share=0, device="gpu", twins=[folder / twin for twin in TWINS],
    )  # fmt: skip
    evidence = [folder / f"{twin}.parquet" for twin in TWINS]
    measure_new_text_twins.main(
        twins=[folder / twin for twin in TWINS], base=folder / "base", planted=folder / "planted",
        prompts=folder / "prompts.csv",
        attention_entropy_reduction="sum", specialised_head_entropy=1.5,
        detector_samples=1, tokens_per_batch=4096, device="gpu", seeds=[1, 2], evidence=evidence,
    )  # fmt: skip
    score_new_text_twins.main(
        planted=folder / "planted", base=folder / "base", evidence=evidence, seed=5,
        scores=folder / "scores.parquet",
    )  # fmt: skip
    return folder


def test_the_scores_have_a_row_for_each_twin_and_item(run: Path) -> None:
    scores = pd.read_parquet(run / "scores.parquet")
    items = read_planted_texts(run / "planted").items
    assert len(items) == 8  # 2 doses, 2 items of each, 2 twins
    assert len(scores) == 2 * len(items)
    half_of = {item.id: item.half for item in items}
    is_own_item = scores["twin"] == scores["id"].map(half_of)
    assert scores["seen"].tolist() == is_own_item.tolist()


def test_a_twin_has_a_lower_loss_on_the_items_that_it_read_eight_times(run: Path) -> None:
    """The other 2 items of dose 8 were read by the other twin alone."""
    scores = pd.read_parquet(run / "scores.parquet")
    often = scores[scores["dose"] == 8]
    # The score of the detector `loss` is minus the loss.
    mean_score = often.groupby("seen")["loss"].mean()
    assert mean_score[True] > mean_score[False]


def test_the_commands_for_small_models_also_summarise_and_calibrate_these_twins(run: Path) -> None:
    natural = run / "detectors.csv"
    calibration = run / "calibration.csv"
    summarise_text_twins.main(
        seeds=[0], scores=[run / "scores.parquet"], confidence_level=0.95, natural=natural
    )
    rows = pd.read_csv(natural).set_index(["detector", "dose"])
    assert set(rows.loc["loss"].index) == {0, 1, 8}
    assert np.isfinite(rows.loc[("loss", 8), "auroc"])
    calibrate_text_verdict.main(
        text=TEXT, seeds=[0], scores=[run / "scores.parquet"],
        evidence=[run / f"{twin}.parquet" for twin in TWINS],
        verdict_detectors=["loss", "reference"],
        calibration_draws=2, confidence_level=0.95, seed=1, calibration=calibration,
    )  # fmt: skip
    rates = pd.read_csv(calibration)
    assert set(rates["text"]) == {TEXT}
    assert {(2, 32)} == set(zip(rates["n_layers"], rates["d_model"], strict=True))
    # With 2 items a dose, a benchmark would have 1, 2 or 4 items, and its control as many unseen
    # ones. Benchmarks of 4 items are left out: they have unseen items themselves, and the 4 that a
    # twin did not read only fill the control.
    assert set(rates["n_items"]) == {1, 2}


def test_collected_rates_have_loss_spread_largest_planted_share_model_machines_and_commit(
    tmp_path: Path,
) -> None:
    """`planted_share` is the largest of the seeds; a plus marks a commit with modified files."""
    names = tmp_path / "names.csv"
    docstrings = tmp_path / "docstrings.csv"
    names.write_text("text,seen\nnames,0.1250\n")
    docstrings.write_text("text,seen\ndocs,1\n")
    record = (
        '{"git": {"commit": "abc", "modified": [%s]}, "machines": [%s], "steps": [], "models": []}'
    )
    sidecar(names).write_text(record % ("", '"16 CPU cores"'))
    sidecar(docstrings).write_text(record % ('"x.py"', '"16 CPU cores", "a GPU"'))
    (tmp_path / "kinds.csv").write_text(
        "text,text_length,loss_spread\nnames,38,0.2\ndocs,250,0.4\n"
    )
    (tmp_path / "shares.csv").write_text(
        "text,seed,planted_share\nnames,0,0.01\nnames,1,0.015\ndocs,0,0.0125\n"
    )
    collect_pretrained_rates.main(
        models=["tiny"], names=[names], docstrings=[docstrings], kinds=[tmp_path / "kinds.csv"],
        shares=[tmp_path / "shares.csv"], rates=tmp_path / "rates.csv",
    )  # fmt: skip
    assert (tmp_path / "rates.csv").read_text() == (
        "text,seen,loss_spread,planted_share,model,machines,commit\n"
        "names,0.1250,0.2,0.015,tiny,16 CPU cores,abc\n"
        "docs,1,0.4,0.0125,tiny,16 CPU cores; a GPU,abc+\n"
    )
