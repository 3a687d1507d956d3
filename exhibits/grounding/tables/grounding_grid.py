"""Both sets of rules over grids of their thresholds: what they say of the controls and of the trained models."""

import pandas as pd

from exhibits.grounding.verdicts import scored_grid
from exhibits.report.tables import Table, merge_alike, percent
from mechaware.instruments.grounding.rules import Thresholds
from mechaware.instruments.grounding.rules.registry import RULE_SETS

READS = {"grid": "results/grounding/grid.parquet"}
CONFIG = {"verdict_share": "grounding/verdict_share"}


def fill(*, grid: pd.DataFrame, verdict_share: float) -> Table:
    """What each point of the grids says of the controls and the models; in the cells, points alike are joined."""
    numbers = scored_grid(grid, verdict_share)
    names = [name.replace("_", " ") for name in Thresholds._fields]
    thresholds = numbers[list(Thresholds._fields)].map(_threshold)
    shown = thresholds.set_axis(names, axis=1)
    shown.insert(0, "Rules", numbers["rules"].map(RULE_SETS))
    shown["Sensitivity, %"] = numbers["sensitivity"].map(percent)
    shown["Specificity, %"] = numbers["specificity"].map(percent)
    passing = numbers["schema"].map(percent) + "; " + numbers["no_schema"].map(percent)
    shown["Pass with schema; without, %"] = passing
    return Table(numbers, merge_alike(shown, names))


def _threshold(value: float) -> str:
    """A threshold as short as it can be written; empty where no rule of the set reads it."""
    return "" if pd.isna(value) else f"{value:g}"
