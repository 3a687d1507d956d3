"""Prompt sets, read from a CSV whose faults are reported by file and row."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from mechaware.core.errors import UserError
from mechaware.core.rows import read_rows

LABELS = ("recall", "reasoning")
COLUMNS = ("id", "prompt", "label", "category", "source")
ANSWERS = "answers"  # a column that a set may lack
# The categories of the paper's test set (Table 4).
PAPER_CATEGORIES = {"clear_recall", "clear_reasoning", "challenging", "complex_reasoning"}


class Prompt(NamedTuple):
    """A row of a prompt set.

    `label` is `recall` or `reasoning`, `category` and `source` are any text, and `row` is the number of the row's first
    line in the file. `answers` are the accepted answers, empty for a prompt without a definite answer.
    """

    id: str
    prompt: str
    label: str
    category: str
    source: str
    row: int
    answers: tuple[str, ...] = ()


def pair_id(prompt_id: str, label: str) -> str:
    """The matched pair of a prompt: its id without the suffix `-recall` or `-reasoning` that repeats its label.

    The prompts of a pair stay together in cross-validation and in bootstrap resamples.
    """
    return prompt_id.removesuffix(f"-{label}")


def read_prompts(path: Path) -> list[Prompt]:
    """The prompts of a CSV with the columns id, prompt, label, category and source.

    A column `answers`, if there is one, holds the accepted answers, separated by `|`. Further columns are ignored, and
    spaces around a field or an answer are dropped. Raises `UserError` for a file that is missing, not UTF-8, empty or
    without a column, and for a row with an empty field (`source` may be empty), an unknown label, a control character
    in its id, or the id or prompt of an earlier row; prompts that differ only in letter case or spaces are equal.
    """
    prompts = []
    first_place: dict[tuple[str, str], str] = {}
    for number, row in read_rows(path, COLUMNS, "prompts"):
        fields = {column: (row[column] or "").strip() for column in COLUMNS}
        prompt = Prompt(**fields, row=number, answers=_split_answers(row.get(ANSWERS) or ""))
        _check_fields(prompt, path, number)
        unique = {"id": prompt.id, "prompt": normalised(prompt.prompt)}
        check_repeated(unique, first_place, path, f"row {number}")
        prompts.append(prompt)
    return prompts


def check_repeated(
    fields: Mapping[str, str], first_place: dict[tuple[str, str], str], path: Path, place: str
) -> None:
    """Raise `UserError` if an earlier row has the same text in one of these fields, which are given by name.

    `first_place` maps a field's name and text to the place where they came first; texts that are new are added to it.
    """
    for name, text in fields.items():
        earlier = first_place.setdefault((name, text), place)
        if earlier != place:
            raise UserError(
                f"{path}, {place}: the same {name} as {earlier}; remove or change one of them"
            )


def normalised(text: str) -> str:
    """`text` in lower case with single spaces: texts that differ only in these count as the same."""
    return " ".join(text.casefold().split())


def has_papers_categories(categories: Iterable[str]) -> bool:
    """Whether a set has all categories of the paper's test set, so that its results may be shown with the paper's."""
    return set(categories) >= PAPER_CATEGORIES


def check_folds(
    prompts: Sequence[Prompt], folds: int, path: Path, *, needs_both_classes: bool
) -> None:
    """Raise `UserError` for a set whose classes are too small for cross-validation in `folds` folds.

    Each class needs a prompt in every fold and two prompts outside each fold, because the SVM's probabilities are
    calibrated by an inner cross-validation. A set that is only evaluated (`needs_both_classes` false) may lack a class:
    it is predicted, but not cross-validated.
    """
    counts = Counter(prompt.label for prompt in prompts)
    if not needs_both_classes and len(counts) == 1:
        return
    for label in LABELS:
        n = counts[label]
        n_outside_largest_fold = n - math.ceil(n / folds)
        if n < folds or n_outside_largest_fold < 2:
            raise UserError(
                f"{path}: {n} {label} prompts, but radar/folds is {folds}; "
                f"add {label} prompts or lower radar/folds in the config"
            )


def check_disjoint(
    training: Sequence[Prompt], evaluation: Sequence[Prompt], training_path: Path, path: Path
) -> None:
    """Raise `UserError` for an evaluation set that holds a training prompt: its accuracy would be contaminated."""
    training_rows = {normalised(prompt.prompt): prompt.row for prompt in training}
    for prompt in evaluation:
        row = training_rows.get(normalised(prompt.prompt))
        if row is not None:
            raise UserError(
                f"{path}, row {prompt.row}: also a training prompt ({training_path}, row {row}); remove one of them"
            )


def _split_answers(field: str) -> tuple[str, ...]:
    """The accepted answers in a cell, without the empty ones."""
    answers = [answer.strip() for answer in field.split("|")]
    return tuple(answer for answer in answers if answer)


def _check_fields(prompt: Prompt, path: Path, row: int) -> None:
    """Raise `UserError` for an empty field, a control character in the id, or an unknown label."""
    for column in ("id", "prompt", "label", "category"):
        if not getattr(prompt, column):
            raise UserError(f"{path}, row {row}: empty {column}; fill it in or remove the row")
    if re.search(r"[\x00-\x1f\x7f]", prompt.id):
        raise UserError(
            f"{path}, row {row}: id {prompt.id!r} has a control character; write text on one line"
        )
    if prompt.label not in LABELS:
        raise UserError(f"{path}, row {row}: label {prompt.label!r}; write {' or '.join(LABELS)}")
