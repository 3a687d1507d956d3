"""What RADAR's printed numbers imply, derived from the printed numbers alone."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from mechaware.radar.feature_extraction.features import MECHANISTIC, SURFACE
from mechaware.radar.prompts import LABELS
from mechaware.stats import clopper_pearson

SPECIALISED = 1.5  # tau as printed, in nats: a head with less attention entropy counts as specialised

Row = tuple[str, str, str, str, str]  # quantity, printed, implied, how, place


class ClassCounts(NamedTuple):
    """The correct items and all items of each class."""

    recall_correct: int
    recall: int
    reasoning_correct: int
    reasoning: int


def solve_class_counts(total: int, correct: int, recall_percent: float, reasoning_percent: float) -> list[ClassCounts]:
    """All splits of `total` items into two classes, `correct` of them right, that print both percentages.

    A percentage has one decimal, so a count fits if it is within 0.05 of it; ties at 0.05 fit.
    """
    return [
        counts
        for recall in range(1, total)
        for recall_correct in range(recall + 1)
        if _prints_as(recall_correct, recall, recall_percent)
        for counts in [ClassCounts(recall_correct, recall, correct - recall_correct, total - recall)]
        if 0 <= counts.reasoning_correct <= counts.reasoning
        and _prints_as(counts.reasoning_correct, counts.reasoning, reasoning_percent)
    ]


def implied_numbers(reported: pd.DataFrame, lengths: pd.DataFrame) -> pd.DataFrame:
    """The table quantity | printed | implied | how | place.

    `reported` is config/reported/radar_performance.csv indexed by `slice`, with the columns `percent` and `n`;
    `lengths` has the `label` and the number of `words` of every prompt that the paper prints. Raises `ValueError` if
    the printed percentages do not have exactly one solution.
    """
    percent = {str(name): float(value) for name, value in reported["percent"].items()}
    n = {str(name): int(value) for name, value in reported["n"].dropna().items()}
    correct = round(percent["overall"] * n["overall"] / 100)
    solutions = solve_class_counts(n["overall"], correct, percent["recall_tasks"], percent["reasoning_tasks"])
    if len(solutions) != 1:
        raise ValueError(f"{len(solutions)} ways to split {n['overall']} items")
    (counts,) = solutions
    challenging = _challenging_counts(counts, n)
    rows = [
        *_class_rows(percent, n, counts, challenging),
        *_interval_rows(percent, n, correct, challenging),
        _length_row(lengths),
        *_definition_rows(),
    ]
    return pd.DataFrame(rows, columns=["quantity", "printed", "implied", "how", "place"])


def _challenging_counts(counts: ClassCounts, n: Mapping[str, int]) -> ClassCounts:
    """The challenging prompts by class: all but the clear and complex ones, all of which are printed as right."""
    recall = counts.recall - n["category:clear_recall"]
    return ClassCounts(
        recall_correct=counts.recall_correct - n["category:clear_recall"],
        recall=recall,
        reasoning_correct=counts.reasoning_correct - n["category:clear_reasoning"] - n["category:complex_reasoning"],
        reasoning=n["category:challenging"] - recall,
    )


def _class_rows(
    percent: Mapping[str, float], n: Mapping[str, int], counts: ClassCounts, challenging: ClassCounts
) -> list[Row]:
    total, n_challenging = n["overall"], n["category:challenging"]
    correct = counts.recall_correct + counts.reasoning_correct
    return [
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
            f"{round(percent['category:challenging'] * n_challenging / 100)} of {n_challenging}",
            f"{challenging.recall_correct} of {challenging.recall} recall, "
            f"{challenging.reasoning_correct} of {challenging.reasoning} reasoning",
            "the classes less the clear and complex prompts, all of which are printed as right",
            "Table 1",
        ),
        (
            "always answering recall, on the challenging prompts",
            f"RADAR {percent['category:challenging']}%",
            f"{100 * challenging.recall / n_challenging:.1f}%",
            f"{challenging.recall} of {n_challenging} are recall",
            "Table 1",
        ),
        (
            "always answering reasoning, on the test set",
            f"RADAR {percent['overall']}%",
            f"{100 * counts.reasoning / total:.1f}%",
            f"{counts.reasoning} of {total} are reasoning",
            "Table 1",
        ),
    ]


def _interval_rows(
    percent: Mapping[str, float], n: Mapping[str, int], correct: int, challenging: ClassCounts
) -> list[Row]:
    folds_correct = round(percent["cross_validation"] * n["cross_validation"] / 100)
    return [
        ("interval of the overall accuracy", f"{percent['overall']}%", *_interval(correct, n["overall"]), "Table 1"),
        (
            "interval on challenging reasoning",
            "not printed",
            *_interval(challenging.reasoning_correct, challenging.reasoning),
            "Table 1",
        ),
        (
            "interval of the cross-validation accuracy",
            f"{percent['cross_validation']}%",
            *_interval(folds_correct, n["cross_validation"]),
            "section 3.1",
        ),
    ]


def _length_row(lengths: pd.DataFrame) -> Row:
    """How far the printed example prompts can be told apart by their number of words."""
    recall, reasoning = (lengths.loc[lengths["label"] == label, "words"] for label in LABELS)
    beyond = int((reasoning > recall.max()).sum())
    return (
        "length of the printed example prompts",
        f"{len(lengths)} prompts with their labels",
        f"recall {recall.min()} to {recall.max()} words, reasoning {reasoning.min()} to {reasoning.max()}",
        f"words between spaces; {beyond} of {len(reasoning)} reasoning prompts are longer than every recall prompt",
        "Tables 3 and 5",
    )


def _definition_rows() -> list[Row]:
    """What the printed formulas and counts of features imply."""
    uniform = np.log(np.arange(1, 99))  # a query at position i that attends uniformly to i keys has entropy ln i
    return [
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
            f"{uniform[:6].sum():.2f} nats summed, {uniform[:6].mean():.2f} per query",
            "the printed sum over queries and keys is ln 6!; it grows with the length of the prompt",
            "appendix D.2.1",
        ),
        (
            "longest prompt on which such a head is specialised",
            f"specialised below {SPECIALISED}",
            f"{int((uniform.cumsum() < SPECIALISED).sum())} tokens",
            f"the largest T for which ln T! is below {SPECIALISED} nats",
            "appendix D.2.1",
        ),
    ]


def _prints_as(correct: int, n: int, percent: float) -> bool:
    # Half a unit of the last printed decimal, with a margin for binary fractions.
    return abs(100 * correct / n - percent) <= 0.05 + 1e-9


def _interval(correct: int, n: int) -> tuple[str, str]:
    interval = clopper_pearson(correct, n)
    return f"{100 * interval.low:.1f}% to {100 * interval.high:.1f}%", f"Clopper-Pearson, 95%, {correct} of {n}"
