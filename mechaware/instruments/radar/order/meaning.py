"""Refuses an order that carries meaning, before any model is run.

Such an order is likelier than others even to a model that never read the file: where neighbours
share words, or lengths rise, each item helps to predict the next item.
"""

import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TypeVar

import numpy as np

from mechaware.core.errors import UserError
from mechaware.core.evaluation_log.samples import is_log
from mechaware.core.rows import read_rows
from mechaware.instruments.radar.benchmark import TEXTS, Benchmark, BenchmarkItem
from mechaware.instruments.radar.order.options import Reordered, reorderable_items

# An order is refused if no permutation reaches its statistic: p = 0.01 for each statistic.
_CHECK_PERMUTATIONS = 99
MIN_ITEMS = 8  # items: fewer show no order
_SEED = 0
# Columns by which a table may be sorted.
_COLUMNS = ("topic", "subject", "category", "difficulty", "level")
_Statistic = Callable[[Sequence[int]], float]  # of an order of the items
_Order = TypeVar("_Order")  # of the items, or of the options of each item


def check_order(benchmark: Benchmark, reordered: Iterable[Reordered]) -> None:
    """Raise `UserError` for an order, of `items` or of their `options`, that carries meaning.

    An order is refused if one of its statistics is larger than in each of 99 permutations, which
    happens to a random order with p = 0.01. Items have four statistics and one for each of the
    columns `_COLUMNS`, at most nine; options have three. So up to 9% of files in random order are
    refused. An order may carry meaning that none of the statistics measures; then the test is not
    exact.
    """
    for name in reordered:
        signals_in = _signals_in_options if name == "options" else _signals_in_items
        signals = signals_in(benchmark)
        if signals:
            raise UserError(
                f"{benchmark.path}: the {name} are ordered by {' and by '.join(signals)}; a model that never read the "
                f"file would also prefer that order: remove {name} from random_order and give a control"
            )


def _signals_in_items(benchmark: Benchmark) -> list[str]:
    """What the items are ordered by: length, alphabet, shared words, equal answers, a column."""
    n = len(benchmark.items)
    if n < MIN_ITEMS:
        raise UserError(
            f"{benchmark.path}: {n} items; the order of fewer than {MIN_ITEMS} shows nothing: remove items from "
            "random_order"
        )
    texts = [line.text for line in benchmark.lines]
    words = [frozenset(re.findall(r"\w+", text.casefold())) for text in texts]
    answers = [line.answer for line in benchmark.lines]

    def shared_words(first: int, second: int) -> float:
        n_shared = len(words[first] & words[second])
        n_all = len(words[first] | words[second])
        return n_shared / max(1, n_all)

    def equal_answers(first: int, second: int) -> bool:
        return answers[first] == answers[second] != ""

    statistics: dict[str, _Statistic] = {
        "length": _trend([len(text) for text in texts]),
        "alphabet": _trend([text.casefold() for text in texts]),
        "shared words of neighbours, as in a file sorted by topic": _likeness(shared_words),
        "equal answers of neighbours": _likeness(equal_answers),
    }
    for column, cells in _columns_of_meaning(benchmark).items():
        statistics[f"column '{column}'"] = _column_statistic(cells)

    published = list(range(n))
    generator = random.Random(_SEED)  # noqa: S311

    def permuted() -> list[int]:
        return generator.sample(published, n)

    return _exceeding(statistics, published, permuted)


def _exceeding(
    statistics: Mapping[str, Callable[[_Order], float]],
    published: _Order,
    permuted: Callable[[], _Order],
) -> list[str]:
    """The names of the statistics that are larger in the published order than in each random order (`_exceeds`)."""
    exceeding = []
    for name, statistic in statistics.items():
        if _exceeds(statistic, published, permuted):
            exceeding.append(name)
    return exceeding


def _exceeds(
    statistic: Callable[[_Order], float], published: _Order, permuted: Callable[[], _Order]
) -> bool:
    """Whether the published order has a larger statistic than each of `_CHECK_PERMUTATIONS` random ones.

    The first permutation that reaches it ends the test.
    """
    bound = statistic(published) - 1e-9  # a tie reaches it in spite of rounding
    return all(statistic(permuted()) < bound for _ in range(_CHECK_PERMUTATIONS))


