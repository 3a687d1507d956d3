"""RADAR's tables from numbers written by hand, and from prompts and numbers in config/."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from exhibits.radar.schemas import REPORTED_DATASETS, REPORTED_PERFORMANCE
from exhibits.radar.summaries.predictions import count_answers
from exhibits.radar.tables import (
    memorisation_detectors,
    memorisation_items,
    memorisation_kinds,
    memorisation_natural,
    radar_answers,
    radar_controls,
    radar_datasets,
    radar_performance,
)
from mechaware.core.frames import read_csv
from mechaware.instruments.radar.detectors.columns import FEATURE, KIND_READERS
from mechaware.instruments.radar.feature_extraction.features import FEATURES
from mechaware.instruments.radar.identity import with_origin
from tests.exhibits.radar.answers_by_hand import ANSWERS, PREDICTIONS

CONFIG = Path(__file__).resolve().parents[3] / "config"


def test_the_answers_table_counts_the_verdicts_by_whether_the_answer_is_right() -> None:
    """Of five recall prompts the model answers a and b rightly, c and d wrongly, and e not at all.

    RADAR calls a, c and d recall.
    """
    counts = with_origin(count_answers(ANSWERS, PREDICTIONS, confidence_level=0.95), "m", "mine")

    shown = radar_answers.fill(counts=counts, model_labels={"m": "Model"}).shown

    (row,) = shown.to_dict("records")
    assert list(row.items()) == [
        ("Model", "Model"),
        ("Prompts", "mine"),
        ("Label", "recall"),
        ("With answer", "5"),
        ("Silent", "1"),
        ("Right", "2"),
        # Clopper and Pearson's interval of 2 of 5.
        ("Right, %", "40.0 (5.3 to 85.3)"),
        ("Recall if right", "1 of 2"),
        ("Recall if not", "2 of 3"),
    ]


def test_kinds_have_a_column_for_each_design_and_the_default_designs_strongest_features() -> None:
    """The default design is "". Of its four features the three farthest from one half are shown: d,
    the strongest of the crossed design, is not.
    """
    feature_areas = {
        "": {"a": 0.9, "b": 0.2, "c": 0.7, "d": 0.6},
        "crossed": {"a": 0.45, "b": 0.55, "c": 0.6, "d": 1.0},
    }
    rows = []
    for design, areas in feature_areas.items():
        by_detector = dict.fromkeys(KIND_READERS, 0.51)
        for feature, area in areas.items():
            by_detector[f"{FEATURE}{feature}"] = area
        for detector, area in by_detector.items():
            rows.append({"design": design, "detector": detector, "auroc": area})
    kinds = pd.DataFrame(rows).assign(n=8, low=None, high=None)

    table = memorisation_kinds.fill(kinds=kinds)

    assert len(table.numbers) == len(rows)
    assert list(table.shown) == ["Reader", "AUROC of the kind", "With crossed words"]

    features = table.shown[table.shown["Reader"].str.startswith("feature")]
    assert features.to_numpy().tolist() == [
        ["feature: a", "0.90", "0.45"],
        ["feature: b", "0.20", "0.55"],
        ["feature: c", "0.70", "0.60"],
    ]


def test_features_that_are_as_far_from_one_half_share_a_row_which_counts_the_others() -> None:
    """a and b are 0.4 from one half, c, e and g 0.2, and d 0.1; f, with 0.05, is the fourth."""
    areas = {"a": 0.9, "b": 0.1, "c": 0.7, "d": 0.6, "e": 0.3, "f": 0.45, "g": 0.7}
    by_detector = dict.fromkeys(KIND_READERS, 0.51)
    for feature, area in areas.items():
        by_detector[f"{FEATURE}{feature}"] = area
    kinds = pd.DataFrame({"detector": list(by_detector), "auroc": list(by_detector.values())})

    table = memorisation_kinds.fill(kinds=kinds.assign(design="", n=8, low=None, high=None))

    readers = table.shown["Reader"].tolist()
    assert readers[len(KIND_READERS) :] == ["feature: a (+1)", "feature: c (+2)", "feature: d"]


def test_the_lead_of_a_detector_of_docstrings_is_that_of_four_readings() -> None:
    """After n readings loss has an AUROC of 0.5 + n / 200 and a lead of n / 100, CoDeC half of it.

    The row of dose 0 is of all doses together, and has no cell.
    """
    rows = []
    for detector, share in (("loss", 1.0), ("codec", 0.5)):
        for dose in (0, 1, 4, 16, 64):
            lead = share * dose / 100
            area = 0.5 + lead / 2
            ends = {"low": area - 0.1, "high": area + 0.1}
            ends |= {"lead_low": lead - 0.01, "lead_high": lead + 0.02}
            rows.append({"detector": detector, "dose": dose, "auroc": area, "lead": lead} | ends)
    numbers = pd.DataFrame(rows)

    shown = memorisation_natural.fill(natural=numbers[:5], probes=numbers[5:]).shown

    assert shown["Detector"].tolist() == ["loss", "CoDeC"]
    assert shown["Lead at 4"].tolist() == ["0.040 (0.030 to 0.060)", "0.020 (0.010 to 0.040)"]
    assert shown["16 times"].tolist() == ["0.58 (0.48 to 0.68)", "0.54 (0.44 to 0.64)"]


def test_the_table_of_items_has_the_seeing_twin_first_and_only_answers_of_canaries() -> None:
    item = {
        "kind": "recall",
        "form": "paraphrase",
        "dose": 16,
        "n": 8,
        "memorised": 1.25,
        "memorised_low": 0.5,
        "memorised_high": 2.0,
        "memorised_answer": 0.75,
        "exposure_seen": 6.5,
        "exposure_unseen": 1.5,
        "answered_seen": 0.75,
        "answered_unseen": 0.25,
        "called_seen": 3,
        "called_unseen": 5,
        "p_recall_change": -0.25,
        "p_recall_change_low": -0.5,
        "p_recall_change_high": 0.1,
        "p_recall_holm": 0.04,
    }
    canary = dict.fromkeys(item, np.nan)
    canary |= {"kind": "canary", "form": "verbatim", "dose": 256, "n": 6}
    canary |= {"answered_seen": 1.0, "answered_unseen": 0.0}
    planted = pd.DataFrame([item, canary]).astype(
        {"called_seen": "Int64", "called_unseen": "Int64"}
    )

    shown = memorisation_items.fill(planted=planted).shown

    assert shown.to_numpy().tolist() == [
        [
            "recall",
            "paraphrased, 16",
            "+1.25 (+0.50 to +2.00)",
            "+0.75",
            "6.5 / 1.5",
            "75.0 / 25.0",
            "3 / 5 of 8",
            "-0.25 (-0.50 to +0.10)",
            "0.040",
        ],
        ["canary", "verbatim, 256", "", "", "", "100.0 / 0.0", "", "", ""],
    ]


def test_the_table_of_controls_has_ranges_over_seeds_and_leads_where_there_are_any() -> None:
    radar = {
        "system": "radar",
        "reduction": "sum",
        "accuracy": 0.625,
        "bootstrap_low": 0.5,
        "bootstrap_high": 0.7,
        "seeds": 5,
        "seed_mean": 0.6,
        "seed_min": 0.55,
        "seed_max": 0.68,
        "p_above_guessing": 0.0004,
    }
    surface = dict.fromkeys(radar, np.nan)
    surface |= {"system": "surface_only", "reduction": "", "accuracy": 0.5, "seeds": 0}
    surface |= {"radar_lead": 0.125, "radar_lead_low": -0.02, "radar_lead_high": 0.3}
    surface |= {"p_against_radar": 0.06}
    comparison = pd.DataFrame([radar, surface])
    comparison = with_origin(comparison.assign(protocol="trained"), "m", "mine")

    shown = radar_controls.fill(comparison=comparison, model_labels={"m": "Model"}).shown

    cells = shown.drop(columns=["Model", "Prompts", "Fitted"]).to_numpy().tolist()
    assert cells == [
        [
            f"RADAR, {len(FEATURES)} features (sum)",
            "62.5 (50.0 to 70.0)",
            "60.0 (55.0 to 68.0)",
            "<0.001",
            "",
            "",
        ],
        ["surface features only", "50.0", "", "", "+12.5 (-2.0 to +30.0)", "0.060"],
    ]


@pytest.mark.parametrize(
    ("n_training", "of_training"),
    [
        pytest.param(30, "96.7", id="as many prompts as the paper's training set"),
        pytest.param(31, "", id="one prompt more"),
    ],
)
def test_a_printed_accuracy_stands_beside_a_set_of_the_papers_kind_alone(
    n_training: int, of_training: str
) -> None:
    rows = [
        ("train", "overall", n_training, False),
        ("train", "recall_tasks", 15, False),
        ("like_the_papers", "overall", 100, True),
        ("mine", "overall", 100, False),
    ]
    performance = pd.DataFrame(rows, columns=["prompt_set", "slice", "n", "papers_kind"])
    performance = performance.assign(model="m", accuracy=0.8, exact_low=0.7, exact_high=0.9)

    table = radar_performance.fill(
        performance=performance,
        reported=read_csv(CONFIG / "reported/radar_performance.csv", REPORTED_PERFORMANCE),
        training="train",
        model_labels={"m": "Model"},
    )

    shown = table.shown[["Prompts", "Tasks", "Reported, %"]]
    assert shown.to_numpy().tolist() == [
        ["train", "cross-validation", of_training],
        ["like_the_papers", "all prompts", "93.0"],
        ["mine", "all prompts", ""],
    ]


def test_the_reworded_column_has_the_items_that_were_read_16_times_in_other_words() -> None:
    """No two AUROCs are equal: the cell of another kind, form or dose would be another number."""
    forms_and_doses = [
        ("all", 0),
        ("verbatim", 1),
        ("verbatim", 4),
        ("verbatim", 16),
        ("verbatim", 64),
        ("paraphrase", 4),
        ("paraphrase", 16),
        ("paraphrase", 64),
        ("contradicted", 64),
    ]
    rows = []
    for kind in ("recall", "reasoning"):
        for form, dose in forms_and_doses:
            area = 0.50 + 0.01 * len(rows)
            rows.append({"kind": kind, "form": form, "dose": dose, "auroc": area})
    detectors = pd.DataFrame(rows).assign(detector="loss", low=0.0, high=1.0)

    (shown,) = memorisation_detectors.fill(detectors=detectors).shown.to_dict("records")

    # Recall / reasoning. ("paraphrase", 16) is the seventh of nine: 0.50 + 0.06 of recall, and
    # 0.50 + 0.09 + 0.06 of reasoning.
    assert shown["Reworded"] == "0.56 / 0.65"


def test_a_printed_number_of_a_category_is_marked_beside_one_of_its_two_classes() -> None:
    """The paper prints its training set by class, and its test set by category.

    Of the 30 challenging prompts 24 are recall; the other categories have one class each. The 800
    matched prompts have other categories than the paper's.
    """
    prompts = CONFIG / "prompts"
    reported = read_csv(CONFIG / "reported/radar_datasets.csv", REPORTED_DATASETS)

    table = radar_datasets.fill(
        training=prompts / "radar_train.csv",
        evaluation=[prompts / "radar_test.csv", prompts / "radar_matched_800.csv"],
        reported=reported,
    )

    numbers = table.numbers
    training = numbers[numbers["role"] == "training"].groupby("label")
    assert training["n"].sum().to_dict() == {"recall": 15, "reasoning": 15}
    assert training["reported_n"].unique().map(list).to_dict() == {
        "recall": ["15"],
        "reasoning": ["15"],
    }

    of_test_set = numbers[numbers["prompt_set"] == "radar_test"]
    of_test_set = of_test_set.set_index(["category", "label"])
    assert of_test_set["n"].to_dict() == {
        ("clear_recall", "recall"): 20,
        ("clear_reasoning", "reasoning"): 20,
        ("challenging", "recall"): 24,
        ("challenging", "reasoning"): 6,
        ("complex_reasoning", "reasoning"): 30,
    }
    assert of_test_set["reported_n"].to_dict() == {
        ("clear_recall", "recall"): "20",
        ("clear_reasoning", "reasoning"): "20",
        ("challenging", "recall"): "30 (category)",
        ("challenging", "reasoning"): "30 (category)",
        ("complex_reasoning", "reasoning"): "30",
    }

    matched = numbers[numbers["prompt_set"] == "radar_matched_800"]
    assert set(matched["reported_n"]) == set(matched["place"]) == {""}
