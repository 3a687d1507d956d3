"""The questions that a judge is asked about items: each as it is, and some again after edits.

The edits show whether a status moves with the text and with nothing else (`EDITS`).
"""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import NamedTuple

from mechaware.instruments.claims.items.labelled import LabelledItem

# Values of the column `edit` of questions and replies: no edit, and the names of two edits. A
# retest asks the same question a second time.
UNEDITED = ""
RETEST = "again"
NO_TEXT = "no text"
# The sentence that an edit adds.
IRRELEVANT = "The cafeteria of the building is closed on public holidays."


class Question(NamedTuple):
    """Which status does `text` support for `criterion`, judged of `claim`?

    `id` is the id of the item that the question is about, `edit` the name of the edit that its text
    has gone through (`EDITS`) or `UNEDITED`.
    """

    id: str
    edit: str
    criterion: str
    claim: str
    text: str


def _repeated(item: LabelledItem) -> str:
    return item.text


def _spaced(item: LabelledItem) -> str:
    """Two spaces between words, and an empty line between passages."""
    return "\n\n".join("  ".join(passage.split()) for passage in item.passages)


def _reordered(item: LabelledItem) -> str | None:
    """The passages in reverse order; None for one alone: its sentences may need their order."""
    passages = item.passages
    if len(passages) < 2:
        return None
    return "\n".join(reversed(passages))


def _lengthened(item: LabelledItem) -> str:
    return f"{item.text}\n{IRRELEVANT}"


def _emptied(_item: LabelledItem) -> str:
    return ""


# By name, a function of an item that gives its text after the edit, or None if the edit does not
# apply to the item. `RETEST` leaves the text as it is: it measures how often a status changes
# without an edit. All edits but `NO_TEXT` should leave the status as it is.
EDITS: Mapping[str, Callable[[LabelledItem], str | None]] = {
    RETEST: _repeated,
    "other spacing": _spaced,
    "passages reordered": _reordered,
    "irrelevant sentence": _lengthened,
    NO_TEXT: _emptied,
}


def plan_questions(items: Sequence[LabelledItem], *, edited: int, seed: int) -> list[Question]:
    """A question for each item, in their order, then questions for each edit of `edited` items.

    The edited items are drawn by `_draw`; if there are fewer than `edited`, all items are.
    """
    questions = [_question(item, UNEDITED, item.text) for item in items]
    for item in _draw(items, edited, seed):
        for name, edit in EDITS.items():
            text = edit(item)
            if text is not None:
                questions.append(_question(item, name, text))
    return questions


def _question(item: LabelledItem, edit: str, text: str) -> Question:
    return Question(item.id, edit, item.criterion, item.claim, text)


def _draw(items: Sequence[LabelledItem], number: int, seed: int) -> list[LabelledItem]:
    """`number` items, or all if there are fewer: one from each group in turn.

    The groups, and the items of each group, are in random order, by `seed`.
    """
    random = Random(seed)  # noqa: S311 - no secret
    by_group: dict[str, list[LabelledItem]] = {}
    for item in random.sample(items, len(items)):
        by_group.setdefault(item.group, []).append(item)

    drawn: list[LabelledItem] = []
    while len(drawn) < min(number, len(items)):
        for members in by_group.values():
            if members and len(drawn) < number:
                drawn.append(members.pop())
    return drawn
