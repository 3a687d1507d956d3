"""Both grids of thresholds counted by hand, and what their points say of controls and trained models."""

import pandas as pd
import pytest

from mechaware.grounding.study.thresholds import grounded_grid, paper_grid, scored_grid
from tests.unit.grounding.measured_by_hand import THRESHOLDS, HandPair, measured, several


def denoised(run: str, pair: str, delta: float, *shifts: float) -> list[tuple[object, ...]]:
    """A pair with corrupted difference 0, and the differences with layers 1, 2, ... patched."""
    return [(run, pair, "db_synonyms", layer, delta, 0.0, value) for layer, value in enumerate((delta, *shifts))]


def test_the_papers_grid_counts_passes_at_every_pair_of_thresholds() -> None:
    rows = [
        # Run a. Shares of the gap at the layers 1, 2, 3; L*_i; the TopLayers at alpha 0.5 and at 0.9:
        *denoised("a", "p0", 2.0, 0.8, 1.8, 0.0),  # 0.4, 0.9, 0      2    {2}     {2}
        *denoised("a", "p1", -1.0, -0.6, -0.5, -0.8),  # 0.6, 0.5, 0.8    3    {1 2 3} {}
        *denoised("a", "p2", 0.5, 0.5, 0.0, 0.25),  # 1, 0, 0.5        1    {1 3}   {1}
        *denoised("a", "p3", 0.2, 0.1, 0.2, 0.18),  # 0.5, 1, 0.9      2    {1 2 3} {2 3}
        *denoised("b", "p0", 1.0, -1.0, -1.0, -1.0),
    ]
    names = ["run", "pair", "category", "layer", "clean_diff", "corrupted_diff", "patched_diff"]
    # L* of run a is 2. |delta| is 2, 1, 0.5, 0.2.
    expected = {
        # R1: p0-p3; R2 at 0.5: all, at 0.9: p0, p2, p3; R3 at 0.5: p0, p1, p3 (2 is in all but p2's), at 0.9: p0, p3
        ("a", 0.2, 0.5): (4, 4, 3),
        ("a", 0.2, 0.9): (4, 3, 2),
        # R1: p0, p1, p2
        ("a", 0.5, 0.5): (3, 3, 2),
        ("a", 0.5, 0.9): (3, 2, 1),
        # R1: p0
        ("a", 1.5, 0.5): (1, 1, 1),
        ("a", 1.5, 0.9): (1, 1, 1),
        # R1 at 0.2 and 0.5 only; nothing is recovered
        ("b", 0.2, 0.5): (1, 0, 0),
        ("b", 0.2, 0.9): (1, 0, 0),
        ("b", 0.5, 0.5): (1, 0, 0),
        ("b", 0.5, 0.9): (1, 0, 0),
        ("b", 1.5, 0.5): (0, 0, 0),
        ("b", 1.5, 0.9): (0, 0, 0),
    }
    grid = paper_grid(pd.DataFrame(rows, columns=names), [0.2, 0.5, 1.5], [0.5, 0.9])
    found = {(r.run, r.tau, r.alpha): (r.r1, r.r2, r.r3) for r in grid.itertuples()}
    assert found == expected
    assert len(grid) == len(expected)
    assert list(grid["n"]) == [4 if run == "a" else 1 for run in grid["run"]]


