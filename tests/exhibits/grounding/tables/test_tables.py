"""The grounding study's tables from a few rows each: every number by hand, or as the paper prints it."""

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
from mechaware.core.frames import read_csv
from mechaware.instruments.grounding.rules.registry import RULES
from mechaware.instruments.grounding.shortcuts import PLACE_SHORTCUTS
from mechaware.instruments.grounding.summaries import REPORTED, contrast_models
from tests.exhibits.grounding.models import NO_CONTRAST, two_models

PRINTED = Path(__file__).resolve().parents[4] / "config/reported"
FEW_SHOT = "smollm2-135m-instruct.few-shot"


def test_accuracy_stands_beside_the_papers_with_interval_and_range_of_the_seeds() -> None:
    accuracy = pd.DataFrame(
        [
            ("schema", "no_schema", "exact_match", 0.5, 0.4, 0.6, 0.45, 0.55, 3, 600),
            ("no_schema", "no_schema", "exact_match", 0.5, 0.4, 0.6, 0.5, 0.5, 1, 600),
        ],
        columns=[
            "trained_with",
            "evaluated_with",
            "metric",
            "value",
            "low",
            "high",
            "lowest",
            "highest",
            "seeds",
            "n",
        ],
    )
    reported = read_csv(PRINTED / "grounding_accuracy.csv", REPORTED)
    table = grounding_accuracy.fill(accuracy=accuracy, reported=reported)
    assert table.numbers["reported"].tolist() == pytest.approx([0, 0.721])  # Table 1
    assert set(table.numbers["place"]) == {"Table 1"}
    assert table.numbers["seeds"].tolist() == [3, 1]
    assert list(table.shown) == [
        "Trained with",
        "Evaluated with",
        "Metric",
        "Reported",
        "Ours",
        "Seeds",
        "n",
    ]
    assert table.shown.to_numpy().tolist() == [
        ["schema", "no schema", "exact match", "0.0", "50.0 (40.0 to 60.0)", "45.0 to 55.0", "600"],
        [
            "no schema",
            "no schema",
            "exact match",
            "72.1",
            "50.0 (40.0 to 60.0)",
            "50.0 to 50.0",
            "600",
        ],
    ]


def test_effects_are_reported_in_logits_and_passes_as_fractions() -> None:
    comparison = pd.DataFrame(
        [
            ("overall", "delta", 2.0, 1.5, 0.5, 0.25, 0.75, 0.4, 0.6, 0.0004, 3, 100),
            ("overall", "r1", 0.9, 0.8, 0.1, 0.0, 0.2, 0.1, 0.1, 0.25, 3, 100),
            ("overall", "r3", 0.7, 0.6, 0.1, -0.05, 0.2, 0.0, 0.2, 0.5, 3, 100),
            ("overall", "r3_embedding", 0.8, 0.7, 0.1, -0.05, 0.2, 0.0, 0.2, 0.5, 3, 100),
        ],
        columns=[
            "category",
            "quantity",
            "schema",
            "no_schema",
            "difference",
            "low",
            "high",
            "lowest",
            "highest",
            "p",
            "seeds",
            "n",
        ],
    )
    reported = read_csv(PRINTED / "grounding_rules.csv", REPORTED)
    table = grounding_rules.fill(comparison=comparison, reported=reported)
    numbers = table.numbers.set_index("quantity")
    assert numbers.loc["delta", "reported_difference"] == 0.93  # Table 2, overall
    assert (numbers.loc["r3", "reported_schema"], numbers.loc["r3", "reported_no_schema"]) == (
        0.76,
        0.59,
    )
    assert numbers.loc[["delta", "r3"], "place"].tolist() == ["Table 2", "Table 2"]
    printed = ["reported_difference", "reported_schema", "reported_no_schema", "place"]
    assert numbers.loc["r1", printed].isna().all()  # the paper prints no R1
    assert numbers["reported_schema"].notna().sum() == 1
    assert "place" not in comparison  # the caller's table is left as it was
    (row,) = table.shown.to_dict("records")
    effect = ["overall", "+0.93", "+0.50 (+0.25 to +0.75)"]
    assert list(row.values()) == [*effect, "76.0", "70.0", "80.0", "59.0", "60.0", "70.0"]


