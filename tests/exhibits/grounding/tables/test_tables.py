"""The grounding study's tables from a few rows each; numbers by hand or as the paper prints."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd
import pytest

from exhibits.grounding.tables import (
    grounding_accuracy,
    grounding_behaviour,
    grounding_categories,
    grounding_contrast,
    grounding_cut,
    grounding_drawn,
    grounding_grid,
    grounding_models,
    grounding_rule_sets,
    grounding_rules,
    grounding_shortcuts,
    grounding_verdict,
)
from exhibits.report.tables import Table
from mechaware.core.frames import read_csv
from mechaware.instruments.grounding.rules.registry import RULES
from mechaware.instruments.grounding.shortcuts import PLACE_SHORTCUTS
from mechaware.instruments.grounding.training_conditions import REPORTED, contrast_models
from tests.exhibits.grounding.models import NO_CONTRAST, two_models

PRINTED = Path(__file__).resolve().parents[4] / "config/reported"
FEW_SHOT = "smollm2-135m-instruct.few-shot"


def assert_shows(table: Table, *rows: Mapping[str, str]) -> None:
    """The cells of the table are these rows, with the columns in the order of the first."""
    assert table.shown.to_dict("records") == list(rows)
    assert list(table.shown) == list(rows[0])


# Trained models


def test_our_accuracy_has_its_interval_and_range_over_seeds_beside_the_papers_accuracy() -> None:
    without_schema = {"evaluated_with": "no_schema", "metric": "exact_match", "n": 600}
    trained_with_schema = {
        "trained_with": "schema",
        "value": 0.05,
        "low": 0.04,
        "high": 0.07,
        "lowest": 0.02,
        "highest": 0.09,
        "seeds": 3,
    }
    trained_without = {
        "trained_with": "no_schema",
        "value": 0.7,
        "low": 0.6,
        "high": 0.75,
        "lowest": 0.7,
        "highest": 0.7,
        "seeds": 1,
    }
    accuracy = pd.DataFrame(
        [trained_with_schema | without_schema, trained_without | without_schema]
    )
    reported = read_csv(PRINTED / "grounding_accuracy.csv", REPORTED)

    table = grounding_accuracy.fill(accuracy=accuracy, reported=reported)

    assert table.numbers["reported"].tolist() == pytest.approx([0, 0.721])  # Table 1
    assert set(table.numbers["place"]) == {"Table 1"}
    assert table.numbers["seeds"].tolist() == [3, 1]

    with_schema = {
        "Trained with": "schema",
        "Evaluated with": "no schema",
        "Metric": "exact match",
        "Reported": "0.0",
        "Ours": "5.0 (4.0 to 7.0)",
        "Seeds": "2.0 to 9.0",
        "n": "600",
    }
    without = {
        "Trained with": "no schema",
        "Evaluated with": "no schema",
        "Metric": "exact match",
        "Reported": "72.1",
        "Ours": "70.0 (60.0 to 75.0)",
        "Seeds": "70.0 to 70.0",
        "n": "600",
    }

    assert_shows(table, with_schema, without)


def test_effects_are_reported_in_logits_and_passes_as_fractions() -> None:
    columns = ["category", "quantity", "schema", "no_schema", "difference", "low", "high"]
    columns += ["lowest", "highest", "p", "seeds", "n"]
    comparison = pd.DataFrame(
        [
            ("overall", "delta", 2.0, 1.5, 0.5, 0.25, 0.75, 0.4, 0.6, 0.0004, 3, 100),
            ("overall", "r1", 0.9, 0.8, 0.1, 0.0, 0.2, 0.1, 0.1, 0.25, 3, 100),
            ("overall", "r3", 0.7, 0.6, 0.1, -0.05, 0.2, 0.0, 0.2, 0.5, 3, 100),
            ("overall", "r3_embedding", 0.85, 0.75, 0.1, -0.05, 0.2, 0.0, 0.2, 0.5, 3, 100),
        ],
        columns=columns,
    )
    reported = read_csv(PRINTED / "grounding_rules.csv", REPORTED)

    table = grounding_rules.fill(comparison=comparison, reported=reported)

    # Table 2, overall: an effect of 0.93 logits; 76% pass with the schema and 59% without.
    numbers = table.numbers.set_index("quantity")
    assert numbers.loc["delta", "reported_difference"] == 0.93
    assert numbers.loc["r3", "reported_schema"] == 0.76
    assert numbers.loc["r3", "reported_no_schema"] == 0.59
    assert numbers.loc[["delta", "r3"], "place"].tolist() == ["Table 2", "Table 2"]

    printed = ["reported_difference", "reported_schema", "reported_no_schema", "place"]
    assert numbers.loc["r1", printed].isna().all()  # the paper prints no R1
    assert numbers["reported_schema"].notna().sum() == 1
    assert "place" not in comparison  # the caller's table is left as it was

    overall = {
        "Category": "overall",
        "Effect: reported": "+0.93",
        "Effect: ours": "+0.50 (+0.25 to +0.75)",
        "With: reported": "76.0",
        "With: ours": "70.0",
        "With: ours, embedding": "85.0",
        "Without: reported": "59.0",
        "Without: ours": "60.0",
        "Without: ours, embedding": "75.0",
    }

    assert_shows(table, overall)


def test_models_have_their_steps_their_exact_match_and_r1_beside_what_normal_gaps_imply() -> None:
    table = grounding_models.fill(**two_models(met=False), tau=0.4)

    schema, _ = table.shown.to_dict("records")
    # `two_models` has four pairs with the gaps 2, 1, 0 and -1: mean 0.5, variance 5 / 3, deviation
    # 1.29099. Normal gaps of that mean and deviation pass R1, |gap| >= 0.4, with the probability
    # Phi((0.5 - 0.4) / 1.29099) + Phi((-0.4 - 0.5) / 1.29099) = 0.53087 + 0.24286. Three, two and
    # one of the four pairs pass R1, R1 and R2, and R1 to R3.
    assert schema == {
        "Model": "schema, seed 3",
        "Steps, criterion": "1200, not met",
        "Exact match": "96.0",
        "R1": "75.0",
        "R1, normal gaps": "77.4",
        "R1 and R2": "50.0",
        "R1 to R3": "25.0",
        "with the embedding": "0.0",
        "G1 to G5": "0.0",
    }


def test_contrasts_are_in_points_and_the_contrast_of_gaps_in_logits() -> None:
    table = grounding_contrast.fill(
        **two_models(met=False), needed=NO_CONTRAST, confidence_level=0.95
    )

    shown = table.shown.set_index(["Models", "Quantity"])
    # The mean gaps of `two_models` are (2 + 1 + 0 - 1) / 4 with the schema and
    # (0.5 + 0 + 0 + 0.1) / 4 without. One seed has no interval.
    assert shown.loc[("all", "gap (logits)")].to_dict() == {
        "With schema": "+0.50",
        "Without": "+0.15",
        "Difference": "+0.35",
        "Smallest": "",
        "Seeds": "1",
    }
    # One of four pairs passes R3 with the schema, and none without.
    assert shown.loc[("all", "R1 to R3, by the method (primary)")].to_dict() == {
        "With schema": "25.0",
        "Without": "0.0",
        "Difference": "+25.0",
        "Smallest": "",
        "Seeds": "1",
    }
    # No seed met the criterion.
    assert shown.loc[("at the criterion", "exact match")].to_dict() == {
        "With schema": "",
        "Without": "",
        "Difference": "",
        "Smallest": "",
        "Seeds": "0",
    }
    assert set(table.numbers["models"]) == {"all", "criterion"}


def test_models_where_the_schema_is_needed_are_below_the_others() -> None:
    """Of the models where the schema is needed, one contrast is shown: over all of them.

    The contrast over those at their criterion is left out.
    """
    needed = contrast_models(**two_models(met=False), confidence_level=0.95)
    assert list(needed) == list(NO_CONTRAST)

    is_primary = needed["quantity"] == "r3"
    needed.loc[is_primary, ["schema", "no_schema", "difference"]] = (0.75, 0.5, 0.25)

    table = grounding_contrast.fill(**two_models(met=False), needed=needed, confidence_level=0.95)

    assert list(dict.fromkeys(table.numbers["models"])) == ["all", "criterion", "needed"]

    shown = table.shown.set_index(["Models", "Quantity"])
    columns = ["With schema", "Without", "Difference", "Smallest", "Seeds"]
    primary = "R1 to R3, by the method (primary)"

    assert shown.loc[("all", primary), columns].tolist() == ["25.0", "0.0", "+25.0", "", "1"]
    assert shown.loc[("schema needed", primary), columns].tolist() == [
        "75.0",
        "50.0",
        "+25.0",
        "",
        "1",
    ]


def test_categories_are_means_over_the_seeds_of_the_trained_models() -> None:
    """Two models of one condition and a control, which is in the numbers and not in the cells."""
    shares = {rule.name: 0.5 for rule in RULES} | {"g1": 0.75, "g4": 0.25, "g5": 0.375}
    common = {"category": "db_scramble", "n": 20, "right": 1.0, "paper": 0.0} | shares
    categories = pd.DataFrame(
        [
            common | {"run": "schema-s0", "delta": 1.0, "absent": 0.5, "grounded": 0.25},
            common | {"run": "schema-s1", "delta": 2.0, "absent": 1.0, "grounded": 0.0},
            common | {"run": "relay", "delta": 9.0, "absent": 0.0, "grounded": 1.0},
        ]
    )

    table = grounding_categories.fill(categories=categories)

    numbers = table.numbers.set_index(["model", "category"])
    schema = numbers.loc[("schema", "db_scramble")]

    assert (schema["seeds"], schema["n"]) == (2, 20)
    assert (schema["delta"], schema["absent"]) == (1.5, 0.75)
    assert (schema["absent_lowest"], schema["absent_highest"]) == (0.5, 1)
    assert (schema["grounded_lowest"], schema["grounded_highest"]) == (0, 0.25)
    assert numbers.loc[("relay", "db_scramble"), "grounded"] == 1

    with_schema = {
        "Trained with": "schema",
        "Category": "DB scramble",
        "Gap": "+1.50",
        "Right": "100.0",
        "Absent word": "75.0",
        "G1": "75.0",
        "G4": "25.0",
        "G5": "37.5",
        "G1 to G5": "12.5",
    }

    assert_shows(table, with_schema)


# Rules on controls and models


def test_the_grid_has_a_row_per_point_of_the_thresholds_that_each_set_reads() -> None:
    """R1 to R3 at one point, and G1 to G5 at two, which differ in the unasked share."""
    point = {"tau": 0.4, "alpha": 0.9, "null_quantile": 0.95, "significance": 0.05}
    points = [
        point | {"rules": "paper", "unasked_share": 0.5},
        point | {"rules": "grounded", "unasked_share": 0.25},
        point | {"rules": "grounded", "unasked_share": 0.5},
    ]
    # Of four pairs, how many pass at each of the three points. A control is rightly judged if at
    # least 3 of its pairs pass (grounded_2) or fewer do (any_column).
    n_passing = {
        "grounded_2": (3, 1, 4),
        "any_column": (0, 0, 3),
        "schema-s0": (3, 1, 2),
        "schema-s1": (1, 1, 2),
    }
    rows = []
    for run, counts in n_passing.items():
        for point_of_grid, count in zip(points, counts, strict=True):
            rows.append(point_of_grid | {"run": run, "passed": count, "n": 4, "shortcut": 0.0})

    table = grounding_grid.fill(grid=pd.DataFrame(rows), verdict_share=0.75)

    thresholds = ["tau", "alpha", "null_quantile", "unasked_share", "significance"]
    scores = ["sensitivity", "specificity", "schema", "no_schema"]

    assert list(table.numbers) == ["rules", *thresholds, *scores]
    assert table.numbers["tau"].isna().tolist() == [False, True, True]
    assert table.numbers["unasked_share"].isna().tolist() == [True, False, False]

    # With the schema the mean share of passing pairs is (3/4 + 1/4) / 2 at the first point,
    # (1/4 + 1/4) / 2 at the second and (2/4 + 2/4) / 2 at the third. No model is trained without.
    at_quarter = "alpha 0.9; null quantile 0.95; unasked share 0.25; significance 0.05"
    at_half = "alpha 0.9; null quantile 0.95; unasked share 0.5; significance 0.05"
    assert table.shown.to_numpy().tolist() == [
        ["R1 to R3", "tau 0.4; alpha 0.9", "100.0", "100.0", "50.0", ""],
        ["G1 to G5", at_quarter, "0.0", "100.0", "25.0", ""],
        ["G1 to G5", at_half, "100.0", "0.0", "50.0", ""],
    ]


def verdict_row(run: str, group: str, *, known: str, found: str) -> dict[str, object]:
    """The verdict on one run: half of its pairs pass R1 to R3, and none pass G1 to G5.

    Corrected for the place shortcut, the shares are 0.25 for R1 to R3 and -0.5 for G1 to G5.
    """
    row = {"run": run, "group": group, "n": 40, "known_blocks": known, "found_blocks": found}
    row |= {"right_first": 1.0, "right_elsewhere": 0.25, "prefers_absent": 0.125}
    row |= {rule.name: number / 100 for number, rule in enumerate(RULES, start=1)}
    row |= {
        "paper": 0.5,
        "paper_low": 0.1,
        "paper_high": 0.9,
        "paper_first": 0.75,
        "paper_elsewhere": None,
        "paper_corrected": 0.25,
        "paper_verdict": True,
    }
    row |= {
        "grounded": 0,
        "grounded_low": 0,
        "grounded_high": 0.1,
        "grounded_first": 0.125,
        "grounded_elsewhere": 0,
        "grounded_corrected": -0.5,
        "grounded_verdict": False,
    }
    return row


VERDICT = pd.DataFrame(
    [
        verdict_row("split", "grounded", known="1 3", found="1 3"),
        verdict_row("schema-s1", "trained", known="", found=""),
        verdict_row(FEW_SHOT, "pretrained", known="", found="12"),
    ]
)


def test_the_verdict_has_both_sets_of_rules_and_blocks_of_each_run() -> None:
    shown = grounding_verdict.fill(verdict=VERDICT).shown

    assert shown["Run"].tolist() == [
        "grounded, read in part in blocks 1 and 3",
        "schema, seed 1",
        "smollm2-135m-instruct, few-shot",
    ]
    assert shown.iloc[0].to_dict() == {
        "Run": "grounded, read in part in blocks 1 and 3",
        "R1 to R3, %": "50.0",
        "R1 to R3, corrected, %": "25.0",
        "grounds, R1 to R3": "yes",
        "G1 to G5, %": "0.0",
        "G1 to G5, corrected, %": "0.0",  # a negative share is shown as 0
        "grounds, G1 to G5": "no",
        "Blocks, known": "1 3",
        "Blocks, found": "1 3",
    }
    assert shown["Blocks, known"].tolist() == ["1 3", "", ""]
    assert shown["Blocks, found"].tolist() == ["1 3", "", "12"]


def test_a_further_rule_has_its_share_before_the_blocks_of_the_verdict() -> None:
    verdict = VERDICT.assign(further_mine=[0.25, 0.5, 1.0], further_mine_verdict=True)

    shown = grounding_verdict.fill(verdict=verdict).shown

    assert shown["mine, %"].tolist() == ["25.0", "50.0", "100.0"]
    assert list(shown)[-3:] == ["mine, %", "Blocks, known", "Blocks, found"]


def test_sets_of_rules_name_the_controls_that_they_judge_wrongly() -> None:
    rule_sets = pd.DataFrame(
        [
            ("paper", "sensitivity", 4, 6, 4 / 6, 0.2228, 0.9567, "grounded_1, split"),
            ("paper", "specificity", 0, 0, None, 0.0, 1.0, ""),
            ("grounded", "sensitivity", 6, 6, 1.0, 0.5407, 1.0, ""),
            ("further_mine", "sensitivity", 6, 6, 1.0, 0.5407, 1.0, ""),
        ],
        columns=["rules", "measure", "right", "n", "value", "low", "high", "wrong"],
    )

    shown = grounding_rule_sets.fill(rule_sets=rule_sets).shown

    wrong = "grounded, read in block 1; grounded, read in part in blocks 1 and 3"
    assert shown.to_numpy().tolist() == [
        ["R1 to R3", "sensitivity", "4 of 6", "66.7", "22.3 to 95.7", wrong],
        ["R1 to R3", "specificity", "0 of 0", "", "0.0 to 100.0", ""],
        ["G1 to G5", "sensitivity", "6 of 6", "100.0", "54.1 to 100.0", ""],
        ["mine", "sensitivity", "6 of 6", "100.0", "54.1 to 100.0", ""],
    ]


def test_drawn_controls_have_a_row_for_the_held_out_half_and_a_row_for_all() -> None:
    """The developed half is in the numbers and not in the cells."""
    held_out = {
        "grounded": 10,
        "others": 11,
        "auroc": 0.9,
        "low": 0.75,
        "high": 0.95,
        "lead": 0.25,
        "lead_low": 0.0,
        "lead_high": 0.5,
        "sensitivity": 0.9,
        "sensitivity_n": 10,
        "sensitivity_low": 0.7,
        "sensitivity_high": 1.0,
        "specificity": 0.4,
        "specificity_n": 11,
        "specificity_low": 0.2,
        "specificity_high": 0.8,
        "pairs_right": 0.875,
        "auroc_by_share": 0.85,
    }
    on_all = held_out | {
        "grounded": 20,
        "others": 21,
        "auroc": 0.8,
        "low": 0.6,
        "lead": -0.1,
        "lead_low": -0.2,
        "lead_high": 0.05,
        "specificity": 11 / 21,
        "specificity_low": 0.3,
        "specificity_high": 0.7,
    }
    drawn = pd.DataFrame(
        [
            held_out | {"rules": "grounded", "half": "developed"},
            held_out | {"rules": "grounded", "half": "held_out"},
            on_all | {"rules": "grounded", "half": "all"},
        ]
    )

    table = grounding_drawn.fill(drawn=drawn)

    assert len(table.numbers) == 3

    cells_of_held_out = {
        "Rules": "G1 to G5",
        "Controls": "held out: 10, 11",
        "AUROC": "0.90 (0.75 to 0.95)",
        "AUROC, by share": "0.85",
        "Lead": "+0.25 (0.00 to +0.50)",
        "Sensitivity": "90.0 (70.0 to 100.0)",
        "Specificity": "40.0 (20.0 to 80.0)",
        "Pairs right": "87.5",
    }
    cells_of_all = {
        "Rules": "G1 to G5",
        "Controls": "all: 20, 21",
        "AUROC": "0.80 (0.60 to 0.95)",
        "AUROC, by share": "0.85",
        "Lead": "-0.10 (-0.20 to +0.05)",
        "Sensitivity": "90.0 (70.0 to 100.0)",
        "Specificity": "52.4 (30.0 to 70.0)",
        "Pairs right": "87.5",
    }

    assert_shows(table, cells_of_held_out, cells_of_all)


# Answers and blocks


def test_behaviour_has_a_row_per_run_and_gathers_the_later_places() -> None:
    columns = ["run", "prompt", "column", "n", "right", "low", "high"]
    columns += ["right_db", "right_other", "first", "most_likely"]
    # Column 0 is over all places.
    rows = [
        ("schema-s0", "clean", 0, 15, 7 / 15, 0.2, 0.8, 0.9, 0.1, 0.4, 0.3),
        ("schema-s0", "clean", 1, 4, 0.75, 0, 1, 1, 0, 0.75, 0),
        ("schema-s0", "clean", 2, 5, 0.4, 0, 1, 1, 0, 0.5, 0),
        ("schema-s0", "clean", 3, 4, 0.5, 0, 1, 1, 0, 0.25, 0),
        ("schema-s0", "clean", 4, 2, 0.0, 0, 1, 1, 0, 0.0, 0),
        ("schema-s0", "third", 0, 5, 0.2, 0, 1, 1, 0, 0.0, 0),
        ("schema-s0", "other", 0, 5, 0.6, 0, 1, 1, 0, 0.0, 0),
        (FEW_SHOT, "corrupted", 0, 4, 1.0, 0.3976, 1.0, 1, None, 0.0, 0.25),
    ]

    table = grounding_behaviour.fill(behaviour=pd.DataFrame(rows, columns=columns))

    shown = table.shown.set_index("Run")
    assert shown.loc["schema, seed 0"].to_dict() == {
        "Right, first": "75.0",
        "Right, second": "40.0",
        "Right, later": "33.3",  # 2 of 4 at the third place and 0 of 2 at the fourth
        "Most likely": "30.0",
        "Another request": "60.0",
        "Other column": "",
        "Corrupted": "",
        "Third word": "20.0",
    }

    few_shot = shown.loc["smollm2-135m-instruct, few-shot"]
    assert (few_shot["Corrupted"], few_shot["Right, second"]) == ("100.0", "")


def test_runs_on_the_same_pairs_share_their_rows_of_shortcuts() -> None:
    """`schema-s0` and `relay` have the same 20 pairs, and the pretrained model 4 of its own."""
    rows = []
    for run, n in (("schema-s0", 20), ("relay", 20), (FEW_SHOT, 4)):
        rows.append((run, "db_synonyms", n, 0.5, 0.25, 0.0, 0.75, 1.0))
        rows.append((run, "overall", n, 0.25, 0.5, 0.0, 0.5, 0.125))
    columns = ["run", "category", "n", *PLACE_SHORTCUTS]  # five shortcuts

    table = grounding_shortcuts.fill(shortcuts=pd.DataFrame(rows, columns=columns))

    assert len(table.numbers) == 6
    assert table.shown[["Pairs of", "n"]].drop_duplicates().to_numpy().tolist() == [
        ["schema, seed 0", "20"],
        ["smollm2-135m-instruct, few-shot", "4"],
    ]

    overall = table.shown.iloc[1].to_dict()
    assert overall.pop("Pairs of") == "schema, seed 0"
    assert overall.pop("Category") == "overall"
    # n, then the five shortcuts in percent.
    assert list(overall.values()) == ["20", "25.0", "50.0", "0.0", "50.0", "12.5"]


def test_the_block_with_the_largest_share_and_the_commonest_set_are_named() -> None:
    """The interaction is no block, though its share is the largest.

    In each run the shares of the blocks and of the interaction add up to 1, the whole gap.
    """
    reading = pd.DataFrame(
        [
            ("schema-s0", "denoise", "1", 0.125, 0, 0.2, 9),
            ("schema-s0", "denoise", "10", 0.4, 0.25, 0.75, 9),
            ("schema-s0", "denoise", "2", -0.1, -0.2, 0, 9),
            ("schema-s0", "denoise", "3", 0.0, 0, 0, 9),
            ("schema-s0", "denoise", "interaction", 0.575, 0, 1, 9),
            ("suppressor", "noise", "1", 1.1, 1, 1.2, 9),
            ("suppressor", "noise", "interaction", -0.1, -0.2, 0, 9),
        ],
        columns=["run", "mode", "block", "share", "low", "high", "n"],
    )
    suppressor = {
        "run": "suppressor",
        "n": 4,
        "has_set": 0.0,
        "size": None,
        "all_blocks": 0.0,
        "redundant": 0.0,
        "found_blocks": "",
        "found_share": 0.0,
        "known_blocks": "2",
    }
    schema = {
        "run": "schema-s0",
        "n": 4,
        "has_set": 0.75,
        "size": 5 / 3,
        "all_blocks": 0.5,
        "redundant": 0.25,
        "found_blocks": "1 3",
        "found_share": 0.5,
        "known_blocks": "",
    }

    table = grounding_cut.fill(reading=reading, block_sets=pd.DataFrame([suppressor, schema]))

    of_schema = {
        "Run": "schema, seed 0",
        "Intervention": "denoising",
        "Block": "10",
        "Share": "40.0 (25.0 to 75.0)",
        "Interaction": "57.5",
        "n": "9",
        "Set": "1 3",
        "Pairs with the set": "50.0",
        "Blocks in a set": "1.7",
    }
    of_suppressor = {
        "Run": "lowers the requested column",
        "Intervention": "noising",
        "Block": "1",
        "Share": "110.0 (100.0 to 120.0)",
        "Interaction": "-10.0",
        "n": "9",
        "Set": "",
        "Pairs with the set": "",
        "Blocks in a set": "",
    }

    assert_shows(table, of_schema, of_suppressor)
    assert table.numbers["run"].tolist() == ["suppressor"] * 2 + ["schema-s0"] * 5
    assert table.numbers["redundant"].tolist() == [0.0] * 2 + [0.25] * 5
    assert table.numbers[["n", "pairs"]].drop_duplicates().to_numpy().tolist() == [[9, 4]]


def test_of_blocks_with_equal_shares_the_earliest_is_named() -> None:
    reading = pd.DataFrame(
        [
            ("relay", "noise", "1", 0.25, 0.0, 0.5, 4),
            ("relay", "noise", "2", 0.375, 0.125, 0.5, 4),
            ("relay", "noise", "3", 0.375, 0.25, 0.625, 4),
            ("relay", "noise", "interaction", 0.0, 0.0, 0.0, 4),
        ],
        columns=["run", "mode", "block", "share", "low", "high", "n"],
    )
    sets = {"run": "relay", "n": 4, "size": 1.0, "found_blocks": "1", "found_share": 1.0}

    table = grounding_cut.fill(reading=reading, block_sets=pd.DataFrame([sets]))

    assert table.shown[["Block", "Share"]].to_numpy().tolist() == [["2", "37.5 (12.5 to 50.0)"]]
