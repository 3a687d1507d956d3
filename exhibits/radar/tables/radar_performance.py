"""RADAR's Table 1: accuracy as reported and ours, by kind of task, prompt set and model."""

from collections.abc import Mapping
from typing import Annotated

import pandas as pd

from exhibits.radar.schemas import REPORTED_PERFORMANCE
from exhibits.report.tables import Table, percent, percent_interval, with_interval
from mechaware.instruments.radar.names import display_name

READS = {
    "performance": "results/radar/{model}/performance.parquet",
    "reported": "config/reported/radar_performance.csv",
}
CONFIG = {"training": "radar/train"}


def fill(
    *,
    performance: pd.DataFrame,
    reported: Annotated[pd.DataFrame, REPORTED_PERFORMANCE],
    training: str,
    model_labels: Mapping[str, str],
) -> Table:
    """One row per model, prompt set and slice, with the printed accuracy where a set is of the
    paper's kind.

    The set `training` has one row, the cross-validated accuracy over all its prompts. `reported` is
    in percent.
    """
    is_training = performance["prompt_set"] == training
    validated = performance[is_training & (performance["slice"] == "overall")]
    # The training set is of the paper's kind if it has as many prompts as the paper's.
    papers_size = reported.set_index("slice")["n"]["cross_validation"]
    validated = validated.assign(
        slice="cross_validation", papers_kind=validated["n"] == papers_size
    )
    ours = pd.concat([validated, performance[~is_training]], ignore_index=True)
    printed = reported.assign(reported=reported["percent"] / 100, papers_kind=True)
    printed = printed[["slice", "papers_kind", "reported", "place"]]
    table = ours.merge(printed, on=["slice", "papers_kind"], how="left")

    # The rows of a model below one another, in the order of the models.
    order = list(table["model"].unique())
    table = table.sort_values("model", key=lambda models: models.map(order.index), kind="stable")

    intervals = map(percent_interval, table["exact_low"], table["exact_high"])
    shown = pd.DataFrame(
        {
            "Model": table["model"].map(model_labels),
            "Prompts": table["prompt_set"],
            "Tasks": table["slice"].map(display_name),
            "Reported, %": table["reported"].map(percent),
            "Ours, %": list(map(with_interval, table["accuracy"].map(percent), intervals)),
            "n": table["n"].astype(str),
        }
    )
    return Table(table, shown)