def test_models_have_their_steps_their_exact_match_and_r1_beside_what_normal_gaps_imply() -> None:
    table = grounding_models.fill(**two_models(met=False), tau=0.4)
    schema, _ = table.shown.to_dict("records")
    # The gaps 2, 1, 0, -1 have the mean 0.5 and the variance 5 / 3. P(|gap| >= 0.4) of normal ones, by the normal
    # distribution's values at -0.1 / 1.29099 = -0.07746 and -0.9 / 1.29099 = -0.69714: 0.53087 + 0.24286.
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


def test_contrasts_are_in_points_and_that_of_the_gap_in_logits() -> None:
    table = grounding_contrast.fill(
        **two_models(met=False), needed=NO_CONTRAST, confidence_level=0.95
    )
    shown = table.shown.set_index(["Models", "Quantity"])
    # Means 0.5 and 0.15; one seed has no interval.
    gap = shown.loc[("all", "gap (logits)")]
    assert gap.tolist() == ["+0.50", "+0.15", "+0.35", "", "1"]
    primary = shown.loc[("all", "R1 to R3, by the method (primary)")]
    assert primary.tolist() == ["25.0", "0.0", "+25.0", "", "1"]
    assert shown.loc[("at the criterion", "exact match")].tolist() == ["", "", "", "", "0"]
    assert set(table.numbers["models"]) == {"all", "criterion"}


def test_models_where_the_schema_is_needed_stand_below_the_others() -> None:
    """All of them: those at the criterion are not shown apart there."""
    needed = contrast_models(**two_models(met=False), confidence_level=0.95)
    assert list(needed) == list(NO_CONTRAST)
    needed.loc[needed["quantity"] == "r3", ["schema", "no_schema", "difference"]] = (
        0.75,
        0.5,
        0.25,
    )
    table = grounding_contrast.fill(**two_models(met=False), needed=needed, confidence_level=0.95)
    shown = table.shown.set_index(["Models", "Quantity"])
    assert list(dict.fromkeys(table.numbers["models"])) == ["all", "criterion", "needed"]

    primary = "R1 to R3, by the method (primary)"
    assert shown.loc[("all", primary)].tolist() == ["25.0", "0.0", "+25.0", "", "1"]
    assert shown.loc[("schema needed", primary)].tolist() == ["75.0", "50.0", "+25.0", "", "1"]


OWN = "alpha 0.9; null quantile 0.95"


def test_the_grid_has_a_row_per_point_of_the_thresholds_that_each_set_reads() -> None:
    points = {
        "paper": [(0.4, 0.9, 0.95, 0.5, 0.05)],
        "grounded": [(0.4, 0.9, 0.95, s, 0.05) for s in (0.25, 0.5)],
    }
    passed = {
        "grounded_2": (3, 1, 4),
        "any_column": (0, 0, 3),
        "schema-s0": (3, 1, 2),
        "schema-s1": (1, 1, 2),
    }
    every_point = [(rules, point) for rules, of_rules in points.items() for point in of_rules]
    rows = []
    for run, of_run in passed.items():
        for (rules, point), n_passed in zip(every_point, of_run, strict=True):
            rows.append((rules, run, *point, n_passed, 4))
    columns = [
        "rules",
        "run",
        "tau",
        "alpha",
        "null_quantile",
        "unasked_share",
        "significance",
        "passed",
        "n",
    ]
    table = grounding_grid.fill(
        grid=pd.DataFrame(rows, columns=columns).assign(shortcut=0.0), verdict_share=0.75
    )
    assert list(table.numbers) == [
        "rules",
        *columns[2:7],
        "sensitivity",
        "specificity",
        "schema",
        "no_schema",
    ]
    assert table.numbers["tau"].isna().tolist() == [False, True, True]
    assert table.numbers["unasked_share"].isna().tolist() == [True, False, False]
    # Three of four pairs pass; of the models with the schema (3/4 + 1/4) / 2, and none was trained without it.
    assert table.shown.to_numpy().tolist() == [
        ["R1 to R3", "tau 0.4; alpha 0.9", "100.0", "100.0", "50.0", ""],
        ["G1 to G5", f"{OWN}; unasked share 0.25; significance 0.05", "0.0", "100.0", "25.0", ""],
        ["G1 to G5", f"{OWN}; unasked share 0.5; significance 0.05", "100.0", "0.0", "50.0", ""],
    ]


