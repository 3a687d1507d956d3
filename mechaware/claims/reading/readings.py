"""What a reader makes of a document: visible and hidden text, or the reason why it cannot be used."""

from collections.abc import Sequence
from typing import NamedTuple

from mechaware.claims.rubric.text_flags import HiddenReason

MOST_CHARACTERS = 1_000_000  # of a document; a paper of 50 pages has a third of a million


class Hidden(NamedTuple):
    """A piece of text that is withheld, with its page, counted from 1 (a web page has one), and the reason."""

    page: int
    reason: HiddenReason
    text: str


class Reading(NamedTuple):
    """The text of a document; `pages` and `pages_read` are None where the format has no pages.

    `elsewhere` has sentences that address a judge and are in the document, but not to be found in `text` or `hidden`.
    """

    text: str
    hidden: list[Hidden]
    pages: int | None = None
    pages_read: int | None = None
    elsewhere: Sequence[str] = ()


class UnreadableError(Exception):
    """The document cannot be used: a kind for tables, a message for people, and the hidden text met so far."""

    def __init__(self, kind: str, message: str, hidden: Sequence[Hidden] = ()) -> None:
        super().__init__(message)
        self.kind, self.hidden = kind, list(hidden)


def check_not_empty(content: bytes | str) -> None:
    """Raises `UnreadableError` of kind empty for a document of white space only."""
    if not content.strip():
        raise UnreadableError("empty", "the file is empty; enter an intact copy")
