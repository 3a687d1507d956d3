"""Takes out of a page's text the prose that the page does not show."""

import re
import unicodedata
from collections.abc import Sequence

from rapidfuzz import fuzz

from mechaware.instruments.claims.reading.readings import Hidden

MIN_LIKENESS = 85  # of 100: a hidden piece by pdfium and the same by pypdf
# Which characters of a piece the text must have, and what it may have between them: by letters and
# digits, signs and spaces; by letters alone, also digits.
_WAYS = ((str.isalnum, r"[\W_]*"), (str.isalpha, r"[\W\d_]*"))


def cut(text: str, hidden: Sequence[Hidden]) -> tuple[str, list[Hidden]]:
    """The text without the hidden pieces, and the pieces that were in it.

    A piece that pypdf did not read, such as a comment or text that the PDF replaces, is not in the
    text. Pieces are found by their letters and digits, by their letters, or by most of them: pypdf
    and pdfium differ in spaces and line ends, and pdfium leaves out a letter that is printed upon
    the same letter. A piece that is not found as a whole is looked for line by line.
    """
    read: list[Hidden] = []
    for piece in hidden:
        parts = [piece.text]
        if _find(piece.text, text) is None:
            parts = piece.text.splitlines()
        for part in parts:
            place = _find(part, text)
            if place is not None:
                start, end = place
                text = text[:start] + text[end:]
                read.append(piece)
    return text, list(dict.fromkeys(read))


def _find(piece: str, text: str) -> tuple[int, int] | None:
    """Where [start, end) the piece is in a text in NFKC; None if it is not there."""
    written = unicodedata.normalize("NFKC", piece)
    for is_compared, between in _WAYS:
        pattern = between.join(re.escape(character) for character in filter(is_compared, written))
        exact = re.search(pattern, text, re.I) if pattern else None
        if exact is not None:
            return exact.span()

    has_letters = any(map(str.isalpha, written))
    if not has_letters or len(piece) >= len(text):
        return None
    near = fuzz.partial_ratio_alignment(piece, text, score_cutoff=MIN_LIKENESS)
    return None if near is None else (near.dest_start, near.dest_end)
