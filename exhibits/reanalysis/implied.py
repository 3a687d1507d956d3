"""The rows of a table of what printed numbers imply, the table,
and intervals that printed counts imply.
"""

from collections.abc import Iterable
from typing import NamedTuple

import pandas as pd
from scipy.stats import binomtest

from exhibits.report.tables import Table
from exhibits.report.values import ValueTable, estimate, without_interval
from mechaware.core.stats.intervals import Interval, clopper_pearson

# What readers see of a row; the number is for programs.
SHOWN = ("quantity", "printed", "implied", "how", "place")


class Implied(NamedTuple):
    """A printed number, what it implies, by which argument or test (`how`), and its place in the
    source paper.

    `number` is given if a statement of our paper rests on it: what is implied as one number, with
    its interval and the number of units behind it. A number that follows from printed numbers has
    an interval of width zero; `how` says what it assumes.
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
        """The row with its number; without an interval the number follows from printed numbers."""
        ends = interval or Interval(number, number)
        return self._replace(number=number, number_low=ends.low, number_high=ends.high, number_n=n)


# The cells of such a table that the text of our paper prints.
IMPLIED = ValueTable(
    keys=("quantity",),
    quantities=(
        *without_interval("printed", "implied", "how", n=None),
        estimate("number", n="number_n"),
    ),
    left_out=("place",),
)


def implied_table(rows: Iterable[Implied]) -> Table:
    """One row per implied number; readers see its words,
    programs also the number where there is one.
    """
    table = pd.DataFrame(rows, columns=Implied._fields)
    numbers = table.astype({"number_n": "Int64"})
    shown = table[list(SHOWN)].rename(columns=str.capitalize)
    return Table(numbers, shown)


def exact_interval(count: int, n: int) -> str:
    """The 95% Clopper-Pearson interval of `count` in `n`, in percent."""
    low, high = clopper_pearson(count, n)
    return f"{100 * low:.1f}% to {100 * high:.1f}%"


class Paired(NamedTuple):
    """What two printed counts of the same n pairs show, over every number of pairs that both models
    may pass.

    `p` is the largest p of the sign test. The interval of the difference of the two shares goes
    from the lowest to the highest end over all these numbers.
    """

    p: float
    interval: Interval


def paired_difference(first: int, second: int, n: int) -> Paired:
    """Two models pass `first` and `second` of the same n pairs; the number of pairs that both pass
    is not printed.

    The two models differ in d pairs, of which the first alone passes b. If the models were equally
    good, b / d would be one half in expectation: the sign test, which is McNemar's exact test. The
    Clopper-Pearson interval of b / d gives the interval of the difference, because
    first / n - second / n = (2 b / d - 1) d / n.
    """
    largest_p = 0.0
    lowest = 1.0
    highest = -1.0
    least_overlap = max(0, first + second - n)
    for both in range(least_overlap, min(first, second) + 1):
        first_alone = first - both
        differing = first + second - 2 * both
        if differing == 0:
            # Both pass the same pairs: no difference, with certainty.
            p = 1.0
            half = Interval(0.5, 0.5)
        else:
            p = float(binomtest(first_alone, differing).pvalue)
            half = clopper_pearson(first_alone, differing)

        largest_p = max(largest_p, p)
        lowest = min(lowest, (2 * half.low - 1) * differing / n)
        highest = max(highest, (2 * half.high - 1) * differing / n)
    return Paired(largest_p, Interval(lowest, highest))
