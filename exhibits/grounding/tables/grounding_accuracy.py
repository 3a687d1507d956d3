"""Table 1 of the symbolic-mechanistic paper: accuracy by condition of training and
evaluation, reported and ours.
"""

from typing import Annotated

import pandas as pd

from exhibits.report.tables import Table, percent, percent_interval, with_interval
from mechaware.instruments.grounding.names import CONDITIONS
from mechaware.instruments.grounding.training_conditions import REPORTED

READS = {
    "accuracy": "results/grounding/accuracy.parquet",
    "reported": "config/reported/grounding_accuracy.csv",
}

METRIC_LABELS = {"exact_match": "exact match", "field_accuracy": "field accuracy"}


def fill(*, accuracy: pd.DataFrame, reported: Annotated[pd.DataFrame, REPORTED]) -> Table:
    """One row per condition of training, condition of evaluation and metric.

    Ours is the mean over the seeds with its interval, and next to it the range from the lowest to
    the highest seed (`training_conditions.score_by_condition`).
    """
    keys = ["trained_with", "evaluated_with", "metric"]
    shares = reported.assign(reported=reported["percent"] / 100)
    numbers = accuracy.merge(shares, on=keys, how="left")
    statistics = ["value", "low", "high", "lowest", "highest", "seeds", "n"]
    numbers = numbers[[*keys, "reported", *statistics, "place"]]
    intervals = map(percent_interval, numbers["low"], numbers["high"])
    shown = pd.DataFrame(
        {
            "Trained with": numbers["trained_with"].map(CONDITIONS),
            "Evaluated with": numbers["evaluated_with"].map(CONDITIONS),
            "Metric": numbers["metric"].map(METRIC_LABELS),
            "Reported": numbers["reported"].map(percent),
            "Ours": list(map(with_interval, numbers["value"].map(percent), intervals)),
            "Seeds": list(map(percent_interval, numbers["lowest"], numbers["highest"])),
            "n": numbers["n"].astype(str),
        }
    )
    return Table(numbers, shown)
