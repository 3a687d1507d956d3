"""The pass rate at every pair of thresholds, of the trained models and of the controls."""

from pathlib import Path

import pandas as pd

from mechaware.frames import read_csv, write_csv
from mechaware.grounding.names import condition_of
from mechaware.report.tables import percent, write_shown
from scripts.command import run


def main(*, thresholds: Path, out: Path, tex: Path) -> None:
    """Write one row per pair of thresholds: pass rates (R3) by condition, and the difference that the paper quotes."""
    grid = read_csv(thresholds)
    rate = grid.assign(condition=grid["run"].map(condition_of), rate=grid["r3"] / grid["n"])
    conditions = list(rate["condition"].unique())
    table = rate.pivot_table(index=["tau", "alpha"], columns="condition", values="rate")[conditions].reset_index()
    table.insert(4, "difference", table["schema"] - table["no_schema"])
    write_csv(table, out)
    shown = table[["tau", "alpha"]].map("{:g}".format)
    for column in table.columns[2:]:
        shown[column.replace("_", " ")] = table[column].map(percent)
    write_shown(pd.DataFrame(shown), tex)


if __name__ == "__main__":
    run(main)
