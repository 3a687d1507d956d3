"""RADAR's tables from numbers written by hand."""

import pandas as pd

from exhibits.radar.summaries.predictions import count_answers
from exhibits.radar.tables import memorisation_detectors, memorisation_kinds, radar_answers
from mechaware.instruments.radar.detectors.columns import FEATURE, KIND_READERS
from mechaware.instruments.radar.identity import with_origin
from tests.exhibits.radar.answers_by_hand import ANSWERS, PREDICTIONS


def test_the_answers_table_sets_the_verdicts_beside_the_answers() -> None:
    counts = with_origin(count_answers(ANSWERS, PREDICTIONS, confidence_level=0.95), "m", "mine")
    (row,) = radar_answers.fill(counts=counts, model_labels={"m": "Model"}).shown.to_dict("records")

    assert list(row.values())[:7] == [
        "Model",
        "mine",
        "recall",
        "2",
        "1",
        "1",
        "50.0 (1.3 to 98.7)",
    ]
    assert (row["Recall if right"], row["Recall if not"]) == ("1 of 1", "0 of 1")


def test_kinds_have_a_column_for_each_design_and_features_by_the_default_one() -> None:
    """In the crossed design another feature is furthest from one half: the rows stay those of the default."""
    names = [*KIND_READERS, *(f"{FEATURE}{name}" for name in ("a", "b", "c", "d"))]
    by_design = {"": (0.9, 0.2, 0.7, 0.6), "crossed": (0.5, 0.5, 0.5, 1.0)}
    rows = [
        {"design": design, "detector": name, "n": 8, "auroc": area, "low": None, "high": None}
        for design, of_features in by_design.items()
        for name, area in zip(names, [*[0.51] * len(KIND_READERS), *of_features], strict=True)
    ]
    table = memorisation_kinds.fill(kinds=pd.DataFrame(rows))

    assert len(table.numbers) == len(rows)
    assert list(table.shown) == ["Reader", "AUROC of the kind", "With crossed words"]

    features = table.shown[table.shown["Reader"].str.startswith("feature")]
    assert features.to_numpy().tolist() == [
        ["feature: a", "0.90", "0.50"],
        ["feature: b", "0.20", "0.50"],
        ["feature: c", "0.70", "0.50"],
    ]


def test_reworded_items_of_the_detectors_table_were_read_16_times_in_other_words() -> None:
    """All areas differ, so that a cell of another form, number of readings or kind would be seen."""
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
    rows = [
        {"detector": "loss", "kind": kind, "form": form, "dose": dose, "low": 0.0, "high": 1.0}
        for kind in ("recall", "reasoning")
        for form, dose in cells
    ]
    areas = [number / 100 for number in range(50, 50 + len(rows))]

    (shown,) = memorisation_detectors.fill(
        detectors=pd.DataFrame(rows).assign(auroc=areas)
    ).shown.to_dict("records")

    # The seventh cell of each kind, of nine: 0.50 + 0.06 and 0.50 + 0.09 + 0.06.
    assert shown["Reworded"] == "0.56 / 0.65"
