"""The table of categories shows means over seeds, of trained models only."""

import pandas as pd

from exhibits.grounding.tables import grounding_categories
from mechaware.instruments.grounding.rules.registry import RULES
from tests.exhibits.grounding.tables.shown_rows import assert_shows


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