def test_the_grounded_grid_counts_pairs_of_which_all_rules_hold_at_every_point() -> None:
    pair = HandPair(category="db_scramble")
    runs = {
        "grounded_2": measured(
            several(
                in_two=pair._replace(recovered=(0.85, 1.0, 1.0)),  # one block at alpha 0.8, two at 0.9
                other=pair._replace(unasked=1.5),  # 0.375 of the gap
                backwards=pair._replace(clean=-2.0, corrupted=2.0),  # fails G1 everywhere
            )
        ),
        "schema_blind": measured({"p0": pair._replace(clean=1.0, corrupted=1.0)}),
    }
    grid = grounded_grid(
        runs,
        # Those of the two series; R1 to R3, which hold of no pair at tau 9, count for nothing.
        THRESHOLDS._replace(tau=9.0, alpha=0.9, most_blocks=2, unasked_share=0.5),
        alphas=[0.8, 0.9],
        most_blocks=[1, 2],
        unasked_shares=[0.25, 0.5],
        null_quantiles=[0.95, 0.5],
        significances=[0.05, 1e-9],
    )
    others = grid[(grid["null_quantile"] != 0.95) | (grid["significance"] != 0.05)]
    grid = grid.drop(others.index)  # a point of both parts is there once
    of_others = {(r.run, r.null_quantile, r.significance): r.passed for r in others.itertuples()}
    # No pair has an irrelevant effect; no p-value of G3 is below one in a thousand.
    assert of_others == {
        ("grounded_2", 0.5, 0.05): 8,
        ("grounded_2", 0.95, 1e-9): 0,
        ("schema_blind", 0.5, 0.05): 0,
        ("schema_blind", 0.95, 1e-9): 0,
    }
    found = {(r.run, r.alpha, r.most_blocks, r.unasked_share): (r.passed, r.n) for r in grid.itertuples()}
    assert found == {
        ("grounded_2", 0.8, 1, 0.25): (7, 9),  # p0 to p5 and in_two
        ("grounded_2", 0.8, 1, 0.5): (8, 9),  # and other
        ("grounded_2", 0.8, 2, 0.25): (7, 9),
        ("grounded_2", 0.8, 2, 0.5): (8, 9),
        ("grounded_2", 0.9, 1, 0.25): (6, 9),
        ("grounded_2", 0.9, 1, 0.5): (7, 9),
        ("grounded_2", 0.9, 2, 0.25): (7, 9),
        ("grounded_2", 0.9, 2, 0.5): (8, 9),
        **{("schema_blind", a, m, s): (0, 1) for a in (0.8, 0.9) for m in (1, 2) for s in (0.25, 0.5)},
    }
    assert len(grid) == 16


GRID = pd.DataFrame(
    [
        (run, tau, passed, 4)
        for run, at in {
            "grounded_1": (4, 2),
            "grounded_2": (2, 1),
            "relay": (1, 0),
            "first_column": (3, 2),
            "schema_blind": (0, 0),
            "schema-s0": (4, 1),
            "schema-s1": (2, 0),
            "no_schema-s0": (1, 0),
            "smollm2.few-shot": (3, 3),
        }.items()
        for tau, passed in zip((0.4, 1.0), at, strict=True)
    ],
    columns=["run", "tau", "r3", "n"],
)


def test_a_point_of_a_grid_has_sensitivity_specificity_and_the_rates_of_both_conditions() -> None:
    table = scored_grid(GRID, ["tau"], "r3", 0.5).set_index("tau")
    assert list(table.columns) == ["sensitivity", "specificity", "schema", "no_schema"]
    # At 0.4: half of the pairs or more pass in two of three controls that ground, and in one of two shortcuts.
    assert table.loc[0.4].tolist() == pytest.approx([2 / 3, 1 / 2, (4 / 4 + 2 / 4) / 2, 1 / 4])
    assert table.loc[1.0].tolist() == pytest.approx([1 / 3, 1 / 2, 1 / 8, 0])
    # More than 3 of 4 pairs pass in one control that grounds, and in no shortcut.
    assert scored_grid(GRID, ["tau"], "r3", 0.76).loc[0, ["sensitivity", "specificity"]].tolist() == [1 / 3, 1]


def test_a_grid_of_several_thresholds_has_a_row_per_point() -> None:
    grid = pd.concat([GRID.assign(alpha=0.9), GRID.assign(alpha=0.5, r3=GRID["n"])], ignore_index=True)
    table = scored_grid(grid, ["tau", "alpha"], "r3", 0.5).set_index(["tau", "alpha"])
    assert len(table) == 4
    assert table.loc[(1.0, 0.5)].tolist() == [1, 0, 1, 1]
    assert table.loc[(1.0, 0.9)].tolist() == pytest.approx([1 / 3, 1 / 2, 1 / 8, 0])


def test_a_grid_without_controls_says_nothing_of_them() -> None:
    trained = GRID[GRID["run"].str.contains("schema-s")]
    table = scored_grid(trained, ["tau"], "r3", 0.5)
    assert table[["sensitivity", "specificity"]].isna().all(axis=None)
    assert table["schema"].tolist() == pytest.approx([3 / 4, 1 / 8])
