"""What `make pretrained` would run."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from mechaware.planted.twins.world import KINDS
from tests.slurm.plans import plan_from_nothing

REPOSITORY = Path(__file__).resolve().parents[2]
CONFIG = REPOSITORY / "config/smollm2-planted.yaml"
SIZES = yaml.safe_load(CONFIG.read_text())["radar"]["memorisation"]["pretrained"]
# Lines of a twin, computed below: names with the canary, and docstrings.
PLANTED_NAMES = 478
PLANTED_DOCSTRINGS = 504


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


def lines_of(sizes: Mapping[str, Any]) -> int:
    """The lines that a twin is trained on."""
    lines: int = sizes["steps"] * sizes["batch_size"]
    return lines


def test_about_a_fiftieth_of_the_lines_with_names_is_planted() -> None:
    in_canary = 16  # the default number of lines
    planted = len(KINDS) * SIZES["items_per_cell"] * sum(SIZES["doses"]) + in_canary

    assert planted == PLANTED_NAMES
    assert planted / lines_of(SIZES) <= 0.02


def test_about_a_fiftieth_of_the_lines_with_docstrings_is_planted() -> None:
    """Planted docstrings have fewer tokens than the other lines:
    2.05% of the lines are 1.93% of the tokens.
    """
    natural = SIZES["natural"]
    default_doses = (1, 4, 16)
    planted = natural["items_per_dose"] * sum(default_doses)

    assert planted == PLANTED_DOCSTRINGS
    assert planted / lines_of(natural) <= 0.0206


def test_on_two_cores_half_of_the_lines_are_planted() -> None:
    """One seed of as many items as on a GPU, among fewer other lines:
    478 of 960, and 504 of 1008.
    """
    path = REPOSITORY / "config/smollm2-planted-cpu.yaml"
    sizes = yaml.safe_load(path.read_text())["radar"]["memorisation"]["pretrained"]

    assert sizes["items_per_cell"] == SIZES["items_per_cell"]
    assert sizes["doses"] == SIZES["doses"]
    assert sizes["natural"]["items_per_dose"] == SIZES["natural"]["items_per_dose"]
    assert lines_of(sizes) == 960
    assert lines_of(sizes["natural"]) == 1008
    assert PLANTED_NAMES / lines_of(sizes) == pytest.approx(0.5, abs=0.003)
    assert PLANTED_DOCSTRINGS / lines_of(sizes["natural"]) == 0.5
