"""The grounding study's numbers for the paper's text."""

from mechaware.grounding.rules.listed import RULE_SETS as LABELS
from mechaware.grounding.schemas import ACCURACY, COMPARISON, MODEL_CATEGORIES, READING, RULE_SETS, SUBJECTS, VERDICT
from mechaware.report.values import IMPLIED, Quantity, TableValues

_COMPARED = {
    "difference": Quantity("difference", "logits or fraction", "low", "high", "n", "reported_difference"),
    "p": Quantity("p", "p-value", n="n"),
    "schema": Quantity("schema", "logits or fraction", n="n", reported="reported_schema"),
    "no_schema": Quantity("no_schema", "logits or fraction", n="n", reported="reported_no_schema"),
}
_OF_SETS = {
    name: quantity
    for rule_set in LABELS
    for name, quantity in {
        rule_set: Quantity(rule_set, "fraction", f"{rule_set}_low", f"{rule_set}_high", "n"),
        f"{rule_set}_first": Quantity(f"{rule_set}_first", "fraction"),
        f"{rule_set}_elsewhere": Quantity(f"{rule_set}_elsewhere", "fraction"),
        f"{rule_set}_verdict": Quantity(f"{rule_set}_verdict", "true or false"),
    }.items()
}
_PLACES = ("right_first", "right_elsewhere")
VALUES = {
    "grounding_accuracy": TableValues(
        ("trained_with", "evaluated_with", "metric"),
        {
            "value": Quantity("value", "fraction", "low", "high", "n", "reported"),
            "lowest": Quantity("lowest", "fraction", n="seeds"),
            "highest": Quantity("highest", "fraction", n="seeds"),
        },
        schema=ACCURACY,
    ),
    "grounding_rules": TableValues(("category", "quantity"), _COMPARED, schema=COMPARISON),
    "grounding_verdict": TableValues(
        ("run",),
        {
            **{name: Quantity(name, "fraction", f"{name}_low", f"{name}_high", f"{name}_n") for name in _PLACES},
            "prefers_absent": Quantity("prefers_absent", "fraction", n="n"),
            "r1": Quantity("r1", "fraction", n="n"),
            "grounded_but_g4": Quantity("grounded_but_g4", "fraction", n="n"),
            **_OF_SETS,
        },
        schema=VERDICT,
    ),
    "grounding_categories": TableValues(
        ("model", "category"),
        {
            "absent": Quantity("absent", "fraction", "absent_lowest", "absent_highest", "seeds"),
            "grounded": Quantity("grounded", "fraction", "grounded_lowest", "grounded_highest", "seeds"),
            "both_answers": Quantity("both_answers", "fraction", n="seeds"),
        },
        schema=MODEL_CATEGORIES,
    ),
    "grounding_rule_sets": TableValues(
        ("rules", "measure"),
        {
            "value": Quantity("value", "fraction", "low", "high", "n"),
            "right": Quantity("right", "controls", n="n"),
            "wrong": Quantity("wrong", "text"),
        },
        schema=RULE_SETS,
    ),
    "grounding_implied": IMPLIED,
    "grounding_subjects": TableValues(
        ("subjects", "run"),
        {
            "parameters": Quantity("parameters", "weights"),
            "exact_match": Quantity("exact_match", "fraction"),
            "right_first": Quantity("right_first", "fraction"),
            "right_elsewhere": Quantity("right_elsewhere", "fraction"),
            "r1": Quantity("r1", "fraction", n="n"),
            "known_blocks": Quantity("known_blocks", "blocks"),
            "top_block": Quantity("top_block", "block"),
            "top_share": Quantity("top_share", "share of the gap"),
            **{name: Quantity(name, "fraction", f"{name}_low", f"{name}_high", "n") for name in LABELS},
            **{f"{name}_verdict": Quantity(f"{name}_verdict", "true or false") for name in LABELS},
        },
        schema=SUBJECTS,
    ),
    "reading": TableValues(
        ("run", "mode", "block"),
        {"share": Quantity("share", "share of the gap", "low", "high", "n")},
        schema=READING,
    ),
}
