"""Statistics of the order of items, which are large where the order carries meaning."""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from mechaware.core.evaluation_log.samples import is_log
from mechaware.core.rows import read_rows
from mechaware.instruments.radar.benchmark import TEXTS, Benchmark

# Columns by which a table may be sorted.
COLUMNS = ("topic", "subject", "category", "difficulty", "level")
# A statistic of an order of the items, which is a permutation of their indices.
Statistic = Callable[[Sequence[int]], float]


def item_statistics(benchmark: Benchmark) -> dict[str, Statistic]:
    """The statistics of an order, each under the name of what the items would be ordered by.

    The names are length, alphabet, shared words and equal answers of neighbours, and a column for
    each of `COLUMNS` that the file has.
    """
    texts = [line.text for line in benchmark.lines]
    words = [frozenset(re.findall(r"\w+", text.casefold())) for text in texts]
    answers = [line.answer for line in benchmark.lines]

    def shared_words(first: int, second: int) -> float:
        n_shared = len(words[first] & words[second])
        n_all = len(words[first] | words[second])
        return n_shared / max(1, n_all)

    def equal_answers(first: int, second: int) -> bool:
        return answers[first] == answers[second] != ""

    statistics: dict[str, Statistic] = {
        "length": _trend([len(text) for text in texts]),
        "alphabet": _trend([text.casefold() for text in texts]),
        "shared words of neighbours, as in a file sorted by topic": _likeness(shared_words),
        "equal answers of neighbours": _likeness(equal_answers),
    }
    for column, cells in _columns_of_meaning(benchmark).items():
        statistics[f"column '{column}'"] = _column_statistic(cells)
    return statistics


def _trend(values: Sequence[float] | Sequence[str]) -> Statistic:
    """How strongly values rise or fall: |sum over k of k * r_k|.

    r_k is the centred rank of the value at place k of the order.
    """
    ranks = centred_ranks(values)
    places = np.arange(len(ranks))

    def statistic(order: Sequence[int]) -> float:
        return abs(float(ranks[np.asarray(order)] @ places))

    return statistic


def centred_ranks(values: Sequence[float | str]) -> np.ndarray:
    """The rank of each value minus the mean rank; equal values have the same rank.

    The values 5, 9 and 5 have the ranks 0, 1 and 0, and centred -1/3, 2/3 and -1/3.
    """
    rank_of = {value: rank for rank, value in enumerate(sorted(set(values)))}
    ranks = np.array([rank_of[value] for value in values], float)
    centred: np.ndarray = ranks - ranks.mean()
    return centred


def _likeness(similarity: Callable[[int, int], float]) -> Statistic:
    """The sum of the similarities of neighbours in the order."""

    def statistic(order: Sequence[int]) -> float:
        return float(sum(similarity(first, second) for first, second in pairwise(order)))

    return statistic


def _columns_of_meaning(benchmark: Benchmark) -> dict[str, list[str]]:
    """The items' cells in each of `COLUMNS` that has any.

    A log has none of these columns, and a table in memory has no file to read them from.
    """
    if not benchmark.path.is_file() or is_log(benchmark.path):
        return {}
    rows_of_items = {item.row for item in benchmark.items}
    # Faulty rows were reported when the benchmark was read.
    numbered_rows = read_rows(benchmark.path, TEXTS, "items", faults=[])
    rows = [row for number, row in numbered_rows if number in rows_of_items]

    columns = {}
    for column in COLUMNS:
        cells = [str(row.get(column) or "") for row in rows]
        if any(cells):
            columns[column] = cells
    return columns


def _column_statistic(cells: Sequence[str]) -> Statistic:
    """The trend if all cells are numbers, and else the number of equal neighbours."""

    def equal_cells(first: int, second: int) -> bool:
        return cells[first] == cells[second]

    try:
        numbers = [float(cell) for cell in cells]
    except ValueError:
        return _likeness(equal_cells)
    return _trend(numbers)
