"""The options of a multiple-choice item: read from a benchmark's cells, and put into the item's text."""

import json
import re
import string
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from mechaware.core.rows import cell_text
from mechaware.instruments.radar.question_answer import QuestionAnswer, join

CHOICES = "choices"  # the column
# Text that has to be JSON: [ or {, then a quotation mark or no `|`. `[0, 1]|[1, 2]` are two
# choices, separated by `|`.
_JSON = re.compile(r"""\s*[\[{](\s*["']|[^|]*$)""")


class Options(NamedTuple):
    """The options of an item, and the place of the answer among them, from 0; None if unknown."""

    texts: tuple[str, ...]
    answer_place: int | None


def read_options(choices: object, answer: object) -> Options | None:
    """The options in the cells `choices` and `answer` of an item; None if there are no choices.

    Raises `ValueError` for choices that cannot be used, and for an answer that is none of them.
    """
    listed, labels = _listed_choices(choices)
    if not listed:
        return None
    return _match_answer(answer, listed, labels)


def with_options(stem: str, options: Sequence[str], answer_place: int | None) -> QuestionAnswer:
    """Question and answer as Hendrycks et al. 2021 (MMLU) put them: a lettered line per option, `Answer:`, the letter.

    `answer_place`: from 0; without it there is no letter.
    """
    letters = string.ascii_uppercase[: len(options)]
    lines = [f"{letter}. {text}" for letter, text in zip(letters, options, strict=True)]
    answer = "" if answer_place is None else string.ascii_uppercase[answer_place]
    return join("\n".join([stem, *lines, "Answer:"]), answer)


def _listed_choices(cell: object) -> tuple[list[object], list[object]]:
    """The choices of a cell and their labels; no choices if it is empty, no labels if it has none.

    A cell is a list, a mapping with lists `text` and perhaps `label` (as ARC has them), JSON text
    of either, or texts separated by `|`. Raises `ValueError` for others.
    """
    parsed: Any = cell
    if isinstance(cell, str) or not hasattr(cell, "__len__"):
        text = cell_text(cell, CHOICES).strip() or "[]"
        with suppress(ValueError, RecursionError):  # broken JSON stays text and is refused below
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
    """Whether both are lists, of no choices or 2 to 26 (one a letter), and of no labels or one for each choice."""
    if not _is_list(choices) or not _is_list(labels):
        return False
    n_choices = len(choices)
    if n_choices == 1 or n_choices > len(string.ascii_uppercase):
        return False
    return len(labels) in (0, n_choices)


def _is_list(cell: object) -> bool:
    """Whether `cell` is a list, a tuple, or an array, which pandas makes of a list in Parquet."""
    return isinstance(cell, list | tuple) or hasattr(cell, "tolist")


def _match_answer(answer: object, choices: list[object], labels: list[object]) -> Options:
    """The choices as texts, and the place of the answer among them from 0; None for an empty answer.

    Without labels, `answer` is the text of a choice or else its letter or its number from 0. With
    labels, it is a label or else the text of a choice. A number never equals a text: as in MMLU,
    the answer 1 to the texts "1" and "2" means the second in JSON lines and Parquet; in a CSV every
    cell is text. Raises `ValueError` for any other answer, and for empty or equal choices.
    """
    texts = [cell_text(choice, "choice").strip() for choice in choices]
    names = [cell_text(label, "choice").strip() for label in labels]
    if not all(texts) or not all(names):
        raise ValueError("empty choice; fill it in or remove it")
    for cells in (texts, names):
        repeated = [cell for cell in cells if cells.count(cell) > 1]
        if repeated:
            raise ValueError(f"choice '{repeated[0]}' twice; change or remove one of them")

    by_text = {text: place for place, text in enumerate(texts)}
    by_label = {name: place for place, name in enumerate(names)}
    by_letter = {string.ascii_uppercase[place]: place for place in range(len(texts))}
    by_number = {str(place): place for place in range(len(texts))}
    may_be_text = isinstance(answer, str) or not all(isinstance(choice, str) for choice in choices)

    # The place that each possible answer means; an answer with two meanings has the meaning of the
    # last table.
    if names:
        meant = by_text | by_label
    elif may_be_text:
        meant = by_number | by_letter | by_text
    else:
        meant = by_number | by_letter

    given = cell_text(answer, "answer").strip()
    if not given:
        return Options(tuple(texts), None)
    if given not in meant:
        remedy = "or its label" if names else "its letter or its number"
        raise ValueError(
            f"answer '{given}' is none of the {len(texts)} {CHOICES}; write one, {remedy}"
        )
    return Options(tuple(texts), meant[given])
