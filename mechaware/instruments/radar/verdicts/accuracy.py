"""A model's accuracy on all items of a benchmark, on those without the likeliest seen, and on the control.

It needs the marks of the answers, which evaluation logs have.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from mechaware.core.stats import clopper_pearson, ratio_interval
from mechaware.instruments.radar.benchmark import Benchmark
from mechaware.instruments.radar.verdicts.control import CONTROL


class Accuracy(NamedTuple):
    """The mean mark of a set, from 0 to 1, and its interval.

    `items`: which set. `n`: its marked items.
    """

    items: str
    n: int
    value: float
    low: float
    high: float


def answer_marks(benchmark: Benchmark, control: Benchmark | None = None) -> dict[str, float]:
    """The marks of the model's answers, as far as they are known, by id; a control's id begins with `control/`."""
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

    `marks` maps ids to marks from 0 (wrong) to 1 (right), and `ids` are the measured items and
    controls; an id of a control begins with `control/`. A set without a marked item is left out. If
    any mark lies outside 0 and 1, as a perplexity does, the list is empty.
    """
    if any(not 0 <= mark <= 1 for mark in marks.values()):
        return []
    items = [name for name in ids if not name.startswith(f"{CONTROL}/")]
    sets = {"all items": items}
    if left_out:
        sets["clean.csv"] = [name for name in items if name not in left_out]
    sets["control"] = [name for name in ids if name.startswith(f"{CONTROL}/")]

    of_sets = []
    for label, names in sets.items():
        known = [marks[name] for name in names if name in marks]
        if known:
            of_sets.append(_accuracy(label, known, confidence_level))
    return of_sets


def _accuracy(label: str, marks: Sequence[float], confidence_level: float) -> Accuracy:
    """The mean of the marks with its Clopper-Pearson interval, or, if some answers are right in part, a t interval.

    The t interval is cut at 0 and 1; a single mark has the interval 0 to 1.
    """
    n = len(marks)
    value = float(np.mean(marks))
    if set(marks) <= {0.0, 1.0}:
        interval = clopper_pearson(round(sum(marks)), n, confidence_level)
        return Accuracy(label, n, value, interval.low, interval.high)
    if n == 1:
        return Accuracy(label, n, value, 0.0, 1.0)
    interval = ratio_interval((np.array(marks) - value) / n, value, confidence_level)
    return Accuracy(label, n, value, max(0.0, interval.low), min(1.0, interval.high))
