"""The library's public functions: light to import, documented, with the default run's settings."""

import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

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
    code = """
import sys
before = set(sys.modules)
import mechaware as ma
dir(ma), dir(ma.radar), dir(ma.claims)
loaded = {name.partition(".")[0] for name in set(sys.modules) - before}
print(*sorted(loaded - {"mechaware"} - set(sys.stdlib_module_names)))
"""
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    assert run.stdout == "\n"


def test_the_page_lists_every_public_function_and_each_describes_arguments_and_result() -> None:
    page = (REPOSITORY / "docs/library.md").read_text()
    assert set(re.findall(r"^\| `(ma\.[\w.]+)` \|", page, re.M)) == set(FUNCTIONS)
    for name, function in FUNCTIONS.items():
        text = inspect.getdoc(function) or ""
        arguments = text.partition("\nArgs:\n")[2].partition("\nReturns:\n")[0]
        described = re.findall(r"^    (\w+): ", arguments, re.M)
        assert described == list(inspect.signature(function).parameters), name
        assert "\nReturns:\n" in text, name
        assert "\nRaises:\n" in text, name


# What no argument of the library sets is set as in the default run.


def default_config() -> dict[str, Any]:
    """The config of the default run."""
    config: dict[str, Any] = yaml.safe_load((REPOSITORY / "config/config.yaml").read_text())
    return config


def test_radar_has_the_settings_of_the_default_run() -> None:
    config = default_config()
    section = config["radar"]

    assert section["attention_entropy_reduction"] == radar.REDUCTION
    assert section["specialised_head_entropy"] == radar.SPECIALISED_HEAD_ENTROPY
    assert section["detector_samples"] == radar.SAMPLES
    assert tuple(section["optional_evidence"]) == radar.OPTIONAL_EVIDENCE
    assert config["capture"]["tokens_per_batch"] == radar.TOKENS_PER_BATCH
    assert config["bootstrap_resamples"] == radar.RESAMPLES
    assert config["seed"] == radar.SEED
    assert config["confidence_level"] == radar.CONFIDENCE_LEVEL


def test_grounding_has_the_settings_of_the_default_run() -> None:
    config = default_config()
    section = config["grounding"]

    # `significance` is no setting: it follows from the confidence level.
    thresholds = grounding.THRESHOLDS._asdict()
    del thresholds["significance"]
    assert thresholds == {name: section[name] for name in thresholds}
    assert section["verdict_share"] == grounding.VERDICT_SHARE
    assert section["tokens_per_batch"] == grounding.TOKENS_PER_BATCH
    assert config["confidence_level"] == grounding.CONFIDENCE_LEVEL
    assert config["bootstrap_resamples"] == grounding.RESAMPLES
    assert config["seed"] == grounding.SEED


def test_claims_has_the_settings_of_the_default_run() -> None:
    config = default_config()
    section = config["claims"]

    assert section["prompts"] == claims.PROMPTS
    assert section["runs"] == claims.RUNS
    assert section["responses"] == claims.RESPONSES
    assert section["least_similarity"] == claims.MIN_SIMILARITY
    assert config["confidence_level"] == claims.CONFIDENCE_LEVEL
    assert section["reading"]["max_pages"] == claims.MAX_PAGES

    # These are fixed in the library, as arguments of the functions that it calls.
    assert section["claims_found"] == "once"
    assert section["leak_audit"] is True
    assert section["devils_advocate"] == "none"


def test_fetching_and_reading_papers_have_the_settings_of_the_default_run() -> None:
    section = default_config()["claims"]

    assert section["fetching"].items() <= vars(Limits()).items()

    parameters = inspect.signature(extract_text).parameters
    defaults = {name: parameter.default for name, parameter in parameters.items()}
    assert section["reading"].items() <= defaults.items()
