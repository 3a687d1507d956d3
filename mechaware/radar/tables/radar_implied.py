"""What RADAR's printed numbers imply."""

from typing import Annotated

import pandas as pd

from mechaware.radar.schemas import REPORTED_LENGTHS, REPORTED_PERFORMANCE
from mechaware.radar.study.implied import implied_numbers
from mechaware.report.tables import Table

READS = {
    "reported": "config/reported/radar_performance.csv",
    "lengths": "config/reported/radar_prompt_lengths.csv",
}


def fill(
    *,
    reported: Annotated[pd.DataFrame, REPORTED_PERFORMANCE],
    lengths: Annotated[pd.DataFrame, REPORTED_LENGTHS],
) -> Table:
    """One row per implied number, from the printed numbers alone."""
    table = implied_numbers(reported.set_index("slice"), lengths)
    return Table(table, table.rename(columns=str.capitalize))
