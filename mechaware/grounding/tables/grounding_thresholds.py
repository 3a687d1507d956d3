"""The share of pairs that pass all rules at every pair of thresholds, in trained models and controls."""

from typing import Annotated

import pandas as pd

from mechaware.grounding.names import condition_of
from mechaware.grounding.schemas import THRESHOLDS
from mechaware.report.tables import Table, percent

READS = {"thresholds": "results/grounding/thresholds.csv"}


def fill(*, thresholds: Annotated[pd.DataFrame, THRESHOLDS]) -> Table:
    """One row per pair of thresholds: pass rates (R3) by condition, and the difference that the paper quotes.

    The rate of a condition is the mean over its runs.
    """
    rates = thresholds.assign(condition=thresholds["run"].map(condition_of), rate=thresholds["r3"] / thresholds["n"])
    conditions = list(rates["condition"].unique())
    numbers = rates.pivot_table(index=["tau", "alpha"], columns="condition", values="rate")[conditions].reset_index()
    numbers.insert(4, "difference", numbers["schema"] - numbers["no_schema"])
    shown = numbers[["tau", "alpha"]].map("{:g}".format)
    for column in numbers.columns[2:]:
        shown[column.replace("_", " ")] = numbers[column].map(percent)
    return Table(numbers, shown)
