"""The options of a multiple-choice item: read from a benchmark's cells,
and written into its text.
"""

import json
import re
import string
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from mechaware.core.rows import cell_text
from mechaware.instruments.radar.question_answer import QuestionAnswer, join

CHOICES = "choices"  # the name of the column
# Text that has to be JSON: [ or {, followed by a quotation mark or by no `|` at all. So
# `["a|b", "c"]` is JSON, but `[0, 1]|[1, 2]` is two choices, separated by `|`.
_JSON = re.compile(r"""\s*[\[{](\s*["']|[^|]*$)""")


class Options(NamedTuple):
    """The options of an item, and the place of the right one, from 0; None if it is unknown."""

    texts: tuple[str, ...]
    answer_place: int | None


def read_options(choices: object, answer: object) -> Options | None:
    """The options in the cells `choices` and `answer` of an item; None if there are no choices.

    Raises `ValueError` for choices that cannot be used, and for an answer that names none of them.
    """
    listed_choices, labels = _list_choices(choices)
    if not listed_choices:
        return None
    return _match_answer(answer, listed_choices, labels)


def with_options(stem: str, options: Sequence[str], answer_place: int | None) -> QuestionAnswer:
    """Question and answer in the layout of MMLU (Hendrycks et al. 2021).

    The question is the stem, a lettered line per option, and `Answer:`; the answer is the letter at
    `answer_place`, which counts from 0. Without `answer_place` the answer is empty.
    """
    letters = string.ascii_uppercase[: len(options)]
    lines = [f"{letter}. {text}" for letter, text in zip(letters, options, strict=True)]
    answer = "" if answer_place is None else string.ascii_uppercase[answer_place]
    return join("\n".join([stem, *lines, "Answer:"]), answer)


def _list_choices(cell: object) -> tuple[list[object], list[object]]:
    """The choices of a cell and their labels, both empty if the cell is; labels may be absent.

    A cell is a list, a mapping with lists `text` and perhaps `label` (as ARC has them), JSON text
    of either, or texts separated by `|`. Raises `ValueError` for any other cell.
    """
    parsed: Any = cell
    # A cell without a length is a missing value or a number.
    is_text = isinstance(cell, str) or not hasattr(cell, "__len__")
    if is_text:
        text = cell_text(cell, CHOICES).strip() or "[]"
        # Broken JSON stays text, and is refused below.
        with suppress(ValueError, RecursionError):
            parsed = json.loads(text) if _JSON.match(text) else text.split("|")

    choices = parsed
    labels: Any = []
    if isinstance(parsed, Mapping):
        choices = parsed.get("text")
        labels = parsed.get("label", [])
    if not _are_choices(choices, labels):
        raise ValueError(
            f"{CHOICES} {str(cell)[:60]}; write a JSON list of 2 to 26 texts, or separate them by |"
        )
    return list(choices), list(labels)


def _are_choices(choices: Any, labels: Any) -> bool:
    """Whether both are lists of usable lengths.

    Choices are none, or from 2 to 26, so that each has a letter. Labels are none, or as many as
    choices.
    """
    if not _is_list(choices) or not _is_list(labels):
        return False
    n_choices = len(choices)
    if n_choices == 1 or n_choices > len(string.ascii_uppercase):
        return False
    return len(labels) in (0, n_choices)


def _is_list(cell: object) -> bool:
    """Whether `cell` is a list, a tuple, or an array;
    pandas reads a list in Parquet as an array.
    """
    return isinstance(cell, list | tuple) or hasattr(cell, "tolist")


def _match_answer(answer: object, choices: list[object], labels: list[object]) -> Options:
    """The choices as texts, and the place that the answer names; it is None for an empty answer.

    Without labels, `answer` is the text of a choice, or else its letter or its number from 0. With
    labels, it is a label, or else the text of a choice. A number never equals a text: as in MMLU,
    the answer 1 to the texts "1" and "2" means the second in JSON lines and Parquet; in a CSV every
    cell is text. Raises `ValueError` for any other answer, and for empty or equal choices or
    labels.
    """
    texts = [cell_text(choice, "choice").strip() for choice in choices]
    label_texts = [cell_text(label, "choice").strip() for label in labels]
    if not all(texts) or not all(label_texts):
        raise ValueError("empty choice; fill it in or remove it")
    for cells in (texts, label_texts):
        repeated = [cell for cell in cells if cells.count(cell) > 1]
        if repeated:
            raise ValueError(f"choice '{repeated[0]}' twice; change or remove one of them")

    by_text = {text: place for place, text in enumerate(texts)}
    by_label = {label: place for place, label in enumerate(label_texts)}
    by_letter = {string.ascii_uppercase[place]: place for place in range(len(texts))}
    by_number = {str(place): place for place in range(len(texts))}

    # The place that each possible answer means; for an answer in several tables, `|` keeps the
    # place in the last of them.
    choices_are_texts = all(isinstance(choice, str) for choice in choices)
    if label_texts:
        meant = by_text | by_label
    elif choices_are_texts and not isinstance(answer, str):
        meant = by_number | by_letter
    else:
        meant = by_number | by_letter | by_text

    given = cell_text(answer, "answer").strip()
    if not given:
        return Options(tuple(texts), None)
    if given not in meant:
        remedy = "or its label" if label_texts else "its letter or its number"
        raise ValueError(
            f"answer '{given}' is none of the {len(texts)} {CHOICES}; write one, {remedy}"
        )
    return Options(tuple(texts), meant[given])
