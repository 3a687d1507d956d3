"""What RADAR's printed numbers imply."""

from collections.abc import Iterator
from typing import Annotated, NamedTuple

import numpy as np
import pandas as pd

from exhibits.radar.schemas import REPORTED_LENGTHS, REPORTED_PERFORMANCE
from exhibits.reanalysis.implied import Implied, exact_interval, implied_table
from exhibits.report.tables import Table
from mechaware.core.stats import clopper_pearson
from mechaware.instruments.radar.feature_extraction.features import MECHANISTIC, SURFACE
from mechaware.instruments.radar.prompts import LABELS

READS = {
    "reported": "config/reported/radar_performance.csv",
    "lengths": "config/reported/radar_prompt_lengths.csv",
}
# Tau as printed, in nats: a head with less attention entropy counts as specialised.
SPECIALISED = 1.5


def fill(
    *,
    reported: Annotated[pd.DataFrame, REPORTED_PERFORMANCE],
    lengths: Annotated[pd.DataFrame, REPORTED_LENGTHS],
) -> Table:
    """One row per implied number; `lengths` has the number of words of every prompt that the paper prints.

    Raises `ValueError` unless the printed percentages have exactly one solution.
    """
    percent = dict(zip(reported["slice"], reported["percent"], strict=True))
    n = {
        name: int(count)
        for name, count in zip(reported["slice"], reported["n"], strict=True)
        if count > 0
    }
    return implied_table([*_accuracy(percent, n), _length(lengths), *_definitions()])


class ClassCounts(NamedTuple):
    """The correct items and all items of each class."""

    recall_correct: int
    recall: int
    reasoning_correct: int
    reasoning: int

    def __str__(self) -> str:
        return "{} of {} recall, {} of {} reasoning".format(*self)


def solve_class_counts(
    total: int, correct: int, recall_percent: float, reasoning_percent: float
) -> list[ClassCounts]:
    """All splits of `total` items into two classes, `correct` of them right, that print both percentages.

    A percentage has one decimal, so a count fits if it is within 0.05 of it; ties at 0.05 fit.
    """
    return [
        counts
        for recall in range(1, total)
        for recall_correct in range(recall + 1)
        if _prints_as(recall_correct, recall, recall_percent)
        for counts in [
            ClassCounts(recall_correct, recall, correct - recall_correct, total - recall)
        ]
        if 0 <= counts.reasoning_correct <= counts.reasoning
        and _prints_as(counts.reasoning_correct, counts.reasoning, reasoning_percent)
    ]


def _prints_as(correct: int, n: int, percent: float) -> bool:
    # Half a unit of the last printed decimal, with a margin for binary fractions.
    return abs(100 * correct / n - percent) <= 0.05 + 1e-9


def _accuracy(percent: dict[str, float], n: dict[str, int]) -> Iterator[Implied]:
    """The classes behind the printed accuracies, constant answers on them, and exact intervals."""

    def correct(name: str) -> int:
        return round(percent[name] * n[name] / 100)

    total, hard, radar = (
        n["overall"],
        n["category:challenging"],
        f"RADAR {percent['category:challenging']}%",
    )
    right, folds = correct("overall"), (correct("cross_validation"), n["cross_validation"])
    (counts,) = solve_class_counts(
        total, right, percent["recall_tasks"], percent["reasoning_tasks"]
    )
    # The paper prints all clear and complex prompts as right, so every error is on a challenging prompt.
    recall = counts.recall - n["category:clear_recall"]
    easy_reasoning = n["category:clear_reasoning"] + n["category:complex_reasoning"]
    challenging = ClassCounts(
        counts.recall_correct - n["category:clear_recall"],
        recall,
        counts.reasoning_correct - easy_reasoning,
        hard - recall,
    )
    classes = f"{percent['recall_tasks']}% of recall, {percent['reasoning_tasks']}% of reasoning, {right} of {total}"
    only = "the only split into two classes that prints these percentages"
    less = "the classes less the clear and complex prompts, all of which are printed as right"
    always = "always answering recall, on the challenging prompts"
    intervals = {
        "interval of the overall accuracy": (f"{percent['overall']}%", right, total, "Table 1"),
        "interval on challenging reasoning": ("not printed", *challenging[2:], "Table 1"),
        "interval of the cross-validation accuracy": (
            f"{percent['cross_validation']}%",
            *folds,
            "section 3.1",
        ),
    }
    rows = [
        ("classes of the test set", classes, str(counts), only),
        (
            "challenging prompts by class",
            f"{correct('category:challenging')} of {hard}",
            str(challenging),
            less,
        ),
        (always, radar, f"{100 * recall / hard:.1f}%", f"{recall} of {hard} are recall"),
        (
            "always answering reasoning, on the test set",
            f"RADAR {percent['overall']}%",
            f"{100 * counts.reasoning / total:.1f}%",
            f"{counts.reasoning} of {total} are reasoning",
        ),
    ]
    yield from (Implied(*row, "Table 1") for row in rows)
    for quantity, (printed, count, n_items, place) in intervals.items():
        row = Implied(
            quantity,
            printed,
            exact_interval(count, n_items),
            f"Clopper-Pearson, 95%, {count} of {n_items}",
            place,
        )
        yield row.with_number(count / n_items, clopper_pearson(count, n_items), n_items)


def _length(lengths: pd.DataFrame) -> Implied:
    """How far the printed example prompts can be told apart by their number of words."""
    recall, reasoning = (lengths.loc[lengths["label"] == label, "words"] for label in LABELS)
    beyond = int((reasoning > recall.max()).sum())
    return Implied(
        "length of the printed example prompts",
        f"{len(lengths)} prompts with their labels",
        f"recall {recall.min()} to {recall.max()} words, reasoning {reasoning.min()} to {reasoning.max()}",
        f"words between spaces; {beyond} of {len(reasoning)} reasoning prompts are longer than every recall prompt",
        "Tables 3 and 5",
    )


def _definitions() -> Iterator[Implied]:
    """What the printed formulas and counts of features imply."""
    yield Implied(
        "surface and mechanistic features",
        "17 + 20 in the body, 16 + 21 in the appendix",
        f"{len(SURFACE)} + {len(MECHANISTIC)}",
        "counted in the appendix, which names them",
        "section 2.2, appendix D",
    )
    # A query at position i that attends uniformly to i keys has entropy ln i.
    uniform = np.log(np.arange(1, 99))
    yield Implied(
        "entropy of a head with uniform causal attention over six tokens",
        f"specialised below {SPECIALISED}",
        f"{uniform[:6].sum():.2f} nats summed, {uniform[:6].mean():.2f} per query",
        "the printed sum over queries and keys is ln 6!; it grows with the length of the prompt",
        "appendix D.2.1",
    )
    yield Implied(
        "longest prompt on which such a head is specialised",
        f"specialised below {SPECIALISED}",
        f"{int((uniform.cumsum() < SPECIALISED).sum())} tokens",
        f"the largest T for which ln T! is below {SPECIALISED} nats",
        "appendix D.2.1",
    )
