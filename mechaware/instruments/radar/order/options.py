"""The options of multiple-choice items in other orders."""

import re
from collections.abc import Sequence
from typing import Literal

from mechaware.instruments.radar.benchmark import Benchmark, BenchmarkItem
from mechaware.instruments.radar.multiple_choice import with_options
from mechaware.instruments.radar.question_answer import QuestionAnswer

# What is permuted: the items of a benchmark, or the options of each item.
Reordered = Literal["items", "options"]
# Words of an option that refers to other options: "all of the above", "both A and B", "neither".
_REFERENCE = re.compile(
    r"\b(?i:above|below|of these|of them|both|neither|none|all of)\b|\b[A-E] (and|or) [A-E]\b"
)
_NUMBER = re.compile(r"-?[\d,]*\.?\d+")


def reorderable_items(benchmark: Benchmark) -> list[BenchmarkItem]:
    """The items whose options may be permuted.

    Left out are items without options and items with an option that refers to other options, such
    as "all of the above". Items in which every option begins with a number are left out as well:
    such options are usually sorted.
    """
    kept = []
    for item in benchmark.items:
        has_reference = any(_REFERENCE.search(option) for option in item.options)
        are_numbers = all(_NUMBER.match(option.lstrip("$£€ ")) for option in item.options)
        if item.options and not has_reference and not are_numbers:
            kept.append(item)
    return kept


def with_order(item: BenchmarkItem, order: Sequence[int]) -> QuestionAnswer:
    """The text of the item with its options in `order`, a permutation of their places from 0.

    Of the options red, green and blue, green is right. The order [2, 0, 1] gives blue, red and
    green, and the right answer is then C.
    """
    options = [item.options[place] for place in order]
    answer_place = None
    if item.answer_place is not None:
        answer_place = order.index(item.answer_place)
    return with_options(item.stem, options, answer_place)
