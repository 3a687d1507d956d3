"""The table of accuracies has ours, with interval and range over seeds, beside the paper's."""

import pandas as pd
import pytest

from exhibits.grounding.tables import grounding_accuracy
from mechaware.core.frames import read_csv
from mechaware.instruments.grounding.training_conditions import REPORTED
from tests.checkout import REPOSITORY
from tests.exhibits.grounding.tables.shown_rows import assert_shows


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
    reported = read_csv(REPOSITORY / "config/reported/grounding_accuracy.csv", REPORTED)

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