def verdict_row(
    run: str, group: str, *, passes: float, known: str, found: str
) -> dict[str, object]:
    row = {"run": run, "group": group, "n": 40, "known_blocks": known, "found_blocks": found}
    row |= {"right_first": 1.0, "right_elsewhere": 0.25, "prefers_absent": 0.125}
    row |= {rule.name: number / 100 for number, rule in enumerate(RULES, start=1)}
    for rules, of_set in (
        ("paper", (passes, 0.1, 0.9, 0.75, None, 0.25, True)),
        ("grounded", (0, 0, 0.1, 0.125, 0, -0.5, False)),
    ):
        names = (
            f"{rules}{part}"
            for part in ("", "_low", "_high", "_first", "_elsewhere", "_corrected", "_verdict")
        )
        row |= dict(zip(names, of_set, strict=True))
    return row


VERDICT = pd.DataFrame(
    [
        verdict_row("split", "grounded", passes=0.5, known="1 3", found="1 3"),
        verdict_row("schema-s1", "trained", passes=0.5, known="", found=""),
        verdict_row(FEW_SHOT, "pretrained", passes=0.5, known="", found="12"),
    ]
)


def test_the_verdict_has_both_sets_of_rules_and_blocks_of_each_run() -> None:
    shown = grounding_verdict.fill(
        verdict=VERDICT.assign(further_mine=0.5, further_mine_verdict=True)
    ).shown
    assert shown["mine, %"].tolist() == ["50.0"] * 3  # a further rule
    assert list(shown)[-3:] == ["mine, %", "Blocks, known", "Blocks, found"]
    assert shown["Run"].tolist() == [
        "grounded, read in part in blocks 1 and 3",
        "schema, seed 1",
        "smollm2-135m-instruct, few-shot",
    ]
    first = shown.iloc[0].to_dict()
    assert (first["R1 to R3, %"], first["R1 to R3, corrected, %"]) == ("50.0", "25.0")
    assert first["grounds, R1 to R3"] == "yes"
    assert (first["G1 to G5, %"], first["G1 to G5, corrected, %"]) == ("0.0", "0.0")
    assert first["grounds, G1 to G5"] == "no"
    assert shown["Blocks, known"].tolist() == ["1 3", "", ""]
    assert shown["Blocks, found"].tolist() == ["1 3", "", "12"]


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
    assert grounding_rule_sets.fill(rule_sets=rule_sets).shown.to_numpy().tolist() == [
        [
            "R1 to R3",
            "sensitivity",
            "4 of 6",
            "66.7",
            "22.3 to 95.7",
            "grounded, read in block 1; grounded, read in part in blocks 1 and 3",
        ],
        ["R1 to R3", "specificity", "0 of 0", "", "0.0 to 100.0", ""],
        ["G1 to G5", "sensitivity", "6 of 6", "100.0", "54.1 to 100.0", ""],
        ["mine", "sensitivity", "6 of 6", "100.0", "54.1 to 100.0", ""],
    ]


