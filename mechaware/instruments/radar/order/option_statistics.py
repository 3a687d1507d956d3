"""Statistics of the order of options within items, large where the order carries meaning."""

from collections.abc import Callable, Sequence

import numpy as np

from mechaware.instruments.radar.benchmark import BenchmarkItem
from mechaware.instruments.radar.order.item_statistics import centred_ranks

# A statistic of the orders of all items' options, one permutation an item.
OptionStatistic = Callable[[Sequence[Sequence[int]]], float]


def option_statistics(items: Sequence[BenchmarkItem]) -> dict[str, OptionStatistic]:
    """The statistics of the orders, each under the name of what the options would be ordered by."""
    return {
        "length": _trend_within(items, len),
        "alphabet": _trend_within(items, str.casefold),
        "the place of the right one": _uneven_places(items),
    }


def _trend_within(
    items: Sequence[BenchmarkItem], value: Callable[[str], float] | Callable[[str], str]
) -> OptionStatistic:
    """How strongly options are sorted by `value`, in the same direction in all items.

    |sum over items and places k of k * r_k|, where r_k is the centred rank, within the item, of
    the option at place k.
    """
    ranks_of_items = []
    for item in items:
        ranks_of_items.append(centred_ranks([value(option) for option in item.options]))

    def statistic(orders: Sequence[Sequence[int]]) -> float:
        total = 0.0
        for ranks, order in zip(ranks_of_items, orders, strict=True):
            total += float(ranks[np.asarray(order)] @ np.arange(len(order)))
        return abs(total)

    return statistic


def _uneven_places(items: Sequence[BenchmarkItem]) -> OptionStatistic:
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
