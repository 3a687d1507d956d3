"""What RADAR's printed numbers imply."""

from collections.abc import Iterator
from typing import Annotated, NamedTuple

import numpy as np
import pandas as pd

from exhibits.radar.schemas import REPORTED_LENGTHS, REPORTED_PERFORMANCE
from exhibits.reanalysis.implied import Implied, exact_interval, implied_table
from exhibits.report.tables import Table
from mechaware.core.stats.intervals import clopper_pearson
from mechaware.instruments.radar.feature_extraction.features import MECHANISTIC, SURFACE

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
    """One row per implied number; `lengths` has the number of words of every prompt that the paper
    prints.

    Raises `ValueError` unless the printed percentages have exactly one solution.
    """
    by_slice = reported.set_index("slice")
    percent = {str(name): float(value) for name, value in by_slice["percent"].items()}
    n = {str(name): int(count) for name, count in by_slice["n"].items() if count > 0}
    table = _PrintedTable(percent, n)
    return implied_table([*_accuracy(table), _length(lengths), *_definitions()])


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
    """All splits of `total` items into two classes, `correct` of them right, that print both
    percentages.

    Percentages are printed with one decimal: counts fit if their percentage is at most 0.05 from
    the printed one.
    """
    solutions = []
    for recall in range(1, total):
        reasoning = total - recall
        for recall_correct in range(recall + 1):
            reasoning_correct = correct - recall_correct
            if not 0 <= reasoning_correct <= reasoning:
                continue
            recall_fits = _prints_as(recall_correct, recall, recall_percent)
            reasoning_fits = _prints_as(reasoning_correct, reasoning, reasoning_percent)
            if recall_fits and reasoning_fits:
                counts = ClassCounts(recall_correct, recall, reasoning_correct, reasoning)
                solutions.append(counts)
    return solutions


def _prints_as(correct: int, n: int, percent: float) -> bool:
    """Whether a share of correct items rounds to a percentage with one decimal."""
    # Half a unit of the last printed decimal, with a margin for binary fractions.
    return abs(100 * correct / n - percent) <= 0.05 + 1e-9


class _PrintedTable(NamedTuple):
    """What Table 1 prints of each slice: the accuracy in percent,
    and the number of prompts where it is given.
    """

    percent: dict[str, float]
    n: dict[str, int]

    def n_correct(self, name: str) -> int:
        """The number of prompts of a slice that are answered correctly."""
        return round(self.percent[name] * self.n[name] / 100)


def _accuracy(table: _PrintedTable) -> Iterator[Implied]:
    """The classes behind the printed accuracies, constant answers on them, and exact intervals."""
    recall_percent = table.percent["recall_tasks"]
    reasoning_percent = table.percent["reasoning_tasks"]
    total = table.n["overall"]
    n_correct = table.n_correct("overall")
    (counts,) = solve_class_counts(total, n_correct, recall_percent, reasoning_percent)
    yield Implied(
        quantity="classes of the test set",
        printed=f"{recall_percent}% of recall, {reasoning_percent}% of reasoning, {n_correct} of {total}",
        implied=str(counts),
        how="the only split into two classes that prints these percentages",
        place="Table 1",
    )

    challenging = _challenging_counts(counts, table)
    n_challenging = table.n["category:challenging"]
    yield Implied(
        quantity="challenging prompts by class",
        printed=f"{table.n_correct('category:challenging')} of {n_challenging}",
        implied=str(challenging),
        how="the classes less the clear and complex prompts, all of which are printed as right",
        place="Table 1",
    )
    yield from _constant_answers(counts, challenging, table)
    yield from _intervals(challenging, table)


def _challenging_counts(counts: ClassCounts, table: _PrintedTable) -> ClassCounts:
    """The classes of the challenging prompts alone; `counts` has the classes of all prompts.

    The paper prints all clear and complex prompts as right, so every error is on a challenging
    prompt.
    """
    n_easy_recall = table.n["category:clear_recall"]
    n_easy_reasoning = table.n["category:clear_reasoning"] + table.n["category:complex_reasoning"]
    challenging_recall = counts.recall - n_easy_recall
    return ClassCounts(
        recall_correct=counts.recall_correct - n_easy_recall,
        recall=challenging_recall,
        reasoning_correct=counts.reasoning_correct - n_easy_reasoning,
        reasoning=table.n["category:challenging"] - challenging_recall,
    )


