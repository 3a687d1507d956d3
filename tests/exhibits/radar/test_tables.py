"""RADAR's tables from numbers written by hand, and from the prompts that its paper prints."""

from pathlib import Path

import pandas as pd

from exhibits.radar.schemas import REPORTED_DATASETS
from exhibits.radar.summaries.predictions import count_answers
from exhibits.radar.tables import (
    memorisation_detectors,
    memorisation_kinds,
    radar_answers,
    radar_datasets,
)
from mechaware.core.frames import read_csv
from mechaware.instruments.radar.detectors.columns import FEATURE, KIND_READERS
from mechaware.instruments.radar.identity import with_origin
from tests.exhibits.radar.answers_by_hand import ANSWERS, PREDICTIONS

CONFIG = Path(__file__).resolve().parents[3] / "config"


def test_the_answers_table_counts_the_verdicts_by_whether_the_answer_is_right() -> None:
    counts = with_origin(count_answers(ANSWERS, PREDICTIONS, confidence_level=0.95), "m", "mine")

    (row,) = radar_answers.fill(counts=counts, model_labels={"m": "Model"}).shown.to_dict("records")

    # One of five prompts has no answer, and two a right one; Clopper and Pearson's interval of 2 of
    # 5.
    share = "40.0 (5.3 to 85.3)"
    assert list(row.values())[:7] == ["Model", "mine", "recall", "5", "1", "2", share]
    # Of a and b, a is called recall; of c, d and e, c and d.
    assert row["Recall if right"] == "1 of 2"
    assert row["Recall if not"] == "2 of 3"


def test_kinds_have_a_column_for_each_design_and_features_by_the_default_one() -> None:
    """In the crossed design the feature d is furthest from one half;
    the features shown are those of the default.
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


def test_reworded_items_of_the_detectors_table_were_read_16_times_in_other_words() -> None:
    """All areas differ, so that a cell of another form,
    number of readings or kind would show another number.
    """
    cells = [
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
        for form, dose in cells:
            area = 0.50 + 0.01 * len(rows)
            rows.append({"kind": kind, "form": form, "dose": dose, "auroc": area})
    detectors = pd.DataFrame(rows).assign(detector="loss", low=0.0, high=1.0)

    (shown,) = memorisation_detectors.fill(detectors=detectors).shown.to_dict("records")

    # The seventh cell of each kind, of nine: 0.50 + 0.06 and 0.50 + 0.09 + 0.06.
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
