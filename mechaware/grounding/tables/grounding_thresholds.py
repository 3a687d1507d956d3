"""R1 to R3 over a grid of their thresholds: what they say of the controls and of the trained models."""

from typing import Annotated

import pandas as pd

from mechaware.grounding.schemas import THRESHOLDS
from mechaware.grounding.study.thresholds import LABELS, scored_grid
from mechaware.report.tables import Table, merge_alike, percent

READS = {"thresholds": "results/grounding/thresholds.csv"}
CONFIG = {"verdict_share": "grounding/verdict_share"}


def fill(*, thresholds: Annotated[pd.DataFrame, THRESHOLDS], verdict_share: float) -> Table:
    """What each point of the grid says of the controls and the models; in the cells, points alike are joined."""
    numbers = scored_grid(thresholds, ["tau", "alpha"], "r3", verdict_share)
    numbers["difference"] = numbers["schema"] - numbers["no_schema"]
    shown = numbers[["tau", "alpha"]].map("{:g}".format)
    for column in LABELS:
        shown[LABELS[column]] = numbers[column].map(percent)
    return Table(numbers, merge_alike(shown, ["tau", "alpha"]))
