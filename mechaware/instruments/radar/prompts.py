"""Prompt sets: read from a CSV, and checked for repeated prompts and for cross-validation.

Messages name the file and the row.
"""

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
ANSWERS = "answers"  # a further column, which a set may lack
# The categories of the paper's test set (Table 4).
PAPER_CATEGORIES = {"clear_recall", "clear_reasoning", "challenging", "complex_reasoning"}


class Prompt(NamedTuple):
    """A row of a prompt set.

    `label` is `recall` or `reasoning`, `category` and `source` are any text, and `row` is the
    number of the row's first line in the file. `answers` are the accepted answers, empty for a
    prompt without a definite answer.
    """

    id: str
    prompt: str
    label: str
    category: str
    source: str
    row: int
    answers: tuple[str, ...] = ()


def pair_id(prompt_id: str, label: str) -> str:
    """The matched pair of a prompt: its id without the suffix that repeats its label.

    The suffix is `-recall` or `-reasoning`; an id that does not end in its label stays whole.
    The prompts of a pair stay together in cross-validation and in bootstrap resamples.
    """
    return prompt_id.removesuffix(f"-{label}")


def read_prompts(path: Path) -> list[Prompt]:
    """The prompts of a CSV with the columns id, prompt, label, category and source.

    The column `answers` may be missing; it holds the accepted answers, separated by `|`. Further
    columns are ignored, and spaces around a field or an answer are dropped.

    Raises `UserError` for

    - a file that is missing, not UTF-8, empty or without one of the five columns;
    - a row with an empty field (`source` may be empty), an unknown label, or a control character in
      its id;
    - a row with the id or prompt of an earlier row. Prompts that differ only in letter case or
      spaces are equal (`normalised`).
    """
    prompts = []
    first_place: dict[tuple[str, str], str] = {}
    for number, row in read_rows(path, COLUMNS, "prompts"):
        fields = {column: (row[column] or "").strip() for column in COLUMNS}
        prompt = Prompt(**fields, row=number, answers=_split_answers(row.get(ANSWERS) or ""))
        _check_fields(prompt, path)
        unique = {"id": prompt.id, "prompt": normalised(prompt.prompt)}
        check_repeated(unique, first_place, path, f"row {number}")
        prompts.append(prompt)
    return prompts


def check_repeated(
    fields: Mapping[str, str], first_place: dict[tuple[str, str], str], path: Path, place: str
) -> None:
    """Raise `UserError` if an earlier row has the same text in one of its `fields`.

    `fields` maps names of fields to the texts of the row at `place`. `first_place` maps the name
    and text of a field to the place where they came first; new names and texts are added to it.
    """
    for name, text in fields.items():
        earlier = first_place.setdefault((name, text), place)
        if earlier != place:
            raise UserError(
                f"{path}, {place}: the same {name} as {earlier}; remove or change one of them"
            )


def normalised(text: str) -> str:
    """`text` in lower case with single spaces, so that texts can be compared regardless of both."""
    return " ".join(text.casefold().split())


def has_papers_categories(categories: Iterable[str]) -> bool:
    """Whether a set has all categories of the paper's test set.

    Only then may its results be shown beside the paper's.
    """
    return set(categories) >= PAPER_CATEGORIES


def check_folds(
    prompts: Sequence[Prompt], folds: int, path: Path, *, needs_both_classes: bool
) -> None:
    """Raise `UserError` for a set with a class that is too small for `folds`-fold cross-validation.

    Each class needs a prompt in every fold and two prompts outside each fold, because the SVM's
    probabilities are calibrated by an inner cross-validation. A set with a single class passes
    unless `needs_both_classes`: such a set is predicted by a fit on another set, and is not
    cross-validated.
    """
    counts = Counter(prompt.label for prompt in prompts)
    if not needs_both_classes and len(counts) == 1:
        return
    for label in LABELS:
        n_prompts = counts[label]
        n_outside_largest_fold = n_prompts - math.ceil(n_prompts / folds)
        if n_prompts < folds or n_outside_largest_fold < 2:
            raise UserError(
                f"{path}: {n_prompts} {label} prompts, but radar/folds is {folds}; "
                f"add {label} prompts or lower radar/folds in the config"
            )


def check_disjoint(
    training: Sequence[Prompt], evaluation: Sequence[Prompt], training_path: Path, path: Path
) -> None:
    """Raise `UserError` if an evaluation set holds a training prompt, which biases its accuracy.

    Messages name the evaluation set `path`. Prompts are compared as `normalised` texts.
    """
    training_rows = {normalised(prompt.prompt): prompt.row for prompt in training}
    for prompt in evaluation:
        row = training_rows.get(normalised(prompt.prompt))
        if row is not None:
            raise UserError(
                f"{path}, row {prompt.row}: also a training prompt ({training_path}, row {row}); "
                "remove one of them"
            )


def _split_answers(field: str) -> tuple[str, ...]:
    """The accepted answers in a cell, without the empty ones."""
    answers = [answer.strip() for answer in field.split("|")]
    return tuple(answer for answer in answers if answer)


def _check_fields(prompt: Prompt, path: Path) -> None:
    """Raise `UserError` for an empty field, a control character in the id, or an unknown label."""
    row = prompt.row
    for column in ("id", "prompt", "label", "category"):
        if not getattr(prompt, column):
            raise UserError(f"{path}, row {row}: empty {column}; fill it in or remove the row")
    if re.search(r"[\x00-\x1f\x7f]", prompt.id):
        raise UserError(
            f"{path}, row {row}: id {prompt.id!r} has a control character; write text on one line"
        )
    if prompt.label not in LABELS:
        raise UserError(f"{path}, row {row}: label {prompt.label!r}; write {' or '.join(LABELS)}")
