"""The table of rules shows effects in logits and pass rates in percent, beside the paper's."""

import pandas as pd

from exhibits.grounding.tables import grounding_rules
from mechaware.core.frames import read_csv
from mechaware.instruments.grounding.training_conditions import REPORTED
from tests.checkout import REPOSITORY
from tests.exhibits.grounding.tables.shown_rows import assert_shows


def test_effects_are_in_logits_and_pass_rates_in_percent_beside_the_papers() -> None:
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
    reported = read_csv(REPOSITORY / "config/reported/grounding_rules.csv", REPORTED)

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
