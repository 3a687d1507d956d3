"""The table of thresholds has a row for each point of the thresholds that a set of rules reads."""

import pandas as pd

from exhibits.grounding.tables import grounding_grid


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
