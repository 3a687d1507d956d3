"""What the numbers that the symbolic-mechanistic paper prints imply, worked out from those numbers alone."""

from typing import Annotated

import pandas as pd

from mechaware.grounding.schemas import REPORTED_ACCURACY, REPORTED_RULES
from mechaware.grounding.study.implied import implied_numbers
from mechaware.report.tables import Table

READS = {
    "reported": "config/reported/grounding_rules.csv",
    "reported_accuracy": "config/reported/grounding_accuracy.csv",
}


def fill(
    *,
    reported: Annotated[pd.DataFrame, REPORTED_RULES],
    reported_accuracy: Annotated[pd.DataFrame, REPORTED_ACCURACY],
) -> Table:
    """One row per printed quantity: what is printed, what it implies, how that follows, and where it is printed."""
    numbers = implied_numbers(reported, reported_accuracy)
    return Table(numbers, numbers.rename(columns=str.capitalize))
