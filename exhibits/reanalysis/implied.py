"""The table of what the printed numbers of a paper imply, and its statistics of printed counts.

`implied_table` makes the table of rows (`Implied`). `exact_interval` and `paired_difference` give
intervals, and a test, for counts that a paper prints.
"""

from collections.abc import Iterable
from typing import NamedTuple

import pandas as pd
from scipy.stats import binomtest

from exhibits.report.tables import Table
from exhibits.report.values import ValueTable, estimate, without_interval
from mechaware.core.stats.intervals import Interval, clopper_pearson

# The columns that readers see; `number` and its interval are for programs.
SHOWN = ("quantity", "printed", "implied", "how", "place")


class Implied(NamedTuple):
    """A printed number and what it implies.

    - `quantity`: what the number measures.
    - `printed`, `implied`: the printed number, and what follows from it, as text.
    - `how`: the argument or test by which it follows, with its assumptions.
    - `place`: where the source paper prints the number.
    - `number`: what is implied, as one number; given if a statement of our paper rests on it.
    - `number_low`, `number_high`: the interval of `number`. It has width zero if `number` follows
      from printed numbers without a statistical test.
    - `number_n`: the number of units behind `number`.
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


# The text of our paper may print cells of all columns but `place`.
IMPLIED = ValueTable(
    keys=("quantity",),
    quantities=(
        *without_interval("printed", "implied", "how", n=None),
        estimate("number", n="number_n"),
    ),
    left_out=("place",),
)


def implied_table(rows: Iterable[Implied]) -> Table:
    """The table of `rows`. Readers see the columns `SHOWN`; programs read all columns."""
    table = pd.DataFrame(rows, columns=Implied._fields)
    # Int64 keeps whole numbers whole where others are missing.
    numbers = table.astype({"number_n": "Int64"})
    shown = table[list(SHOWN)].rename(columns=str.capitalize)
    return Table(numbers, shown)


def exact_interval(count: int, n: int) -> str:
    """The 95% Clopper-Pearson interval of `count` in `n`, in percent."""
    low, high = clopper_pearson(count, n)
    return f"{100 * low:.1f}% to {100 * high:.1f}%"


class Paired(NamedTuple):
    """What two printed counts of the same pairs show, whatever the number that both models pass.

    - `p`: the largest p-value of the sign test, over all possible numbers.
    - `interval`: the difference of the two shares of passed pairs. It goes from the lowest to the
      highest end of the intervals for all possible numbers.
    """

    p: float
    interval: Interval


def paired_difference(first: int, second: int, n: int) -> Paired:
    """Compare two models that pass `first` and `second` of the same n pairs.

    The number of pairs that both pass is not printed. For each possible number, the models differ
    in d pairs, of which the first model alone passes b. The sign test, here McNemar's exact test,
    tests whether b / d is one half in expectation, as for equally good models. The 95%
    Clopper-Pearson interval of b / d gives the interval of the difference, because

        first / n - second / n = (2 b / d - 1) d / n

    With d = 0, p is 1 and the interval is 0 to 0.
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
            first_alone_share = Interval(0.5, 0.5)
        else:
            p = float(binomtest(first_alone, differing).pvalue)
            first_alone_share = clopper_pearson(first_alone, differing)

        largest_p = max(largest_p, p)
        lowest = min(lowest, (2 * first_alone_share.low - 1) * differing / n)
        highest = max(highest, (2 * first_alone_share.high - 1) * differing / n)
    return Paired(largest_p, Interval(lowest, highest))
