"""A row of the tables of what printed numbers imply, and the table that shows such rows."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pandas as pd

from exhibits.report.tables import Table
from exhibits.report.values import ValueTable, estimate, without_interval
from mechaware.core.stats import Interval, clopper_pearson

# What readers see of a row; the number is for programs.
SHOWN = ("quantity", "printed", "implied", "how", "place")


class Implied(NamedTuple):
    """A printed number, what it implies, by which argument or test (`how`), and its place in the source paper.

    `number` is what is implied as one number, where a statement of our paper rests on it, with its interval and the
    number of units behind it. A number that follows from the printed ones has an interval of width zero; what it
    assumes is in `how`.
    """

    quantity: str
    printed: str
    implied: str
    how: str
    place: str
    number: float | None = None
    number_low: float | None = None
    number_high: float | None = None
    number_n: int | None = None

    def with_number(
        self, number: float, interval: Interval | None = None, n: int | None = None
    ) -> "Implied":
        """The row with its number; without an interval it follows from the printed ones."""
        low, high = interval or (number, number)
        return self._replace(number=number, number_low=low, number_high=high, number_n=n)


# What the paper's text prints of such a table.
IMPLIED = ValueTable(
    keys=("quantity",),
    quantities=(
        *without_interval("printed", "implied", "how", n=None),
        estimate("number", n="number_n"),
    ),
    left_out=("place",),
)


def implied_table(rows: Iterable[Implied]) -> Table:
    """One row per implied number; readers see its words, programs also the number where there is one."""
    table = pd.DataFrame(rows, columns=Implied._fields)
    numbers = table.astype({"number_n": "Int64"})
    shown = table[list(SHOWN)].rename(columns=str.capitalize)
    return Table(numbers, shown)


def exact_interval(count: int, n: int) -> str:
    """The 95% Clopper-Pearson interval of `count` in `n`, in percent."""
    low, high = clopper_pearson(count, n)
    return f"{100 * low:.1f}% to {100 * high:.1f}%"


def difference_of_shares(first: int, second: int, n: int) -> Interval:
    """Newcombe's 95% interval of first / n - second / n, for two independent groups of n.

    It joins the Wilson intervals (l, u) of the two shares p and q (Newcombe 1998, method 10):
    p - q - hypot(p - l_p, u_q - q) to p - q + hypot(u_p - p, q - l_q).
    """
    p, q = first / n, second / n
    p_low, p_high = _wilson(p, n)
    q_low, q_high = _wilson(q, n)
    below = float(np.hypot(p - p_low, q_high - q))
    above = float(np.hypot(p_high - p, q - q_low))
    return Interval(p - q - below, p - q + above)


def _wilson(share: float, n: int) -> Interval:
    """Wilson's 95% interval of a share of n."""
    z = 1.959964
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    reach = z * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    return Interval(float(centre - reach), float(centre + reach))