def _constant_answers(
    counts: ClassCounts, challenging: ClassCounts, table: _PrintedTable
) -> Iterator[Implied]:
    """What answering recall, or reasoning, throughout gets right."""
    total = table.n["overall"]
    n_challenging = table.n["category:challenging"]
    yield Implied(
        quantity="always answering recall, on the challenging prompts",
        printed=f"RADAR {table.percent['category:challenging']}%",
        implied=f"{100 * challenging.recall / n_challenging:.1f}%",
        how=f"{challenging.recall} of {n_challenging} are recall",
        place="Table 1",
    )
    yield Implied(
        quantity="always answering reasoning, on the test set",
        printed=f"RADAR {table.percent['overall']}%",
        implied=f"{100 * counts.reasoning / total:.1f}%",
        how=f"{counts.reasoning} of {total} are reasoning",
        place="Table 1",
    )


def _intervals(challenging: ClassCounts, table: _PrintedTable) -> Iterator[Implied]:
    """Exact intervals of accuracies that are printed without one, or not at all."""
    yield _with_exact_interval(
        "interval of the overall accuracy",
        printed=f"{table.percent['overall']}%",
        count=table.n_correct("overall"),
        n=table.n["overall"],
        place="Table 1",
    )
    yield _with_exact_interval(
        "interval on challenging reasoning",
        printed="not printed",
        count=challenging.reasoning_correct,
        n=challenging.reasoning,
        place="Table 1",
    )
    yield _with_exact_interval(
        "interval of the cross-validation accuracy",
        printed=f"{table.percent['cross_validation']}%",
        count=table.n_correct("cross_validation"),
        n=table.n["cross_validation"],
        place="section 3.1",
    )


def _with_exact_interval(quantity: str, *, printed: str, count: int, n: int, place: str) -> Implied:
    """The row of an accuracy of which the paper gives no interval."""
    row = Implied(
        quantity=quantity,
        printed=printed,
        implied=exact_interval(count, n),
        how=f"Clopper-Pearson, 95%, {count} of {n}",
        place=place,
    )
    return row.with_number(count / n, clopper_pearson(count, n), n)


def _length(lengths: pd.DataFrame) -> Implied:
    """How far the printed example prompts can be told apart by their number of words."""
    words = lengths.groupby("label")["words"]
    recall = words.get_group("recall")
    reasoning = words.get_group("reasoning")
    n_longer = int((reasoning > recall.max()).sum())
    of_reasoning = f"{n_longer} of {len(reasoning)} reasoning prompts"
    return Implied(
        quantity="length of the printed example prompts",
        printed=f"{len(lengths)} prompts with their labels",
        implied=f"recall {recall.min()} to {recall.max()} words, reasoning {reasoning.min()} to {reasoning.max()}",
        how=f"words between spaces; {of_reasoning} are longer than every recall prompt",
        place="Tables 3 and 5",
    )


def _definitions() -> Iterator[Implied]:
    """What the printed formulas and counts of features imply."""
    yield Implied(
        quantity="surface and mechanistic features",
        printed="17 + 20 in the body, 16 + 21 in the appendix",
        implied=f"{len(SURFACE)} + {len(MECHANISTIC)}",
        how="counted in the appendix, which names them",
        place="section 2.2, appendix D",
    )

    # A query at position i that attends uniformly to i keys has entropy ln i.
    uniform = np.log(np.arange(1, 99))
    of_six = uniform[:6]
    yield Implied(
        quantity="entropy of a head with uniform causal attention over six tokens",
        printed=f"specialised below {SPECIALISED}",
        implied=f"{of_six.sum():.2f} nats summed, {of_six.mean():.2f} per query",
        how="the printed sum over queries and keys is ln 6!; it grows with the length of the prompt",
        place="appendix D.2.1",
    )
    n_specialised = int((uniform.cumsum() < SPECIALISED).sum())
    yield Implied(
        quantity="longest prompt on which such a head is specialised",
        printed=f"specialised below {SPECIALISED}",
        implied=f"{n_specialised} tokens",
        how=f"the largest T for which ln T! is below {SPECIALISED} nats",
        place="appendix D.2.1",
    )
