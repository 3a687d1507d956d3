"""A row of the tables of what printed numbers imply, and the table that shows such rows."""

from collections.abc import Iterable
from typing import NamedTuple

import pandas as pd

from exhibits.report.tables import Table
from exhibits.report.values import ValueTable, without_interval
from mechaware.core.stats import clopper_pearson


class Implied(NamedTuple):
    """A printed number, what it implies, by which argument or test (`how`), and its place in the source paper."""

    quantity: str
    printed: str
    implied: str
    how: str
    place: str


# What the paper's text prints of such a table.
IMPLIED = ValueTable(
    keys=("quantity",),
    quantities=without_interval("printed", "implied", "how", n=None),
    left_out=("place",),
)


def implied_table(rows: Iterable[Implied]) -> Table:
    """One row per implied number; readers see the same cells as programs."""
    numbers = pd.DataFrame(rows, columns=Implied._fields)
    return Table(numbers, numbers.rename(columns=str.capitalize))


def exact_interval(count: int, n: int) -> str:
    """The 95% Clopper-Pearson interval of `count` in `n`, in percent."""
    low, high = clopper_pearson(count, n)
    return f"{100 * low:.1f}% to {100 * high:.1f}%"
