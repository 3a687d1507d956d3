"""Both sets of rules over grids of their thresholds:
what they say of the controls and of the trained models.
"""

from collections.abc import Hashable, Mapping, Sequence

import pandas as pd

from exhibits.grounding.threshold_grid import scored_grid
from exhibits.report.tables import Table, merge_alike, percent
from mechaware.instruments.grounding.rules import Thresholds
from mechaware.instruments.grounding.rules.registry import RULE_SETS

READS = {"grid": "results/grounding/grid.parquet"}
CONFIG = {"verdict_share": "grounding/verdict_share"}


def fill(*, grid: pd.DataFrame, verdict_share: float) -> Table:
    """What each point of the grids says of the controls and the models.

    In the table for readers, points with the same numbers that differ in one threshold share a row,
    which names the thresholds that its rules read, such as `tau 0.4; alpha 0.7, 0.8`. Sensitivity
    and specificity are of the controls; the pairs that pass are of models trained with and without
    the schema.
    """
    numbers = scored_grid(grid, verdict_share)
    names = [name.replace("_", " ") for name in Thresholds._fields]
    thresholds = numbers[list(Thresholds._fields)].map(_threshold)
    points = thresholds.set_axis(names, axis=1)
    points["Rules"] = numbers["rules"].map(RULE_SETS)
    points["Sensitivity, %"] = numbers["sensitivity"].map(percent)
    points["Specificity, %"] = numbers["specificity"].map(percent)
    points["Pass with schema, %"] = numbers["schema"].map(percent)
    points["Pass without, %"] = numbers["no_schema"].map(percent)

    merged = merge_alike(points, names)
    shown = merged.drop(columns=names)
    shown.insert(1, "Thresholds", [_named(row, names) for row in merged.to_dict("records")])
    return Table(numbers, shown)


def _named(row: Mapping[Hashable, str], names: Sequence[str]) -> str:
    """The thresholds of a row with their names, as far as its rules read them."""
    return "; ".join(f"{name} {row[name]}" for name in names if row[name])


def _threshold(value: float) -> str:
    """A threshold as short as it can be written; empty where no rule of the set reads it."""
    return "" if pd.isna(value) else f"{value:g}"
