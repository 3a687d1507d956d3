"""R1 to R3 and G1 to G5 over grids of their thresholds: what they say of the controls and of the trained models."""

import pandas as pd

from mechaware.grounding.verdicts import GRID_LABELS, GROUNDED_THRESHOLDS, scored_grid
from mechaware.report.tables import Table, merge_alike, percent

READS = {
    "thresholds": "results/grounding/thresholds.parquet",
    "grid": "results/grounding/grounded_thresholds.parquet",
}
CONFIG = {"verdict_share": "grounding/verdict_share"}
PAPERS_THRESHOLDS = ("tau", "alpha")
NAMES = tuple(dict.fromkeys([*PAPERS_THRESHOLDS, *GROUNDED_THRESHOLDS]))


def fill(*, thresholds: pd.DataFrame, grid: pd.DataFrame, verdict_share: float) -> Table:
    """What each point of a grid says of the controls and the models; in the cells, points alike are joined.

    A threshold that the rules of a row do not have is missing.
    """
    parts = {
        "R1 to R3": scored_grid(thresholds, PAPERS_THRESHOLDS, "r3", verdict_share),
        "G1 to G5": scored_grid(grid, list(GROUNDED_THRESHOLDS), "passed", verdict_share),
    }
    numbers = pd.concat([part.assign(rules=rules) for rules, part in parts.items()], ignore_index=True)
    numbers = numbers[["rules", *NAMES, *GRID_LABELS]]
    labels = [_label(name) for name in NAMES]
    shown = [merge_alike(_cells(part), labels) for _, part in numbers.groupby("rules", sort=False)]
    return Table(numbers, pd.concat(shown, ignore_index=True))


def _cells(numbers: pd.DataFrame) -> pd.DataFrame:
    shown = numbers[["rules", *NAMES]].astype(object)
    for name in NAMES:
        shown[name] = ["" if pd.isna(value) else f"{value:g}" for value in numbers[name]]
    for column, label in GRID_LABELS.items():
        shown[label] = numbers[column].map(percent)
    return shown.rename(columns=_label)


def _label(name: str) -> str:
    return name.replace("_", " ")
