"""What `make pretrained` would run, and which share of the lines that a twin reads is planted."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from snakemake.utils import update_config

from mechaware.planted.twins.world import KINDS
from tests.slurm.plans import plan_from_nothing

REPOSITORY = Path(__file__).resolve().parents[2]
CONFIG = REPOSITORY / "config/smollm2-planted.yaml"  # for a GPU
CPU_CONFIG = REPOSITORY / "config/smollm2-planted-cpu.yaml"
# The lines planted in what one twin reads. At each dose (1, 4 and 16 readings) there are 11 names
# of each of 2 kinds: 2 * 11 * (1 + 4 + 16), and 16 readings of the canary. At each dose there are
# 24 docstrings: 24 * (1 + 4 + 16).
PLANTED_NAMES = 478
PLANTED_DOCSTRINGS = 504


def pretrained_settings(path: Path) -> dict[str, Any]:
    """The settings for pretrained models in a config on top of the default one."""
    config = yaml.safe_load((REPOSITORY / "config/config.yaml").read_text())
    update_config(config, yaml.safe_load(path.read_text()))
    settings: dict[str, Any] = config["radar"]["memorisation"]["pretrained"]
    return settings


SETTINGS = pretrained_settings(CONFIG)


def test_three_seeds_of_names_and_of_docstrings_end_in_one_table() -> None:
    plan = plan_from_nothing("--configfile", str(CONFIG), "--", "memorisation_pretrained")
    jobs = Counter(job.rule for job in plan.jobs)
    for_each_seed = {
        "plant_items": 3,
        "train_twins": 3,
        "measure_twins": 3,
        "score_twins": 3,
        "plant_new_texts": 3,
        "train_new_text_twins": 3,
        "measure_new_text_twins": 3,
        "score_new_text_twins": 3,
    }
    of_the_model = {
        "fetch_wheel": 1,
        "convert_gguf": 1,
        "collect_docstrings": 1,
        "fetch_new_docstrings": 1,
        "count_planted_tokens": 1,
        "summarise_memorisation": 1,
        "summarise_new_text_twins": 1,
        "calibrate_verdict": 1,
        "calibrate_new_text_verdict": 1,
        "describe_pretrained_texts": 1,
        "collect_pretrained_rates": 1,
        "memorisation_pretrained": 1,
    }

    assert jobs == for_each_seed | of_the_model
    assert plan.gpu_rules == {
        "train_twins",
        "measure_twins",
        "train_new_text_twins",
        "measure_new_text_twins",
    }


def lines_read(settings: Mapping[str, Any]) -> int:
    """The number of lines that a twin reads in its training."""
    lines: int = settings["steps"] * settings["batch_size"]
    return lines


def test_about_a_fiftieth_of_the_lines_with_names_is_planted() -> None:
    items = len(KINDS) * SETTINGS["items_per_cell"] * sum(SETTINGS["doses"])
    planted = items + SETTINGS["canary_dose"]

    assert planted == PLANTED_NAMES
    assert planted / lines_read(SETTINGS) <= 0.02


def test_about_a_fiftieth_of_the_lines_with_docstrings_is_planted() -> None:
    """The config promises at most 2% of the tokens. Planted docstrings have fewer tokens than the
    other lines: 2.05% of the lines are 1.93% of the tokens.
    """
    natural = SETTINGS["natural"]
    planted = natural["items_per_dose"] * sum(natural["doses"])

    assert planted == PLANTED_DOCSTRINGS
    assert planted / lines_read(natural) <= 0.0206


def test_on_two_cores_half_of_the_lines_are_planted() -> None:
    """The config for a CPU plants as many items as the config for a GPU, among fewer other lines:
    478 of 960 lines, and 504 of 1008.
    """
    settings = pretrained_settings(CPU_CONFIG)
    natural = settings["natural"]

    assert settings["seeds"] == [0]
    for key in ("items_per_cell", "doses", "canary_dose"):
        assert settings[key] == SETTINGS[key]
    for key in ("items_per_dose", "doses"):
        assert natural[key] == SETTINGS["natural"][key]

    assert lines_read(settings) == 960
    assert lines_read(natural) == 1008
    assert PLANTED_NAMES / lines_read(settings) == pytest.approx(0.5, abs=0.003)
    assert PLANTED_DOCSTRINGS / lines_read(natural) == 0.5
