"""Removes the prose that a page of a PDF hides from the page's text.

The text was read by pypdf, and most of the hidden prose was found by pdfium. The two give slightly
different characters for the same words.
"""

import re
import unicodedata
from collections.abc import Sequence

from rapidfuzz import fuzz

from mechaware.instruments.claims.reading.readings import Hidden

MIN_LIKENESS = 85  # percent, of a hidden piece and the most similar part of the text
# Two ways to search for a piece: the characters of the piece that are searched for, and what the
# text may have between them. First letters and digits, with spaces and punctuation between them;
# then letters alone, with digits between them as well.
_WAYS = ((str.isalnum, r"[\W_]*"), (str.isalpha, r"[\W\d_]*"))


def cut(text: str, hidden: Sequence[Hidden]) -> tuple[str, list[Hidden]]:
    """The text without the hidden pieces, and the pieces that were at least in part in it.

    A piece is searched for as a whole, and line by line if the text does not have it as a whole.
    A piece that pypdf did not read, such as a comment or text that the PDF replaces, is not in the
    text. Of equal pieces only one is returned.
    """
    removed: list[Hidden] = []
    for piece in hidden:
        parts = [piece.text]
        if _find(piece.text, text) is None:
            parts = piece.text.splitlines()
        for part in parts:
            place = _find(part, text)
            if place is not None:
                start, end = place
                text = text[:start] + text[end:]
                removed.append(piece)
    return text, list(dict.fromkeys(removed))


def _find(piece: str, text: str) -> tuple[int, int] | None:
    """The place [start, end) of a piece in a text that is in NFKC; None if it is not there.

    The piece is searched for by its letters and digits, because pypdf and pdfium differ in spaces
    and line ends; then by its letters alone; then by similarity (`MIN_LIKENESS`), because pdfium
    leaves out a letter that is printed upon the same letter. Case does not count, except in the
    search by similarity. A piece without letters is not searched for by similarity, nor is a piece
    that is as long as the text or longer.
    """
    composed = unicodedata.normalize("NFKC", piece)
    for is_searched, between in _WAYS:
        characters = [re.escape(character) for character in composed if is_searched(character)]
        pattern = between.join(characters)
        exact = re.search(pattern, text, re.I) if pattern else None
        if exact is not None:
            return exact.span()

    has_letters = any(map(str.isalpha, composed))
    if not has_letters or len(piece) >= len(text):
        return None
    near = fuzz.partial_ratio_alignment(piece, text, score_cutoff=MIN_LIKENESS)
    return None if near is None else (near.dest_start, near.dest_end)
