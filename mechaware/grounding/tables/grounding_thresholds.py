"""R1 to R3 over a grid of their thresholds: what they say of the controls and of the trained models."""

import pandas as pd

from mechaware.grounding.verdicts import GRID_LABELS, scored_grid
from mechaware.report.tables import Table, merge_alike, percent

READS = {"thresholds": "results/grounding/thresholds.parquet"}
CONFIG = {"verdict_share": "grounding/verdict_share"}


def fill(*, thresholds: pd.DataFrame, verdict_share: float) -> Table:
    """What each point of the grid says of the controls and the models; in the cells, points alike are joined."""
    numbers = scored_grid(thresholds, ["tau", "alpha"], "r3", verdict_share)
    numbers["difference"] = numbers["schema"] - numbers["no_schema"]
    shown = numbers[["tau", "alpha"]].map("{:g}".format)
    for column in GRID_LABELS:
        shown[GRID_LABELS[column]] = numbers[column].map(percent)
    return Table(numbers, merge_alike(shown, ["tau", "alpha"]))
