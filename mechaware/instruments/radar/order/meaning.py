"""Refuses an order that carries meaning, before any model is run.

Such an order is likelier than others even to a model that never read the file: where neighbours
share words, or lengths rise, each item helps to predict the next item.

`check_order` compares statistics of the published order with their values in random orders: those
of `_signals_in_items` for the order of items, and those of `_signals_in_options` for the order of
the options within items.
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

# An order is refused if none of these permutations reaches its statistic: p = 1 / (99 + 1) = 0.01.
_CHECK_PERMUTATIONS = 99
MIN_ITEMS = 8  # fewer items show no order
_SEED = 0
# Columns by which a table may be sorted.
_COLUMNS = ("topic", "subject", "category", "difficulty", "level")
# A statistic of an order of the items, which is a permutation of their indices.
_Statistic = Callable[[Sequence[int]], float]
# A statistic of the orders of all items' options, one permutation an item.
_OptionStatistic = Callable[[Sequence[Sequence[int]]], float]
_Order = TypeVar("_Order")  # an order of the items, or the orders of all items' options


def check_order(benchmark: Benchmark, reordered: Iterable[Reordered]) -> None:
    """Raise `UserError` for an order, of `items` or of their `options`, that carries meaning.

    An order is refused if one of its statistics is larger than in each of 99 permutations, which
    happens to a random order with p = 0.01. Items have four statistics and one for each of the five
    columns `_COLUMNS` in the file, at most nine; options have three. So up to 9% of files in random
    order are refused. An order may carry meaning that none of the statistics measures; then the
    test is not exact.
    """
    for name in reordered:
        signals_in = _signals_in_options if name == "options" else _signals_in_items
        signals = signals_in(benchmark)
        if signals:
            raise UserError(
                f"{benchmark.path}: the {name} are ordered by {' and by '.join(signals)}; "
                "a model that never read the file would also prefer that order: "
                f"remove {name} from random_order and give a control"
            )


def _signals_in_items(benchmark: Benchmark) -> list[str]:
    """What the items are ordered by: length, alphabet, shared words, equal answers, a column.

    Raises `UserError` for fewer than `MIN_ITEMS` items.
    """
    n_items = len(benchmark.items)
    if n_items < MIN_ITEMS:
        raise UserError(
            f"{benchmark.path}: {n_items} items; the order of fewer than {MIN_ITEMS} shows nothing: "
            "remove items from random_order"
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

    published = list(range(n_items))
    generator = random.Random(_SEED)  # noqa: S311

    def permuted() -> list[int]:
        return generator.sample(published, n_items)

    return _exceeding_statistics(statistics, published, permuted)


def _exceeding_statistics(
    statistics: Mapping[str, Callable[[_Order], float]],
    published: _Order,
    permuted: Callable[[], _Order],
) -> list[str]:
    """The names of the statistics that are larger in the published order than in random orders."""
    exceeding = []
    for name, statistic in statistics.items():
        if _exceeds(statistic, published, permuted):
            exceeding.append(name)
    return exceeding


def _exceeds(
    statistic: Callable[[_Order], float], published: _Order, permuted: Callable[[], _Order]
) -> bool:
    """Whether the published order has a larger statistic than each of `_CHECK_PERMUTATIONS` others.

    The others are drawn by `permuted`, until one of them reaches the published order's statistic.
    """
    # A tie counts as reaching it, in spite of rounding.
    bound = statistic(published) - 1e-9
    return all(statistic(permuted()) < bound for _ in range(_CHECK_PERMUTATIONS))


def _trend(values: Sequence[float] | Sequence[str]) -> _Statistic:
    """How strongly values rise or fall: |sum over k of k * r_k|.

    r_k is the centred rank of the value at place k of the order.
    """
    ranks = _centred_ranks(values)
    places = np.arange(len(ranks))

    def statistic(order: Sequence[int]) -> float:
        return abs(float(ranks[np.asarray(order)] @ places))

    return statistic


def _centred_ranks(values: Sequence[float | str]) -> np.ndarray:
    """The rank of each value minus the mean rank; equal values have the same rank.

    The values 5, 9 and 5 have the ranks 0, 1 and 0, and centred -1/3, 2/3 and -1/3.
    """
    rank_of = {value: rank for rank, value in enumerate(sorted(set(values)))}
    ranks = np.array([rank_of[value] for value in values], float)
    centred: np.ndarray = ranks - ranks.mean()
    return centred


def _likeness(similarity: Callable[[int, int], float]) -> _Statistic:
    """The sum of the similarities of neighbours in the order."""

    def statistic(order: Sequence[int]) -> float:
        return float(sum(similarity(first, second) for first, second in pairwise(order)))

    return statistic


def _columns_of_meaning(benchmark: Benchmark) -> dict[str, list[str]]:
    """The items' cells in each of `_COLUMNS` that has any.

    A log has none of these columns, and a table in memory has no file to read them from.
    """
    if not benchmark.path.is_file() or is_log(benchmark.path):
        return {}
    rows_of_items = {item.row for item in benchmark.items}
    # Faulty rows were reported when the benchmark was read.
    numbered_rows = read_rows(benchmark.path, TEXTS, "items", faults=[])
    rows = [row for number, row in numbered_rows if number in rows_of_items]

    columns = {}
    for column in _COLUMNS:
        cells = [str(row.get(column) or "") for row in rows]
        if any(cells):
            columns[column] = cells
    return columns


def _column_statistic(cells: Sequence[str]) -> _Statistic:
    """The trend if all cells are numbers, and else the number of equal neighbours."""

    def equal_cells(first: int, second: int) -> bool:
        return cells[first] == cells[second]

    try:
        numbers = [float(cell) for cell in cells]
    except ValueError:
        return _likeness(equal_cells)
    return _trend(numbers)


def _signals_in_options(benchmark: Benchmark) -> list[str]:
    """What the options are ordered by: length, alphabet, or the place of the right one.

    Raises `UserError` for fewer than `MIN_ITEMS` items with options that may be in any order.
    """
    items = reorderable_items(benchmark)
    if len(items) < MIN_ITEMS:
        raise UserError(
            f"{benchmark.path}: {len(items)} items with choices that may be in any order "
            "(no numbers, none that refers to others); "
            f"the order of fewer than {MIN_ITEMS} shows nothing: remove options from random_order"
        )
    statistics: dict[str, _OptionStatistic] = {
        "length": _trend_within(items, len),
        "alphabet": _trend_within(items, str.casefold),
        "the place of the right one": _uneven_places(items),
    }
    published = [list(range(len(item.options))) for item in items]
    generator = random.Random(_SEED)  # noqa: S311

    def permuted() -> list[list[int]]:
        return [generator.sample(order, len(order)) for order in published]

    return _exceeding_statistics(statistics, published, permuted)


def _trend_within(
    items: Sequence[BenchmarkItem], value: Callable[[str], float] | Callable[[str], str]
) -> _OptionStatistic:
    """How strongly options are sorted by `value`, in the same direction in all items.

    |sum over items and places k of k * r_k|, where r_k is the centred rank, within the item, of
    the option at place k.
    """
    ranks_of_items = []
    for item in items:
        ranks_of_items.append(_centred_ranks([value(option) for option in item.options]))

    def statistic(orders: Sequence[Sequence[int]]) -> float:
        total = 0.0
        for ranks, order in zip(ranks_of_items, orders, strict=True):
            total += float(ranks[np.asarray(order)] @ np.arange(len(order)))
        return abs(total)

    return statistic


def _uneven_places(items: Sequence[BenchmarkItem]) -> _OptionStatistic:
    """How unevenly the right options are spread over the places: the sum of squared counts.

    If the right options of four items are at the places 0, 0, 1 and 0, it is 3^2 + 1^2 = 10; if
    they are spread evenly over two places, 2^2 + 2^2 = 8. Items without a known right option are
    passed over.
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
