"""What readers return for a document: its visible and hidden text, or why it cannot be used.

The reader of plain text is here too. PDF and web pages have modules of their own (`pdf`, `web`).
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from mechaware.instruments.claims.reading.sentences import without_marks
from mechaware.instruments.claims.rubric.text_flags import HiddenReason

# A word of prose has three letters or more. Text with fewer than four such words is a label, a
# formula or a number, and hides nothing worth hiding.
MIN_PROSE_WORDS = 4
WORD = re.compile(r"[^\W\d_]{3,}")
# Characters of a document. A paper of 50 pages has a third of a million.
MAX_CHARACTERS = 1_000_000
# Unicode's tag characters, which no font shows: each is an ASCII character plus 0xE0000.
TAG_OFFSET = 0xE0000
TAGS = re.compile("[\U000e0000-\U000e007f]+")
# Control characters except tab and line feed, lone surrogates, byte order marks and noncharacters.
UNWANTED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufeff\ufffe\uffff]")


class Hidden(NamedTuple):
    """A piece of text that is withheld from judges, and why.

    Pages count from 1; a web page is page 1.
    """

    page: int
    reason: HiddenReason
    text: str


class LeftOut(NamedTuple):
    """A passage that a web page shows and text extraction left out.

    `element` is the name of the element that held it, such as aside or footer.
    """

    element: str
    text: str


class DocumentText(NamedTuple):
    """The text that was read from a document.

    - `texts`: the text of each page that was read, or of the whole document if its format has no
      pages.
    - `hidden`: the text that is withheld from judges.
    - `pages`: the number of pages of the document; None if its format has no pages.
    - `elsewhere`: sentences of the document that address a judge and are neither in `texts` nor in
      `hidden`.
    - `left_out`: passages that a web page shows and text extraction left out.
    """

    texts: list[str]
    hidden: list[Hidden]
    pages: int | None = None
    elsewhere: Sequence[str] = ()
    left_out: Sequence[LeftOut] = ()


class UnreadableError(Exception):
    """A document cannot be used.

    `kind` is for tables, the message for people. `hidden` is the hidden text that was found before
    the error.
    """

    def __init__(self, kind: str, message: str, hidden: Sequence[Hidden] = ()) -> None:
        super().__init__(message)
        self.kind = kind
        self.hidden = list(hidden)


def check_not_empty(content: bytes | str) -> None:
    """Raise `UnreadableError` of kind empty for a document of white space only."""
    if not content.strip():
        raise UnreadableError("empty", "the file is empty; enter an intact copy")


def is_prose(text: str) -> bool:
    """Whether a hidden text is worth a flag: `MIN_PROSE_WORDS` words of three letters or more."""
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
    """The text without what cannot be shown or stored, and with plain white space.

    - Line ends of every kind become a line feed, with no space or tab before it.
    - The characters of `UNWANTED` and `TAGS` are removed.
    - At most one empty line is left in a row, and none at the beginning and the end.
    """
    text = re.sub(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]", "\n", text)
    text = UNWANTED.sub("", TAGS.sub("", text))
    text = "\n".join(line.rstrip(" \t") for line in text.split("\n"))
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def unseen_tags(text: str) -> list[str]:
    """What each run of tag characters spells; runs that spell no visible character are left out.

    For example U+E0048 U+E0069, which no font shows, spell "Hi".
    """
    words = []
    for tags in TAGS.findall(text):
        codes = [ord(tag) - TAG_OFFSET for tag in tags]
        word = "".join(chr(code) for code in codes if 0x20 <= code < 0x7F)
        if word.strip():
            words.append(word.strip())
    return words
