"""The library's public functions as a whole: light to import, documented, with the settings of the default run."""

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import yaml

import mechaware as ma
from mechaware.doors import grounding
from mechaware.doors.claims import library as claims
from mechaware.doors.radar import library as radar
from mechaware.instruments.claims.fetching.downloads import Limits
from mechaware.instruments.claims.reading.text import extract_text

REPOSITORY = Path(__file__).resolve().parents[2]
FUNCTIONS = {
    "ma.load": ma.load,
    "ma.passages": ma.passages,
    "ma.patch": ma.patch,
    "ma.read_log": ma.read_log,
    "ma.score_known": ma.score_known,
    **{f"ma.radar.{name}": getattr(ma.radar, name) for name in ma.radar.__all__},
    **{f"ma.claims.{name}": getattr(ma.claims, name) for name in ma.claims.__all__},
}


def test_importing_the_library_and_listing_its_names_loads_the_standard_library_alone() -> None:
    code = (
        "import sys; before = set(sys.modules); import mechaware as ma; dir(ma), dir(ma.radar), dir(ma.claims); "
        "loaded = {name.partition('.')[0] for name in set(sys.modules) - before}; "
        "print(loaded - {'mechaware'} - set(sys.stdlib_module_names))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    assert ast.literal_eval(run.stdout.replace("set()", "{}")) == {}


def test_the_page_lists_every_public_function_and_each_says_what_it_takes_and_gives() -> None:
    page = (REPOSITORY / "docs/library.md").read_text()
    assert set(re.findall(r"^\| `(ma\.[\w.]+)` \|", page, re.M)) == set(FUNCTIONS)
    for name, function in FUNCTIONS.items():
        text = inspect.getdoc(function) or ""
        described = text.partition("\nArgs:\n")[2].partition("\nReturns:\n")[0]
        assert re.findall(r"^    (\w+): ", described, re.M) == list(
            inspect.signature(function).parameters
        ), name
        assert "\nReturns:\n" in text, name
        assert "\nRaises:\n" in text, name


def test_what_is_no_argument_is_set_as_in_the_default_run() -> None:
    config = yaml.safe_load((REPOSITORY / "config/config.yaml").read_text())
    ours = config["radar"]
    assert ours["attention_entropy_reduction"] == radar.REDUCTION
    assert ours["specialised_head_entropy"] == radar.SPECIALISED_HEAD_ENTROPY
    assert ours["detector_samples"] == radar.SAMPLES
    assert tuple(ours["optional_evidence"]) == radar.OPTIONAL_EVIDENCE
    assert config["capture"]["tokens_per_batch"] == radar.TOKENS_PER_BATCH
    assert (config["bootstrap_resamples"], config["seed"]) == (radar.RESAMPLES, radar.SEED)
    assert config["confidence_level"] == radar.CONFIDENCE_LEVEL
    ours, thresholds = config["grounding"], grounding.THRESHOLDS._asdict()
    assert {
        name: ours[name] for name in thresholds.keys() - {"significance"}
    }.items() <= thresholds.items()
    assert (ours["verdict_share"], ours["tokens_per_batch"]) == (
        grounding.VERDICT_SHARE,
        grounding.TOKENS_PER_BATCH,
    )
    settings = (grounding.CONFIDENCE_LEVEL, grounding.RESAMPLES, grounding.SEED)
    assert settings == (radar.CONFIDENCE_LEVEL, radar.RESAMPLES, radar.SEED)
    ours = config["claims"]
    assert (ours["prompts"], ours["runs"], ours["responses"]) == (
        claims.PROMPTS,
        claims.RUNS,
        claims.RESPONSES,
    )
    assert ours["least_similarity"] == claims.MIN_SIMILARITY
    assert (ours["claims_found"], ours["leak_audit"], ours["devils_advocate"]) == (
        "once",
        True,
        "none",
    )
    assert config["confidence_level"] == claims.CONFIDENCE_LEVEL
    assert ours["reading"]["max_pages"] == claims.MAX_PAGES
    limits = Limits()
    assert ours["fetching"].items() <= vars(limits).items()
    defaults = {
        name: given.default for name, given in inspect.signature(extract_text).parameters.items()
    }
    assert ours["reading"].items() <= defaults.items()
