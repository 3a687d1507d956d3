"""What RADAR's printed numbers imply, worked out from the printed numbers alone."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from mechaware.radar.features.features import MECHANISTIC, SURFACE
from mechaware.stats import clopper_pearson

SPECIALISED = 1.5  # nats, as printed: a head whose attention entropy is below counts as specialised


class ClassCounts(NamedTuple):
    """Correct and all items of each class."""

    recall_correct: int
    recall: int
    reasoning_correct: int
    reasoning: int


def solve_class_counts(total: int, correct: int, recall_percent: float, reasoning_percent: float) -> list[ClassCounts]:
    """All splits of `total` items into two classes with `correct` right in all and both percentages to one decimal."""
    return [
        counts
        for recall in range(1, total)
        for recall_correct in range(recall + 1)
        if _prints_as(recall_correct, recall, recall_percent)
        for counts in [ClassCounts(recall_correct, recall, correct - recall_correct, total - recall)]
        if 0 <= counts.reasoning_correct <= counts.reasoning
        and _prints_as(counts.reasoning_correct, counts.reasoning, reasoning_percent)
    ]


def implied_numbers(reported: pd.DataFrame) -> pd.DataFrame:
    """The table printed | implied | how, from config/reported/radar_performance.csv indexed by `slice`.

    Raises `ValueError` if the printed percentages do not have exactly one solution.
    """
    percent = {str(name): float(value) for name, value in reported["percent"].items()}
    n = {str(name): int(value) for name, value in reported["n"].dropna().items()}
    total = n["overall"]
    correct = round(percent["overall"] * total / 100)
    solutions = solve_class_counts(total, correct, percent["recall_tasks"], percent["reasoning_tasks"])
    if len(solutions) != 1:
        raise ValueError(f"{len(solutions)} ways to split {total} items")
    (counts,) = solutions
    clear_recall, clear_reasoning, challenging, complex_reasoning = (
        n[f"category:{name}"] for name in ("clear_recall", "clear_reasoning", "challenging", "complex_reasoning")
    )
    hard_recall = counts.recall - clear_recall
    hard_reasoning = challenging - hard_recall
    hard_recall_correct = counts.recall_correct - clear_recall
    hard_reasoning_correct = counts.reasoning_correct - clear_reasoning - complex_reasoning
    folds_correct = round(percent["cross_validation"] * n["cross_validation"] / 100)
    rows = [
        (
            "classes of the test set",
            f"{percent['recall_tasks']}% of recall, {percent['reasoning_tasks']}% of reasoning, {correct} of {total}",
            f"{counts.recall_correct} of {counts.recall} recall, "
            f"{counts.reasoning_correct} of {counts.reasoning} reasoning",
            "the only split into two classes that prints these percentages",
            "Table 1",
        ),
        (
            "challenging prompts by class",
            f"{round(percent['category:challenging'] * challenging / 100)} of {challenging}",
            f"{hard_recall_correct} of {hard_recall} recall, {hard_reasoning_correct} of {hard_reasoning} reasoning",
            "the classes less the clear and complex prompts, all of which are printed as right",
            "Table 1",
        ),
        (
            "always answering recall, on the challenging prompts",
            f"RADAR {percent['category:challenging']}%",
            f"{100 * hard_recall / challenging:.1f}%",
            f"{hard_recall} of {challenging} are recall",
            "Table 1",
        ),
        (
            "always answering reasoning, on the test set",
            f"RADAR {percent['overall']}%",
            f"{100 * counts.reasoning / total:.1f}%",
            f"{counts.reasoning} of {total} are reasoning",
            "Table 1",
        ),
        ("interval of the overall accuracy", f"{percent['overall']}%", *_interval(correct, total), "Table 1"),
        (
            "interval on challenging reasoning",
            "not printed",
            *_interval(hard_reasoning_correct, hard_reasoning),
            "Table 1",
        ),
        (
            "interval of the cross-validation accuracy",
            f"{percent['cross_validation']}%",
            *_interval(folds_correct, n["cross_validation"]),
            "section 3.1",
        ),
        (
            "surface and mechanistic features",
            "17 + 20 in the body, 16 + 21 in the appendix",
            f"{len(SURFACE)} + {len(MECHANISTIC)}",
            "counted in the appendix, which names them",
            "section 2.2, appendix D",
        ),
        (
            "entropy of a head with uniform causal attention over six tokens",
            f"specialised below {SPECIALISED}",
            f"{np.log(np.arange(1, 7)).sum():.2f} nats summed, {np.log(np.arange(1, 7)).mean():.2f} per query",
            "the printed sum over queries and keys is ln 6!; it grows with the length of the prompt",
            "appendix D.2.1",
        ),
        (
            "longest prompt on which such a head is specialised",
            f"specialised below {SPECIALISED}",
            f"{int((np.log(np.arange(1, 99)).cumsum() < SPECIALISED).sum())} tokens",
            f"the largest T for which ln T! is below {SPECIALISED} nats",
            "appendix D.2.1",
        ),
    ]
    return pd.DataFrame(rows, columns=["quantity", "printed", "implied", "how", "place"])


def _prints_as(correct: int, n: int, percent: float) -> bool:
    # Half a unit of the last printed decimal, and a hair for binary fractions.
    return abs(100 * correct / n - percent) <= 0.05 + 1e-9


def _interval(correct: int, n: int) -> tuple[str, str]:
    interval = clopper_pearson(correct, n)
    return f"{100 * interval.low:.1f}% to {100 * interval.high:.1f}%", f"Clopper-Pearson, 95%, {correct} of {n}"
