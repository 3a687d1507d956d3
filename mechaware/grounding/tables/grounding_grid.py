"""G1 to G5 over a grid of their thresholds: what they say of the controls and of the trained models."""

from typing import Annotated

import pandas as pd

from mechaware.grounding.schemas import THRESHOLDS
from mechaware.grounding.study.thresholds import scored_grid
from mechaware.report.tables import Table, percent

READS = {"grid": "results/grounding/grounded_thresholds.csv"}
CONFIG = {"verdict_share": "grounding/verdict_share"}


def fill(*, grid: Annotated[pd.DataFrame, THRESHOLDS], verdict_share: float) -> Table:
    """One row per point of the grid: sensitivity and specificity on the controls, pass rates of the trained models."""
    names = ["alpha", "most_blocks", "unasked_share"]
    numbers = scored_grid(grid, names, "passed", verdict_share)
    shown = numbers[names].map("{:g}".format).rename(columns=lambda name: name.replace("_", " "))
    for column in numbers.columns[len(names) :]:
        shown[column.replace("_", " ")] = numbers[column].map(percent)
    return Table(numbers, shown)
