"""Steps, criterion and exact match of trained models, from histories and scores of a few rows."""

from pathlib import Path

import pandas as pd
import pytest

from mechaware.planted.sql.history import trained_table

# Exact match on validation rows at each evaluation, every 50 steps; seed 4 never reaches 0.94.
CURVES = {
    "schema-s2": [0.5, 0.95],
    "no_schema-s2": [0.5, 0.75],
    "schema-s4": [0.25, 0.5, 0.925],
    "no_schema-s4": [0.25, 0.5, 0.975],
}
# The number of right answers to four test requests: with the schema, and without it.
RIGHT = {
    "schema-s2": (3, 0),
    "no_schema-s2": (0, 2),
    "schema-s4": (1, 2),
    "no_schema-s4": (4, 0),
}


def table_of(folder: Path, *, criterion: float = 0.94) -> pd.DataFrame:
    """The table by run, from the histories of `CURVES` and the scores of `RIGHT`."""
    models = []
    for run, curve in CURVES.items():
        model = folder / run
        model.mkdir()
        models.append(model)
        history = pd.DataFrame(
            {
                "step": range(50, 50 * len(curve) + 1, 50),
                "loss": 1.0,
                "held_out_loss": 2.0,
                "held_out_exact_match": curve,
            }
        )
        history.to_csv(model / "history.csv", index=False)

    scores = []
    for run, (right_with_schema, right_without) in RIGHT.items():
        for request in range(4):
            scores.append((run, request, "schema", request < right_with_schema))
            scores.append((run, request, "no_schema", request < right_without))
    by_request = pd.DataFrame(scores, columns=["run", "row", "evaluated_with", "exact_match"])
    table = trained_table(models, by_request, criterion=criterion, confidence_level=0.95)
    return table.set_index("run")


def test_both_models_of_a_seed_meet_the_criterion_if_the_one_with_the_schema_does(
    tmp_path: Path,
) -> None:
    table = table_of(tmp_path)
    assert table["met_criterion"].to_dict() == {
        "schema-s2": True,
        "no_schema-s2": True,
        "schema-s4": False,
        "no_schema-s4": False,
    }


def test_an_exact_match_as_high_as_the_criterion_meets_it(tmp_path: Path) -> None:
    # `schema-s2` ends with 0.95, `schema-s4` with 0.925.
    met = table_of(tmp_path, criterion=0.95)["met_criterion"]
    assert met.tolist() == [True, True, False, False]


def test_seed_steps_and_exact_match_are_those_of_the_last_evaluation(tmp_path: Path) -> None:
    table = table_of(tmp_path)
    assert table["seed"].tolist() == [2, 2, 4, 4]
    assert table["steps"].tolist() == [100, 100, 150, 150]
    assert table["held_out_exact_match"].tolist() == [0.95, 0.75, 0.925, 0.975]


def test_exact_match_is_the_share_right_under_the_condition_of_training(tmp_path: Path) -> None:
    table = table_of(tmp_path)
    assert table["exact_match"].tolist() == [3 / 4, 2 / 4, 1 / 4, 0]
    assert table["n"].tolist() == [4] * 4
    # The exact interval for 0 right of 4 begins at 0 and ends where (1 - high)^4 = 0.025.
    assert table.loc["no_schema-s4", "low"] == 0
    assert table.loc["no_schema-s4", "high"] == pytest.approx(1 - 0.025**0.25)


def test_without_a_criterion_none_is_met(tmp_path: Path) -> None:
    assert not table_of(tmp_path, criterion=0.0)["met_criterion"].any()
