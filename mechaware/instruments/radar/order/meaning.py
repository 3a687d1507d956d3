"""Refuses an order that carries meaning, before any model is run.

Such an order is likelier than others even to a model that never read the file: where neighbours
share words, or lengths rise, each item helps to predict the next item.

`check_order` compares statistics of the published order with their values in random orders:
`item_statistics` for the order of items, `option_statistics` for the order of the options within
items.
"""

import random
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from mechaware.core.errors import UserError
from mechaware.instruments.radar.benchmark import Benchmark
from mechaware.instruments.radar.order.item_statistics import item_statistics
from mechaware.instruments.radar.order.option_statistics import option_statistics
from mechaware.instruments.radar.order.options import Reordered, reorderable_items

# An order is refused if none of these permutations reaches its statistic: p = 1 / (99 + 1) = 0.01.
_CHECK_PERMUTATIONS = 99
MIN_ITEMS = 8  # fewer items show no order
_SEED = 0
_Order = TypeVar("_Order")  # an order of the items, or the orders of all items' options


def check_order(benchmark: Benchmark, reordered: Iterable[Reordered]) -> None:
    """Raise `UserError` for an order, of `items` or of their `options`, that carries meaning.

    An order is refused if one of its statistics is larger than in each of 99 permutations. In a
    random order this happens to each statistic with p = 0.01 at most. Items have at most nine
    statistics: four, and one for each of the five columns of `item_statistics.COLUMNS` that the
    file has. Options have three. So a random order of items is refused with p = 0.09 at most, and
    random orders of options with p = 0.03 at most. An order may carry meaning that none of the
    statistics measures; then the test of published orders is not exact.
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
            f"{benchmark.path}: {n_items} items; "
            f"the order of fewer than {MIN_ITEMS} shows nothing: remove items from random_order"
        )
    published = list(range(n_items))
    generator = random.Random(_SEED)  # noqa: S311

    def permuted() -> list[int]:
        return generator.sample(published, n_items)

    return _exceeding_statistics(item_statistics(benchmark), published, permuted)


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
    published = [list(range(len(item.options))) for item in items]
    generator = random.Random(_SEED)  # noqa: S311

    def permuted() -> list[list[int]]:
        return [generator.sample(order, len(order)) for order in published]

    return _exceeding_statistics(option_statistics(items), published, permuted)


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
