"""The verdict on a log with passages: does the score follow them?"""

from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import pandas as pd

from mechaware.core.accepted_answers import has_words
from mechaware.core.levels import significance_at
from mechaware.core.rows import list_faults
from mechaware.instruments.grounding.passages import decision as deciding
from mechaware.instruments.grounding.passages.asking import Question
from mechaware.instruments.grounding.passages.decision import Accuracy, Comparison, decide
from mechaware.models.tokenisation.chat import Template
from mechaware.verdicts.cases.passages import passages_decisions
from mechaware.verdicts.error_rates import ErrorRates
from mechaware.verdicts.page import Door
from mechaware.verdicts.procedure import Procedure, make_procedure
from mechaware.verdicts.verdict import Outcome, Verdict

_OUTCOMES: dict[deciding.Status, Outcome] = {
    "follows": "shown",
    "not shown": "not shown",
    "cannot tell": "cannot tell",
}
_NOT_MEASURED = (
    "how often this verdict is wrong is not measured: no planted models are known to answer from "
    "passages"
)
DOOR = Door(
    question="Does the score of {model} on {name} follow the passages?",
    template=Path(deciding.__file__).parent / "templates/passages.html.j2",
    values=lambda verdict: deciding.page_values(verdict.evidence.answers),
    planted="",
    nearby_files="verdict.json has all of it, and items.csv a row for each item.",
)


class PassagesEvidence(NamedTuple):
    """What a verdict on a log with passages rests on.

    - `n_passages`: the number of different passages. `text_length`: their median length, in
      characters.
    - `accuracies`, `comparisons` and `follows`: as in `Decision`.
    - `answers`: a record for each item and condition: id, passage (its number), condition (own,
      exchanged, none), answer, right, and logged, the mark in the log, None without one.
    """

    n_passages: int
    text_length: float
    accuracies: list[Accuracy]
    comparisons: list[Comparison]
    follows: float | None
    answers: list[dict[str, Any]]

    def record(self) -> dict[str, Any]:
        """The tables as JSON holds them."""
        return self._asdict() | {
            "accuracies": [accuracy._asdict() for accuracy in self.accuracies],
            "comparisons": [comparison._asdict() for comparison in self.comparisons],
        }


def judge_passages(
    answers: pd.DataFrame,
    questions: Sequence[Question],
    *,
    confidence_level: float,
    notes: Sequence[str] = (),
) -> Verdict[PassagesEvidence]:
    """The verdict on the answers to `questions` (`answer_questions`).

    `confidence_level`: of the intervals, such as 0.95.
    `notes`: what a reader must know about how the log was read; the notes on the answers follow.
    """
    decision = decide(answers, confidence_level)
    passages = {question.item.passage for question in questions}
    # JSON has no NaN: missing cells become None.
    with_none = answers.astype(object).where(answers.notna(), None)
    records = []
    for row in with_none.to_dict("records"):
        records.append({str(name): cell for name, cell in row.items()})

    evidence = PassagesEvidence(
        n_passages=len(passages),
        text_length=float(median(map(len, passages))),
        accuracies=decision.accuracies,
        comparisons=decision.comparisons,
        follows=decision.follows,
        answers=records,
    )
    return Verdict(
        question="follows",
        status=decision.status,
        outcome=_OUTCOMES[decision.status],
        reason=decision.reason,
        level=confidence_level,
        n=len(questions),
        evidence=evidence,
        procedure=passages_procedure(confidence_level),
        error_rates=ErrorRates([], [_NOT_MEASURED], []),
        notes=[
            *notes,
            *_item_notes(questions, len(passages)),
            *_log_difference_notes(decision, confidence_level),
        ],
    )


def passages_procedure(confidence_level: float) -> Procedure:
    """The procedure of a verdict with intervals of `confidence_level`."""
    settings: dict[str, object] = {
        "test": "sign test over passages",
        "level": significance_at(confidence_level),
    }
    return make_procedure("grounding", settings, ["own", "exchanged"], passages_decisions())


def log_notes(left_out: Sequence[str], template: Template) -> list[str]:
    """The samples of a log that are not asked, and why; and the chat template."""
    notes = []
    if left_out:
        notes.append(f"{len(left_out)} samples of the log are not asked:\n{list_faults(left_out)}")
    if template == "chat":
        notes.append(
            "the prompts are messages of a user in the tokenizer's chat template, and answers "
            "begin the replies"
        )
    return notes


def items_table(answers: pd.DataFrame) -> pd.DataFrame:
    """A row for each item; `answers` has a row for each item and condition.

    The columns are id, passage and logged, then right_{condition} for each condition, then
    answer_{condition} for each.
    """
    table = answers.drop_duplicates("id")[["id", "passage", "logged"]].set_index("id")
    for column in ("right", "answer"):
        wide = answers.pivot(index="id", columns="condition", values=column)
        for condition in deciding.LABELS:
            table[f"{column}_{condition}"] = wide[condition]
    return table.reset_index()


def _item_notes(questions: Sequence[Question], n_passages: int) -> list[str]:
    """Notes on the items: how many share passages, how written answers are counted, and how many
    of the items with written answers have an accepted answer in the exchanged passage.
    """
    notes = []
    if n_passages < len(questions):
        notes.append(
            f"{len(questions)} items share {n_passages} passages: intervals and tests are over "
            "passages"
        )
    written = [question for question in questions if not question.item.options]
    if written:
        notes.append(
            f"{len(written)} items have no options: an answer is right if its first line has an "
            "accepted one, which the log may count otherwise"
        )
    n_in_exchanged = 0
    for question in written:
        if any(has_words(question.exchanged, answer) for answer in question.item.accepted):
            n_in_exchanged += 1
    if n_in_exchanged:
        notes.append(
            f"in {n_in_exchanged} of them the exchanged passage also contains an accepted answer, so "
            "that an answer from it counts as right"
        )
    return notes


def _log_difference_notes(decision: deciding.Decision, confidence_level: float) -> list[str]:
    """A note if the marks in the log differ significantly from the marks of the answers given anew.

    There is none if the log has no marks, or a mark outside 0 to 1.
    """
    if decision.logged_p is None or decision.logged_p > significance_at(confidence_level):
        return []
    # With a `logged_p`, the first accuracy belongs to the logged marks, the second to `own`.
    logged, own, *_ = decision.accuracies
    return [
        f"asked anew, {own.value:.0%} of the items are right, and {logged.value:.0%} in the log "
        f"(p = {decision.logged_p:.2g}): the log is of another model, prompt or way of counting, and "
        "the verdict is on the answers given anew"
    ]
