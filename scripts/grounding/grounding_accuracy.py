"""Table 1 of the symbolic-mechanistic paper: reported accuracy beside ours, by training and evaluation condition."""

from pathlib import Path

import pandas as pd

from mechaware.frames import read_csvs, write_csv
from mechaware.grounding.names import CONDITIONS, METRIC_LABELS, condition_of
from mechaware.report.tables import percent, percent_interval, write_shown
from scripts.command import run


def main(*, accuracy: list[Path], reported: Path, out: Path, tex: Path) -> None:
    """Join the accuracy of every run with what the paper prints for its two conditions."""
    ours = read_csvs(accuracy)
    ours = ours.assign(trained_with=ours["run"].map(condition_of))
    printed = pd.read_csv(reported)
    printed = printed.assign(reported=printed["percent"] / 100).drop(columns="percent")
    keys = ["trained_with", "evaluated_with", "metric"]
    table = ours.merge(printed, on=keys, how="left")
    table = table[["run", *keys, "reported", "value", "low", "high", "n", "place"]]
    write_csv(table, out)
    shown = pd.DataFrame(
        {
            "Trained with": table["trained_with"].map(CONDITIONS),
            "Evaluated with": table["evaluated_with"].map(CONDITIONS),
            "Metric": table["metric"].map(METRIC_LABELS),
            "Run": table["run"],
            "Reported": table["reported"].map(percent),
            "Ours": table["value"].map(percent),
            "Interval": list(map(percent_interval, table["low"], table["high"])),
            "n": table["n"].astype(str),
        }
    )
    write_shown(shown, tex)


if __name__ == "__main__":
    run(main)
