"""What `make pretrained` would run."""

from collections import Counter
from pathlib import Path

import yaml

from mechaware.planted.twins.items import KINDS
from tests.slurm.plans import plan_from_nothing

REPOSITORY = Path(__file__).resolve().parents[2]
CONFIG = REPOSITORY / "config/smollm2-planted.yaml"
SIZES = yaml.safe_load(CONFIG.read_text())["radar"]["memorisation"]["pretrained"]


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


def test_about_a_fiftieth_of_the_lines_is_planted() -> None:
    doses = sum(SIZES["doses"])
    canary = 16  # the default
    names = len(KINDS) * SIZES["items_per_cell"] * doses + canary

    assert names == 478
    assert names / (SIZES["steps"] * SIZES["batch_size"]) <= 0.02

    natural = SIZES["natural"]
    docstrings = natural["items_per_dose"] * (1 + 4 + 16)  # the default doses

    assert docstrings == 504
    # Items of this kind have fewer tokens than filler: 2.05% of the lines are 1.93% of the tokens.
    assert docstrings / (natural["steps"] * natural["batch_size"]) <= 0.0206


def test_on_two_cores_half_of_the_lines_are_planted() -> None:
    """One seed of as many items as on a GPU, among so many fewer other lines."""
    path = REPOSITORY / "config/smollm2-planted-cpu.yaml"
    sizes = yaml.safe_load(path.read_text())["radar"]["memorisation"]["pretrained"]

    assert sizes["items_per_cell"] == SIZES["items_per_cell"]
    assert sizes["natural"]["items_per_dose"] == SIZES["natural"]["items_per_dose"]
    assert 478 / (sizes["steps"] * sizes["batch_size"]) == 478 / 960
    assert 504 / (sizes["natural"]["steps"] * sizes["natural"]["batch_size"]) == 504 / 1008
