"""A model's accuracy on all items of a benchmark, on its clean subset, and on the control.

The clean subset leaves out the items that were likeliest seen (`next_steps`). The accuracy is the
mean of the answers' marks, which evaluation logs have.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from mechaware.core.stats.intervals import clopper_pearson, mean_interval
from mechaware.instruments.radar.benchmark import Benchmark
from mechaware.instruments.radar.verdicts.control import CONTROL


class Accuracy(NamedTuple):
    """The mean mark of a set of items, from 0 to 1, and its interval from `low` to `high`.

    `items`: which set. `n`: the number of its items with a mark.
    """

    items: str
    n: int
    value: float
    low: float
    high: float


def answer_marks(benchmark: Benchmark, control: Benchmark | None = None) -> dict[str, float]:
    """The known marks of the model's answers, by id; ids of the control begin with `control/`."""
    marks = {}
    for item in benchmark.items:
        if item.correct is not None:
            marks[item.id] = item.correct
    if control is not None:
        for item in control.items:
            if item.correct is not None:
                marks[f"{CONTROL}/{item.id}"] = item.correct
    return marks


def accuracies(
    marks: Mapping[str, float],
    ids: Sequence[str],
    left_out: Collection[str],
    *,
    confidence_level: float,
) -> list[Accuracy]:
    """The accuracy on all items, on those that are not `left_out` if any are, and on the control.

    `marks` maps ids to marks from 0 (wrong) to 1 (right), and `ids` are the measured items of the
    benchmark and of the control, whose ids begin with `control/`. A set in which no item has a mark
    has no entry. If any mark is below 0 or above 1, as perplexities are, the list is empty.
    """
    if any(not 0 <= mark <= 1 for mark in marks.values()):
        return []
    items = [item_id for item_id in ids if not item_id.startswith(f"{CONTROL}/")]
    sets = {"all items": items}
    if left_out:
        sets["clean.csv"] = [item_id for item_id in items if item_id not in left_out]
    sets["control"] = [item_id for item_id in ids if item_id.startswith(f"{CONTROL}/")]

    accuracies_of_sets = []
    for set_name, ids_in_set in sets.items():
        known = [marks[item_id] for item_id in ids_in_set if item_id in marks]
        if known:
            accuracies_of_sets.append(_accuracy(set_name, known, confidence_level))
    return accuracies_of_sets


def _accuracy(set_name: str, marks: Sequence[float], confidence_level: float) -> Accuracy:
    """The mean of the marks with its interval.

    If every mark is 0 or 1, this is the Clopper-Pearson interval. If some answers are right in
    part, it is the t interval, cut at 0 and 1; for a single such mark it is 0 to 1.
    """
    n = len(marks)
    value = float(np.mean(marks))
    if set(marks) <= {0.0, 1.0}:
        interval = clopper_pearson(round(sum(marks)), n, confidence_level)
        return Accuracy(set_name, n, value, interval.low, interval.high)
    if n == 1:
        return Accuracy(set_name, n, value, 0.0, 1.0)
    interval = mean_interval(np.array(marks), confidence_level)
    return Accuracy(set_name, n, value, max(0.0, interval.low), min(1.0, interval.high))