def test_drawn_controls_are_shown_by_the_held_out_half_and_their_areas_on_all_beside_it() -> None:
    of_half = (10, 10, 1.0, 0.75, 1.0, 0.25, 0.0, 0.5, 1.0, 10, 0.7, 1.0, 0.5, 10, 0.2, 0.8, 0.875)
    columns = [
        "rules",
        "half",
        "grounded",
        "others",
        "auroc",
        "low",
        "high",
        "lead",
        "lead_low",
        "lead_high",
    ]
    for name in ("sensitivity", "specificity"):
        columns += [name, f"{name}_n", f"{name}_low", f"{name}_high"]
    drawn = pd.DataFrame(
        [("grounded", half, *of_half, 0.9) for half in ("developed", "held_out", "all")],
        columns=[*columns, "pairs_right", "auroc_by_share"],
    )
    drawn.loc[drawn["half"] == "all", ["auroc", "low", "high"]] = (0.8, 0.6, 0.9)
    drawn.loc[drawn["half"] == "all", ["lead", "lead_low", "lead_high"]] = (-0.1, -0.2, 0.05)
    drawn.loc[drawn["half"] == "all", ["grounded", "others"]] = (20, 21)
    specificity = ["specificity", "specificity_low", "specificity_high"]
    drawn.loc[drawn["half"] == "all", specificity] = (11 / 21, 0.3, 0.7)
    table = grounding_drawn.fill(drawn=drawn)
    assert len(table.numbers) == 3
    held_out, on_all = table.shown.to_dict("records")
    assert held_out == {
        "Rules": "G1 to G5",
        "Controls": "held out: 10, 10",
        "AUROC": "1.00 (0.75 to 1.00)",
        "AUROC, by share": "0.90",
        "Lead": "+0.25 (0.00 to +0.50)",
        "Sensitivity": "100.0 (70.0 to 100.0)",
        "Specificity": "50.0 (20.0 to 80.0)",
        "Pairs right": "87.5",
    }
    assert on_all == held_out | {
        "Controls": "all: 20, 21",
        "AUROC": "0.80 (0.60 to 0.90)",
        "Lead": "-0.10 (-0.20 to +0.05)",
        "Specificity": "52.4 (30.0 to 70.0)",
    }


def test_behaviour_has_a_row_per_run_and_gathers_the_later_places() -> None:
    columns = ["run", "prompt", "column", "n", "right", "low", "high"]
    columns += ["right_db", "right_other", "first", "most_likely"]
    rows = [
        ("schema-s0", "clean", 0, 10, 0.5, 0.2, 0.8, 0.9, 0.1, 0.4, 0.3),
        ("schema-s0", "clean", 1, 4, 0.75, 0, 1, 1, 0, 0.75, 0),
        ("schema-s0", "clean", 3, 4, 0.5, 0, 1, 1, 0, 0.25, 0),
        ("schema-s0", "clean", 4, 2, 0.0, 0, 1, 1, 0, 0.0, 0),
        ("schema-s0", "third", 0, 5, 0.2, 0, 1, 1, 0, 0.0, 0),
        ("schema-s0", "other", 0, 5, 0.6, 0, 1, 1, 0, 0.0, 0),
        (FEW_SHOT, "corrupted", 0, 4, 1.0, 0.3976, 1.0, 1, None, 0.0, 0.25),
    ]
    shown = grounding_behaviour.fill(behaviour=pd.DataFrame(rows, columns=columns)).shown.set_index(
        "Run"
    )
    assert shown.loc["schema, seed 0"].to_dict() == {
        "Right, first": "75.0",
        "Right, second": "",
        "Right, later": "33.3",  # 2 of 4 and 0 of 2
        "Most likely": "30.0",
        "Another request": "60.0",
        "Other column": "",
        "Corrupted": "",
        "Third word": "20.0",
    }
    few_shot = shown.loc["smollm2-135m-instruct, few-shot"]
    assert (few_shot["Corrupted"], few_shot["Right, first"]) == ("100.0", "")


