"""The README's benchmark, with its CSV and its config, scored by the library under a small random model."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
import yaml
from snakemake.utils import update_config

from mechaware.configuration import check
from mechaware.frames import read_csv, write_csv
from mechaware.models.registry import load_model, load_tokenizer
from mechaware.radar.detectors.listed import DETECTORS
from mechaware.radar.evidence.measuring import Measuring
from mechaware.radar.evidence.reading import TokenisedModel
from mechaware.radar.evidence.token_counts import count_tokens
from mechaware.radar.prompts import read_prompts
from mechaware.radar.schemas import SUSPECTED
from mechaware.radar.suspected.benchmark import read_benchmark, read_prefix
from mechaware.radar.suspected.measuring import Prefixes, measure_benchmark
from mechaware.radar.suspected.ranking import rank_detectors
from mechaware.radar.suspected.scoring import score_benchmark
from mechaware.report.results import config_schema, find_results
from tests.tiny_models import make_tiny_model

REPOSITORY = Path(__file__).resolve().parents[4]
README = (REPOSITORY / "README.md").read_text()
(CSV,) = re.findall(r"```csv\n(.*?)```", README, re.S)
(CONFIG,) = map(yaml.safe_load, re.findall(r"```yaml\n(.*?)```", README, re.S))
((NAME, ENTRY),) = CONFIG["radar"]["suspected"].items()
OF_REFERENCE = {"reference", "window_comparison", "error_zone"}
OF_CORPUS = {"overlap", "divergence"}
OF_PREFIXES = {"relative_likelihood", "contrasted_likelihood"}
OF_TRUTH = {detector.name for detector in DETECTORS if "seen" in detector.needs}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> TokenisedModel:
    folder = make_tiny_model("gpt2", tmp_path_factory.mktemp("tiny") / "model", n_layers=2)
    return TokenisedModel(load_model(folder, torch.device("cpu")), load_tokenizer(folder), 2000)


@pytest.fixture
def items(tmp_path: Path) -> Path:
    (tmp_path / ENTRY["items"]).write_text(CSV)
    return tmp_path / ENTRY["items"]


def scores_of(model: TokenisedModel, items: Path, *, everything: bool) -> pd.DataFrame:
    known = items.with_name("known.csv")
    known.write_text("text\nHi.\n")
    prefix = read_prefix(known)
    training = [
        prompt for prompt in read_prompts(REPOSITORY / "config/prompts/radar_train.csv") if len(prompt.prompt) < 64
    ]
    benchmark = read_benchmark(items)
    evidence = measure_benchmark(
        model,
        benchmark,
        training,
        Measuring(reduction="sum", specialised_head_entropy=1.5, samples=2, seed=1),
        reference=model if everything else None,
        prefixes=Prefixes(prefix, prefix) if everything else Prefixes(),
    )
    corpus = [benchmark.lines[0].text, "Another text."] if everything else None
    counts = count_tokens(corpus, model.tokenizer) if corpus else None
    return score_benchmark(evidence, benchmark, corpus=corpus, token_counts=counts, seed=2)


def test_the_readmes_config_is_valid_and_names_files_and_results_of_the_text() -> None:
    config = yaml.safe_load((REPOSITORY / "config/config.yaml").read_text())
    update_config(config, CONFIG)
    check(config, config_schema(REPOSITORY, find_results(REPOSITORY)), "README")
    assert ENTRY["model"] in yaml.safe_load((REPOSITORY / "config/models.yaml").read_text())
    assert f"`{ENTRY['items']}`" in README
    assert f"`results/radar/suspected/{NAME}/scores.csv`" in README


def test_the_readmes_benchmark_gets_scores_and_a_row_per_detector(model: TokenisedModel, items: Path) -> None:
    scores = scores_of(model, items, everything=False)
    measured = [d.name for d in DETECTORS if d.name not in OF_REFERENCE | OF_CORPUS | OF_PREFIXES]
    assert list(scores) == ["id", "seen", *measured]
    assert scores["id"].tolist() == ["peru", "chad", "fiji", "mali", "cuba", "oman"]
    assert scores["seen"].tolist() == [True] * 3 + [False] * 3
    write_csv(scores, items.with_name("scores.csv"))
    table = rank_detectors(read_csv(items.with_name("scores.csv"), SUSPECTED), resamples=50, seed=0)
    assert set(table["detector"]) == set(measured)
    assert table["auroc"].is_monotonic_decreasing
    assert (table["low"] <= table["auroc"] + 1e-9).all()


def test_a_reference_prefixes_and_a_corpus_give_every_detector_its_column(model: TokenisedModel, items: Path) -> None:
    scores = scores_of(model, items, everything=True)
    assert list(scores) == ["id", "seen", *(detector.name for detector in DETECTORS)]
    # The model is its own reference, and the first text is in the corpus.
    assert (scores["reference"] == 0).all()
    assert scores["overlap"][0] == 1


def test_without_the_truth_there_is_no_column_seen_and_none_that_learns(model: TokenisedModel, items: Path) -> None:
    items.write_text(re.sub(r",(seen|true|false)$", "", CSV, flags=re.M))
    scores = scores_of(model, items, everything=False)
    assert "seen" not in scores
    assert not OF_TRUTH & set(scores)
    assert {"loss", "peakedness", "radar", "isolation"} <= set(scores)
    assert np.isfinite(scores.drop(columns="id").to_numpy()).all()
