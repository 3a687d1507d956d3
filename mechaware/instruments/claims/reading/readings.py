"""What a reader returns for a document: visible and hidden text, or why it cannot be used. Also reads plain text."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from mechaware.instruments.claims.reading.sentences import without_marks
from mechaware.instruments.claims.rubric.text_flags import HiddenReason

MIN_PROSE_WORDS = 4  # of three letters or more: fewer are a label, a formula or a number, and hide nothing worth hiding
MAX_CHARACTERS = 1_000_000  # of a document; a paper of 50 pages has a third of a million
TAGS = re.compile("[\U000e0000-\U000e007f]+")  # letters that no font shows
WORD = re.compile(r"[^\W\d_]{3,}")
UNWANTED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufeff\ufffe\uffff]")


class Hidden(NamedTuple):
    """A piece of text that is withheld, with its page, counted from 1 (a web page has one), and the reason."""

    page: int
    reason: HiddenReason
    text: str


class LeftOut(NamedTuple):
    """A passage that a web page shows and text extraction left out, and the name of the element that it was in."""

    element: str
    text: str


class DocumentText(NamedTuple):
    """What was read of a document.

    - `texts`: the text of each page that was read, or of the whole document if its format has no pages.
    - `hidden`: the text that is withheld from judges.
    - `pages`: the number of pages of the document; None if its format has no pages.
    - `elsewhere`: sentences of the document that address a judge and are neither in `texts` nor in `hidden`.
    - `left_out`: passages that a web page shows and text extraction left out.
    """

    texts: list[str]
    hidden: list[Hidden]
    pages: int | None = None
    elsewhere: Sequence[str] = ()
    left_out: Sequence[LeftOut] = ()


class UnreadableError(Exception):
    """The document cannot be used: a kind for tables, a message for people, and the hidden text met so far."""

    def __init__(self, kind: str, message: str, hidden: Sequence[Hidden] = ()) -> None:
        super().__init__(message)
        self.kind = kind
        self.hidden = list(hidden)


def check_not_empty(content: bytes | str) -> None:
    """Raise `UnreadableError` of kind empty for a document of white space only."""
    if not content.strip():
        raise UnreadableError("empty", "the file is empty; enter an intact copy")


def is_prose(text: str) -> bool:
    """Whether a text that readers do not see is worth an alarm: four words of three letters or more."""
    return len(WORD.findall(without_marks(text))) >= MIN_PROSE_WORDS


def read_plain(document: Path) -> DocumentText:
    """The text of a UTF-8 file. Raises `UnreadableError` of kind encoding or empty."""
    try:
        text = document.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableError(
            "encoding", f"it is not UTF-8 from byte {error.start} on; save it as UTF-8"
        ) from error
    check_not_empty(text)
    return DocumentText([text], [])


def clean(text: str) -> str:
    """Text without lone surrogates, control characters and letters that no font shows; lines end in a line feed."""
    text = re.sub(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]", "\n", text)
    text = UNWANTED.sub("", TAGS.sub("", text))
    text = "\n".join(line.rstrip(" \t") for line in text.split("\n"))
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def unseen_tags(text: str) -> list[str]:
    """The words that are spelt in letters that no font shows: U+E0041 is an unseen "A", and so on for ASCII."""
    words = []
    for tags in TAGS.findall(text):
        codes = [ord(tag) - 0xE0000 for tag in tags]
        word = "".join(chr(code) for code in codes if 0x20 <= code < 0x7F)
        if word.strip():
            words.append(word.strip())
    return words