def test_runs_on_the_same_pairs_share_their_rows_of_shortcuts() -> None:
    rows = []
    for run, n in (("schema-s0", 20), ("relay", 20), (FEW_SHOT, 4)):
        rows += [
            (run, "db_synonyms", n, 0.5, 0.25, 0.0, 0.75, 1.0),
            (run, "overall", n, 0.25, 0.5, 0.0, 0.5, 0.125),
        ]
    table = grounding_shortcuts.fill(
        shortcuts=pd.DataFrame(rows, columns=["run", "category", "n", *PLACE_SHORTCUTS])
    )
    assert len(table.numbers) == 6
    assert table.shown[["Pairs of", "n"]].drop_duplicates().to_numpy().tolist() == [
        ["schema, seed 0", "20"],
        ["smollm2-135m-instruct, few-shot", "4"],
    ]
    assert table.shown.iloc[1].tolist()[1:] == [
        "overall",
        "20",
        "25.0",
        "50.0",
        "0.0",
        "50.0",
        "12.5",
    ]


def test_categories_are_means_over_the_seeds_of_the_trained_models() -> None:
    shares = {rule.name: 0.5 for rule in RULES} | {"paper": 0.0}
    rows = [
        {
            "run": run,
            "category": "db_scramble",
            "n": 20,
            "delta": gap,
            "right": 1.0,
            "absent": absent,
            "grounded": g,
        }
        | shares
        for run, gap, absent, g in (
            ("schema-s0", 1.0, 0.5, 0.25),
            ("schema-s1", 2.0, 1.0, 0.0),
            ("relay", 9.0, 0, 1.0),
        )
    ]
    table = grounding_categories.fill(categories=pd.DataFrame(rows))
    numbers = table.numbers.set_index(["model", "category"])
    assert numbers.loc[("schema", "db_scramble"), ["seeds", "n", "delta", "absent"]].tolist() == [
        2,
        20,
        1.5,
        0.75,
    ]
    assert numbers.loc[("relay", "db_scramble"), "grounded"] == 1
    assert table.shown.to_numpy().tolist() == [
        ["schema", "DB scramble", "+1.50", "100.0", "75.0", *["50.0"] * 3, "12.5"]
    ]


READING = ["run", "mode", "block", "share", "low", "high", "n"]


def test_the_block_with_the_largest_share_and_the_commonest_set_are_named() -> None:
    rows = [
        ("schema-s0", "denoise", "1", 0.125, 0, 0.2, 9),
        ("schema-s0", "denoise", "10", 0.5, 0.25, 0.75, 9),
        ("schema-s0", "denoise", "2", -0.1, -0.2, 0, 9),
        ("schema-s0", "denoise", "3", 0.0, 0, 0, 9),
        ("schema-s0", "denoise", "interaction", 0.475, 0, 1, 9),
        ("suppressor", "noise", "1", 1.1, 1, 1.2, 9),
        ("suppressor", "noise", "interaction", -0.1, -0.2, 0, 9),
    ]
    columns = [
        "run",
        "n",
        "has_set",
        "size",
        "all_blocks",
        "redundant",
        "found_blocks",
        "found_share",
        "known_blocks",
    ]
    sets = [
        ("suppressor", 4, 0.0, None, 0, 0.0, "", 0.0, "2"),
        ("schema-s0", 4, 0.75, 5 / 3, 0.5, 0.25, "1 3", 0.5, ""),
    ]
    table = grounding_cut.fill(
        reading=pd.DataFrame(rows, columns=READING), block_sets=pd.DataFrame(sets, columns=columns)
    )
    assert table.shown.to_numpy().tolist() == [
        [
            "schema, seed 0",
            "denoising",
            "10",
            "50.0 (25.0 to 75.0)",
            "47.5",
            "9",
            "1 3",
            "50.0",
            "1.7",
        ],
        [
            "lowers the requested column",
            "noising",
            "1",
            "110.0 (100.0 to 120.0)",
            "-10.0",
            "9",
            "",
            "",
            "",
        ],
    ]
    assert table.numbers["run"].tolist() == ["suppressor"] * 2 + ["schema-s0"] * 5
    assert table.numbers["redundant"].tolist() == [0.0] * 2 + [0.25] * 5
    assert table.numbers[["n", "pairs"]].drop_duplicates().to_numpy().tolist() == [[9, 4]]
