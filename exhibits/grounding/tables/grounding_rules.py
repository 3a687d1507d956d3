"""Table 2 of the symbolic-mechanistic paper: effect and pass rates by
category, reported and ours.
"""

from typing import Annotated

import pandas as pd

from exhibits.report.tables import Table, percent, signed, signed_interval, with_interval
from mechaware.instruments.grounding.names import CATEGORY_LABELS
from mechaware.instruments.grounding.training_conditions import REPORTED

READS = {
    "comparison": "results/grounding/comparison.parquet",
    "reported": "config/reported/grounding_rules.csv",
}
# Quantity of the paper's table -> quantity and column of ours, and how many times ours the paper's
# number is: its pass rates are in percent, ours are shares.
PRINTED = {
    "effect": ("delta", "difference", 1),
    "pass_schema": ("r3", "schema", 100),
    "pass_no_schema": ("r3", "no_schema", 100),
}


def fill(*, comparison: pd.DataFrame, reported: Annotated[pd.DataFrame, REPORTED]) -> Table:
    """The numbers have one row per category and quantity (the gap, or a rule);
    the cells one row per category.
    """
    numbers = _beside_reported(comparison, reported)
    by_quantity = numbers.set_index("category").groupby("quantity")
    gaps = by_quantity.get_group("delta")
    passes = by_quantity.get_group("r3")
    embedded = by_quantity.get_group("r3_embedding")
    intervals = map(signed_interval, gaps["low"], gaps["high"])
    shown = pd.DataFrame(
        {
            "Category": list(map(CATEGORY_LABELS.get, gaps.index)),
            "Effect: reported": gaps["reported_difference"].map(signed),
            "Effect: ours": list(map(with_interval, gaps["difference"].map(signed), intervals)),
            "With: reported": passes["reported_schema"].map(percent),
            "With: ours": passes["schema"].map(percent),
            "With: ours, embedding": embedded["schema"].map(percent),
            "Without: reported": passes["reported_no_schema"].map(percent),
            "Without: ours": passes["no_schema"].map(percent),
            "Without: ours, embedding": embedded["no_schema"].map(percent),
        }
    )
    return Table(numbers, shown)


def _beside_reported(comparison: pd.DataFrame, reported: pd.DataFrame) -> pd.DataFrame:
    """The comparison with columns `reported_*`, in our units, and `place`;
    empty where the paper prints no number.
    """
    table = comparison.copy()
    for quantity, (ours, column, scale) in PRINTED.items():
        printed = reported[reported["quantity"] == quantity].set_index("category")
        rows = table["quantity"] == ours
        categories = table.loc[rows, "category"]
        table.loc[rows, f"reported_{column}"] = categories.map(printed["value"] / scale)
        table.loc[rows, "place"] = categories.map(printed["place"])
    return table
