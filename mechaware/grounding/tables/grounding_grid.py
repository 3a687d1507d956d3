"""G1 to G5 over a grid of their thresholds: what they say of the controls and of the trained models."""

import pandas as pd

from mechaware.grounding.verdicts import GRID_LABELS, GROUNDED_THRESHOLDS, scored_grid
from mechaware.report.tables import Table, merge_alike, percent

READS = {"grid": "results/grounding/grounded_thresholds.parquet"}
CONFIG = {"verdict_share": "grounding/verdict_share"}


def fill(*, grid: pd.DataFrame, verdict_share: float) -> Table:
    """What each point of the grid says of the controls and the models; in the cells, points alike are joined."""
    names = list(GROUNDED_THRESHOLDS)
    numbers = scored_grid(grid, names, "passed", verdict_share)
    shown = numbers[names].map("{:g}".format).rename(columns=lambda name: name.replace("_", " "))
    for column in GRID_LABELS:
        shown[GRID_LABELS[column]] = numbers[column].map(percent)
    return Table(numbers, merge_alike(shown, [name.replace("_", " ") for name in names]))
