"""Table 1 of the symbolic-mechanistic paper: accuracy by condition of training and evaluation, reported and ours."""

from typing import Annotated

import pandas as pd

from mechaware.grounding.names import CONDITIONS, METRIC_LABELS, condition_of
from mechaware.grounding.schemas import ACCURACY, REPORTED_ACCURACY
from mechaware.report.tables import Table, percent, percent_interval

READS = {
    "accuracy": "results/grounding/accuracy/{trained_run}.csv",
    "reported": "config/reported/grounding_accuracy.csv",
}


def fill(*, accuracy: Annotated[pd.DataFrame, ACCURACY], reported: Annotated[pd.DataFrame, REPORTED_ACCURACY]) -> Table:
    """One row per run, evaluation condition and metric; the paper has one number for all runs of two conditions."""
    conditions = ["trained_with", "evaluated_with", "metric"]
    printed = reported.assign(reported=reported["percent"] / 100)
    numbers = accuracy.assign(trained_with=accuracy["run"].map(condition_of)).merge(printed, on=conditions, how="left")
    numbers = numbers[["run", *conditions, "reported", "value", "low", "high", "n", "place"]]
    shown = pd.DataFrame(
        {
            "Trained with": numbers["trained_with"].map(CONDITIONS),
            "Evaluated with": numbers["evaluated_with"].map(CONDITIONS),
            "Metric": numbers["metric"].map(METRIC_LABELS),
            "Run": numbers["run"],
            "Reported": numbers["reported"].map(percent),
            "Ours": numbers["value"].map(percent),
            "Interval": list(map(percent_interval, numbers["low"], numbers["high"])),
            "n": numbers["n"].astype(str),
        }
    )
    return Table(numbers, shown)
