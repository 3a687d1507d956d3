"""The rules applied to the controls, models of known mechanism: expected and measured pass rates and layers."""

from typing import Annotated

import pandas as pd

from mechaware.grounding.names import CONTROLS
from mechaware.grounding.schemas import SUMMARY
from mechaware.grounding.study.summaries import judge_controls
from mechaware.grounding.tables.cells import layer_numbers
from mechaware.report.tables import Table, percent, percent_interval

READS = {
    "rules": "results/grounding/rules/{control}.parquet",
    "summary": "results/grounding/summary.csv",
}


def fill(*, rules: pd.DataFrame, summary: Annotated[pd.DataFrame, SUMMARY]) -> Table:
    """One row per control and rule; `L*` is the measured layer, the layers beside it are the known ones."""
    numbers = judge_controls(rules, summary)
    shown = pd.DataFrame(
        {
            "Control": numbers["run"].map(CONTROLS),
            "Rule": numbers["rule"].str.upper(),
            "Known": numbers["expected"].map(percent),
            "Ours": numbers["found"].map(percent),
            "Interval": list(map(percent_interval, numbers["low"], numbers["high"])),
            "Layers that carry it": numbers["expected_layers"],
            "L*": layer_numbers(numbers["found_layer"]),
            "Answers the clean prompt": numbers["clean_right"].map(percent),
            "Follows the schema": numbers["follows_schema"].map(percent),
            "n": numbers["n"].astype(str),
        }
    )
    return Table(numbers, shown)
