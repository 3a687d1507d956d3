"""R1 to R3 over a grid of their thresholds: what they say of the controls and of the trained models."""

from typing import Annotated

import pandas as pd

from mechaware.grounding.schemas import THRESHOLDS
from mechaware.grounding.study.thresholds import scored_grid
from mechaware.report.tables import Table, percent

READS = {"thresholds": "results/grounding/thresholds.csv"}
CONFIG = {"verdict_share": "grounding/verdict_share"}


def fill(*, thresholds: Annotated[pd.DataFrame, THRESHOLDS], verdict_share: float) -> Table:
    """One row per pair of thresholds: sensitivity and specificity on the controls, pass rates of the trained models."""
    numbers = scored_grid(thresholds, ["tau", "alpha"], "r3", verdict_share)
    numbers["difference"] = numbers["schema"] - numbers["no_schema"]
    shown = numbers[["tau", "alpha"]].map("{:g}".format)
    for column in numbers.columns[2:]:
        shown[column.replace("_", " ")] = numbers[column].map(percent)
    return Table(numbers, shown)
