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

# In `criterion` are the seeds whose model with the schema met the criterion that ends training.
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
    """One row per set of models and quantity, as in `contrast_models`.

    `needed` is the same contrast of models that were trained on requests that cannot be answered
    without the schema; only its rows over all seeds are added. It has no rows if the config has no
    seeds of such models. In the cells shares are in percent, their differences in percentage
    points, and gaps in logits.
    """
    numbers = contrast_models(rules, trained, confidence_level=confidence_level)
    where_needed = needed[needed["models"] == "all"].assign(models="needed")
    if len(where_needed):
        numbers = pd.concat([numbers, where_needed], ignore_index=True)

    rows = []
    for _, contrast in numbers.iterrows():
        row = {
            "Models": MODEL_LABELS[contrast["models"]],
            "Quantity": _label(contrast["quantity"]),
        }
        row |= _cells(contrast)
        row["Seeds"] = str(contrast["seeds"])
        rows.append(row)
    return Table(numbers, pd.DataFrame(rows))


def _label(quantity: str) -> str:
    label = QUANTITY_LABELS[quantity]
    return f"{label} (primary)" if quantity == PRIMARY else label


def _cells(contrast: pd.Series) -> dict[str, str]:
    """The numbers of a contrast as text: the gap (`delta`) is in logits, all others are shares."""
    if contrast["quantity"] == "delta":
        interval = signed_interval(contrast["low"], contrast["high"])
        return {
            "With schema": signed(contrast["schema"]),
            "Without": signed(contrast["no_schema"]),
            "Difference": with_interval(signed(contrast["difference"]), interval),
            "Smallest": signed(contrast["smallest"]).removeprefix("+"),
        }
    return {
        "With schema": percent(contrast["schema"]),
        "Without": percent(contrast["no_schema"]),
        "Difference": points(contrast["difference"], contrast["low"], contrast["high"]),
        "Smallest": percent(contrast["smallest"]),
    }
