"""The options of multiple-choice items in other orders."""

import re
from collections.abc import Sequence
from typing import Literal

from mechaware.instruments.radar.benchmark import Benchmark, BenchmarkItem
from mechaware.instruments.radar.multiple_choice import with_options
from mechaware.instruments.radar.question_answer import QuestionAnswer

Reordered = Literal["items", "options"]  # what is read in other orders
# Options that name others, or their place among them: "all of the above", "both A and B", "neither".
_REFERS = re.compile(
    r"\b(?i:above|below|of these|of them|both|neither|none|all of)\b|\b[A-E] (and|or) [A-E]\b"
)
_NUMBER = re.compile(r"-?[\d,]*\.?\d+")


def reorderable_items(benchmark: Benchmark) -> list[BenchmarkItem]:
    """The items with options that may be in any order.

    Left out are items with an option that refers to others, such as "all of the above", and items in which every option
    is a number or begins with one: such options are usually sorted.
    """
    kept = []
    for item in benchmark.items:
        refers = any(_REFERS.search(option) for option in item.options)
        numbers = all(_NUMBER.match(option.lstrip("$£€ ")) for option in item.options)
        if item.options and not refers and not numbers:
            kept.append(item)
    return kept


def with_order(item: BenchmarkItem, order: Sequence[int]) -> QuestionAnswer:
    """The text of the item with its options in `order`, a permutation of their places from 0.

    With the options red, green and blue, of which green is right, the order [2, 0, 1] gives blue, red and green, and
    the right one is then C.
    """
    options = [item.options[place] for place in order]
    answer_place = None
    if item.answer_place is not None:
        answer_place = order.index(item.answer_place)
    return with_options(item.stem, options, answer_place)
