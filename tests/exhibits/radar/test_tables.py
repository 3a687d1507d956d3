"""RADAR's tables from numbers written by hand."""

import pandas as pd

from exhibits.radar.summaries.predictions import count_answers
from exhibits.radar.tables import memorisation_detectors, memorisation_kinds, radar_answers
from mechaware.instruments.radar.detectors.columns import FEATURE, KIND_READERS
from mechaware.instruments.radar.identity import with_origin
from tests.exhibits.radar.answers_by_hand import ANSWERS, PREDICTIONS


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
