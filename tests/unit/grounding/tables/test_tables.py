"""The grounding study's tables from a few rows each: every number by hand, or as the paper prints it."""

from pathlib import Path

import pandas as pd
import pytest

from mechaware.frames import read_csv
from mechaware.grounding.schemas import REPORTED_ACCURACY, REPORTED_RULES
from mechaware.grounding.tables import (
    grounding_accuracy,
    grounding_controls,
    grounding_rules,
    grounding_thresholds,
    grounding_triangulation,
)

REPORTED = Path(__file__).resolve().parents[4] / "config/reported"


def test_both_runs_of_a_condition_stand_beside_the_papers_one_number() -> None:
    accuracy = pd.DataFrame(
        [("no_schema", "exact_match", 0.5, 0.4, 0.6, 600, run) for run in ("schema-s0", "schema-s1", "no_schema-s0")],
        columns=["evaluated_with", "metric", "value", "low", "high", "n", "run"],
    )
    reported = read_csv(REPORTED / "grounding_accuracy.csv", REPORTED_ACCURACY)
    table = grounding_accuracy.fill(accuracy=accuracy, reported=reported)
    assert table.numbers["run"].tolist() == ["schema-s0", "schema-s1", "no_schema-s0"]
    assert table.numbers["reported"].tolist() == pytest.approx([0, 0, 0.721])  # Table 1
    assert set(table.numbers["place"]) == {"Table 1"}
    assert table.shown.iloc[2].to_dict() == {
        "Trained with": "no schema",
        "Evaluated with": "no schema",
        "Metric": "exact match",
        "Run": "no_schema-s0",
        "Reported": "72.1",
        "Ours": "50.0",
        "Interval": "40.0 to 60.0",
        "n": "600",
    }


def test_effects_are_reported_in_logits_and_passes_as_fractions() -> None:
    comparison = pd.DataFrame(
        [
            ("overall", "delta", 2.0, 1.5, 0.5, 0.25, 0.75, 0.0004, 100),
            ("overall", "r1", 0.9, 0.8, 0.1, 0.0, 0.2, 0.25, 100),
            ("overall", "r3", 0.7, 0.6, 0.1, -0.05, 0.2, 0.5, 100),
        ],
        columns=["category", "quantity", "schema", "no_schema", "difference", "low", "high", "p", "n"],
    )
    reported = read_csv(REPORTED / "grounding_rules.csv", REPORTED_RULES)
    table = grounding_rules.fill(comparison=comparison, reported=reported)
    numbers = table.numbers.set_index("quantity")
    assert numbers.loc["delta", "reported_difference"] == 0.93  # Table 2, overall
    assert (numbers.loc["r3", "reported_schema"], numbers.loc["r3", "reported_no_schema"]) == (0.76, 0.59)
    assert numbers.loc[["delta", "r3"], "place"].tolist() == ["Table 2", "Table 2"]
    printed = ["reported_difference", "reported_schema", "reported_no_schema", "place"]
    assert numbers.loc["r1", printed].isna().all()  # the paper prints no R1
    assert numbers["reported_schema"].notna().sum() == 1
    assert "place" not in comparison  # the caller's table is left as it was
    (row,) = table.shown.to_dict("records")
    assert (row["Category"], row["Effect, reported"], row["Effect, ours"], row["p"]) == (
        "overall",
        "+0.93",
        "+0.50",
        "<0.001",
    )
    assert (row["R1, schema"], row["Pass, schema, reported"], row["Pass, schema, ours"]) == ("90.0", "76.0", "70.0")
    assert row["Difference of ours, interval"] == "-5.0 to 20.0"


def test_the_pass_rate_of_a_condition_is_the_mean_over_its_runs() -> None:
    thresholds = pd.DataFrame(
        [
            ("schema-s0", 0.4, 0.9, 4, 3, 3, 4),
            ("schema-s1", 0.4, 0.9, 2, 1, 1, 4),
            ("no_schema-s0", 0.4, 0.9, 1, 1, 1, 4),
            ("copy_head", 0.4, 0.9, 4, 4, 4, 4),
        ],
        columns=["run", "tau", "alpha", "r1", "r2", "r3", "n"],
    )
    table = grounding_thresholds.fill(thresholds=thresholds)
    assert list(table.numbers) == ["tau", "alpha", "schema", "no_schema", "difference", "copy_head"]
    assert table.numbers.iloc[0].tolist() == [0.4, 0.9, 0.5, 0.25, 0.25, 1]  # (3/4 + 1/4) / 2 is 1/2
    assert list(table.shown) == ["tau", "alpha", "schema", "no schema", "difference", "copy head"]
    assert table.shown.iloc[0].tolist() == ["0.4", "0.9", "50.0", "25.0", "25.0", "100.0"]


def test_a_run_without_a_best_layer_has_an_empty_cell() -> None:
    triangulation = pd.DataFrame(
        [("schema-s0", "denoise", 5, 4, 2.0, 6, 6, 5, 5, 6), ("schema_blind", "noise", 0, 0, None, 6, 6, 0, 0, 6)],
        columns=["run", "mode", "r2", "r3", "most_common", "same_r2", "same_r3", "in_top", "both", "n"],
    )
    shown = grounding_triangulation.fill(triangulation=triangulation).shown
    assert shown["Model"].tolist() == ["schema, seed 0", "schema-blind twin"]
    assert shown["Intervention"].tolist() == ["denoising", "noising"]
    assert shown["Most common layer"].tolist() == ["2", ""]
    assert shown["Denoising's layer among the TopLayers"].tolist() == ["5 of 5", "0 of 0"]


def test_controls_have_their_known_and_their_measured_layer() -> None:
    best = {"copy_head": 1, "late_copy_head": 2, "schema_blind": None}
    rules = pd.DataFrame(
        [(run, "p0", 1.0, 1.0 if layer is None else -1.0, layer) for run, layer in best.items()],
        columns=["run", "pair", "clean_diff", "corrupted_diff", "top_layer"],
    ).astype({"top_layer": "Int64"})
    summary = pd.DataFrame(
        [(run, "overall", rule, 1.0, 0.9, 1.0) for run in best for rule in ("r1", "r2", "r3")],
        columns=["run", "category", "quantity", "value", "low", "high"],
    )
    shown = grounding_controls.fill(rules=rules, summary=summary).shown
    r1 = shown[shown["Rule"] == "R1"]
    assert r1["Control"].tolist() == ["copy head, read in block 2", "copy head, read in block 4", "schema-blind twin"]
    assert r1["Known"].tolist() == ["100.0", "100.0", "0.0"]
    assert r1["Layers that carry it"].tolist() == ["1", "1 2 3", ""]
    assert r1["L*"].tolist() == ["1", "2", ""]
    assert r1["Follows the schema"].tolist() == ["100.0", "100.0", "0.0"]
