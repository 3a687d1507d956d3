"""RADAR's probability of recall, regressed on what an item demands and on how often its text was seen."""

import pandas as pd

from mechaware.report.tables import Table, fixed, p_value

READS = {"regression": "results/radar/memorisation/regression.parquet"}

TERMS = {
    "kind": "recall rather than reasoning, unseen items",
    "dose, recall": "log2(1 + times seen), the same recall item",
    "dose, reasoning": "log2(1 + times seen), the same reasoning item",
    "gain over loss": "gain over the loss alone (nats a row)",
}


def fill(*, regression: pd.DataFrame) -> Table:
    """One row per term of the regression, and one for what P(recall) adds to the loss."""
    shown = pd.DataFrame(
        {
            "Term": regression["term"].map(TERMS),
            "Estimate": regression["estimate"].map(_signed),
            "Interval": [
                f"{_signed(low)} to {_signed(high)}"
                for low, high in zip(regression["low"], regression["high"], strict=True)
            ],
            "p": regression["p"].map(p_value),
            "Rows": regression["n"].astype(str),
            "Items": regression["clusters"].astype(str),
        }
    )
    return Table(regression, shown)


def _signed(value: float) -> str:
    return fixed(value, 4, sign="+")
