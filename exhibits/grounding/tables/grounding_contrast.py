"""What training with the schema changes, over seeds,
and the smallest change that these seeds would show.
"""

import pandas as pd

from exhibits.report.tables import Table, percent, points, signed, signed_interval, with_interval
from mechaware.instruments.grounding.rules.registry import RULE_SETS, VARIANTS
from mechaware.instruments.grounding.training_conditions import PRIMARY, contrast_models

READS = {
    "rules": "results/grounding/rules.parquet",
    "trained": "results/grounding/trained.parquet",
    "needed": "results/grounding/schema_needed/contrast.parquet",
}
CONFIG = {"confidence_level": "confidence_level"}

MODEL_LABELS = {"all": "all", "criterion": "at the criterion", "needed": "schema needed"}
QUANTITY_LABELS = {
    "exact_match": "exact match",
    "delta": "gap (logits)",
    "r1": "R1",
    "r1_signed": "R1, signed gap",
    "r2": "R1 and R2",
    "r3": f"{RULE_SETS['paper']}, by the method",
    "r3_top": VARIANTS["paper_top"].label,
    "r3_signed": VARIANTS["paper_signed"].label,
    "r3_embedding": VARIANTS["paper_embedding"].label,
    "r3_both": VARIANTS["paper_both"].label,
    "grounded": RULE_SETS["grounded"],
    "g4": "G4",
    "g5": "G5",
}


def fill(
    *, rules: pd.DataFrame, trained: pd.DataFrame, needed: pd.DataFrame, confidence_level: float
) -> Table:
    """One row per set of models and quantity; shares are in percent, their differences in points.

    `needed` is the contrast of the models that are trained where the schema is needed, without a
    row if there are none.
    """
    numbers = contrast_models(rules, trained, confidence_level=confidence_level)
    where_needed = needed[needed["models"] == "all"].assign(models="needed")
    if len(where_needed):
        numbers = pd.concat([numbers, where_needed], ignore_index=True)

    rows = []
    for _, of_quantity in numbers.iterrows():
        row = {
            "Models": MODEL_LABELS[of_quantity["models"]],
            "Quantity": _label(of_quantity["quantity"]),
        }
        row |= _cells(of_quantity)
        row["Seeds"] = str(of_quantity["seeds"])
        rows.append(row)
    return Table(numbers, pd.DataFrame(rows))


def _label(quantity: str) -> str:
    label = QUANTITY_LABELS[quantity]
    return f"{label} (primary)" if quantity == PRIMARY else label


def _cells(row: pd.Series) -> dict[str, str]:
    """The numbers of a row as text; a difference of logits is none of percentages."""
    if row["quantity"] == "delta":
        interval = signed_interval(row["low"], row["high"])
        difference = with_interval(signed(row["difference"]), interval)
        return {
            "With schema": signed(row["schema"]),
            "Without": signed(row["no_schema"]),
            "Difference": difference,
            "Smallest": signed(row["smallest"]).removeprefix("+"),
        }
    return {
        "With schema": percent(row["schema"]),
        "Without": percent(row["no_schema"]),
        "Difference": points(row["difference"], row["low"], row["high"]),
        "Smallest": percent(row["smallest"]),
    }