def _trend(values: Sequence[float] | Sequence[str]) -> _Statistic:
    """|sum over places k of k times the centred rank of the value at place k|: how strongly values rise or fall."""
    ranks = _centred_ranks(values)
    places = np.arange(len(ranks))

    def statistic(order: Sequence[int]) -> float:
        return abs(float(ranks[np.asarray(order)] @ places))

    return statistic


def _centred_ranks(values: Sequence[float | str]) -> np.ndarray:
    """The rank of each value minus the mean rank; equal values have one rank: of 5, 9, 5 it is -1/3, 2/3, -1/3."""
    rank_of = {value: rank for rank, value in enumerate(sorted(set(values)))}
    ranks = np.array([rank_of[value] for value in values], float)
    centred: np.ndarray = ranks - ranks.mean()
    return centred


def _likeness(similarity: Callable[[int, int], float]) -> _Statistic:
    """The sum of the similarities of neighbours."""

    def statistic(order: Sequence[int]) -> float:
        return float(sum(similarity(first, second) for first, second in pairwise(order)))

    return statistic


def _columns_of_meaning(benchmark: Benchmark) -> dict[str, list[str]]:
    """The cells of the columns `_COLUMNS` that a file has; a log has none of them, and a table in memory no file."""
    if not benchmark.path.is_file() or is_log(benchmark.path):
        return {}
    used = {item.row for item in benchmark.items}
    numbered = read_rows(benchmark.path, TEXTS, "items", [])
    rows = [row for number, row in numbered if number in used]

    columns = {}
    for column in _COLUMNS:
        cells = [str(row.get(column) or "") for row in rows]
        if any(cells):
            columns[column] = cells
    return columns


def _column_statistic(cells: Sequence[str]) -> _Statistic:
    """The trend of a column of numbers; of other cells the number of equal neighbours."""

    def equal_cells(first: int, second: int) -> bool:
        return cells[first] == cells[second]

    try:
        numbers = [float(cell) for cell in cells]
    except ValueError:
        return _likeness(equal_cells)
    return _trend(numbers)


def _signals_in_options(benchmark: Benchmark) -> list[str]:
    """What the options are ordered by: length, alphabet, or the place of the right one."""
    items = reorderable_items(benchmark)
    if len(items) < MIN_ITEMS:
        raise UserError(
            f"{benchmark.path}: {len(items)} items with choices that may be in any order (no numbers, none that "
            f"refers to others); the order of fewer than {MIN_ITEMS} shows nothing: remove options from random_order"
        )
    statistics: dict[str, Callable[[Sequence[Sequence[int]]], float]] = {
        "length": _trend_within(items, len),
        "alphabet": _trend_within(items, str.casefold),
        "the place of the right one": _uneven_places(items),
    }
    published = [list(range(len(item.options))) for item in items]
    generator = random.Random(_SEED)  # noqa: S311

    def permuted() -> list[list[int]]:
        return [generator.sample(order, len(order)) for order in published]

    return _exceeding(statistics, published, permuted)


def _trend_within(
    items: Sequence[BenchmarkItem], value: Callable[[str], float] | Callable[[str], str]
) -> Callable[[Sequence[Sequence[int]]], float]:
    """How strongly options are sorted by `value`, in the same direction in all items: |sum of the items' trends|."""
    ranks_of_items = []
    for item in items:
        ranks_of_items.append(_centred_ranks([value(option) for option in item.options]))

    def statistic(orders: Sequence[Sequence[int]]) -> float:
        total = 0.0
        for ranks, order in zip(ranks_of_items, orders, strict=True):
            total += float(ranks[np.asarray(order)] @ np.arange(len(order)))
        return abs(total)

    return statistic


def _uneven_places(
    items: Sequence[BenchmarkItem],
) -> Callable[[Sequence[Sequence[int]]], float]:
    """How unevenly the right options are spread over the places: the sum of squared counts.

    Of four items whose right options are at the places 0, 0, 1 and 0 it is 3^2 + 1^2 = 10; spread
    evenly over two, 2^2 + 2^2 = 8.
    """

    def statistic(orders: Sequence[Sequence[int]]) -> float:
        places = []
        for item, order in zip(items, orders, strict=True):
            if item.answer_place is not None:
                places.append(list(order).index(item.answer_place))
        if not places:
            return 0.0
        return float((np.bincount(places) ** 2).sum())

    return statistic
