"""The grounding study's numbers for the paper's text."""

from mechaware.grounding.schemas import ACCURACY, COMPARISON, CONTROLS, RECOVERY, TRIANGULATION
from mechaware.report.values import IMPLIED, Quantity, TableValues

_RULES = {
    "difference": Quantity("difference", "logits or fraction", "low", "high", "n", "reported_difference"),
    "p": Quantity("p", "p-value", n="n"),
    "schema": Quantity("schema", "logits or fraction", n="n", reported="reported_schema"),
    "no_schema": Quantity("no_schema", "logits or fraction", n="n", reported="reported_no_schema"),
}
VALUES = {
    "grounding_accuracy": TableValues(
        ("run", "evaluated_with", "metric"),
        {"value": Quantity("value", "fraction", "low", "high", "n", "reported")},
        schema=ACCURACY,
    ),
    "grounding_rules": TableValues(("category", "quantity"), _RULES, schema=COMPARISON),
    "grounding_controls": TableValues(
        ("run", "rule"),
        {
            "found": Quantity("found", "fraction", "low", "high", "n"),
            "expected": Quantity("expected", "fraction"),
            "layer": Quantity("found_layer", "layer"),
            "clean_right": Quantity("clean_right", "fraction", n="n"),
        },
        schema=CONTROLS,
    ),
    "grounding_triangulation": TableValues(
        ("run", "mode"),
        {
            "r2": Quantity("r2", "pairs", n="n"),
            "r3": Quantity("r3", "pairs", n="n"),
            "same_r3": Quantity("same_r3", "pairs", n="n"),
        },
        schema=TRIANGULATION,
    ),
    "grounding_implied": IMPLIED,
    "recovery": TableValues(
        ("run", "mode", "layer"),
        {"recovered": Quantity("recovered", "share of the gap", "low", "high", "n")},
        schema=RECOVERY,
    ),
}
