"""Reads a page of a PDF: the text that a reader sees, and apart from it the text that the page hides."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np
import pypdfium2 as pdfium2
import pypdfium2.raw as pdfium
from jaxtyping import Bool, Int
from rapidfuzz import fuzz

from mechaware.claims.reading.pdf.legible import piled_letters, tiny_letters
from mechaware.claims.reading.pdf.letters import HYPHEN, Letters, String, find_strings, read_letters
from mechaware.claims.reading.pdf.seen import ink_behind, look_at
from mechaware.claims.reading.readings import Hidden
from mechaware.claims.rubric.criteria import HiddenReason

LONGEST_CROPPED = 20  # letters; without spaces a sentence is one word
LIKE = 50  # percent: what replaces letters says the same if half of it agrees with them
NOTES = {
    pdfium.FPDF_ANNOT_TEXT, pdfium.FPDF_ANNOT_FREETEXT, pdfium.FPDF_ANNOT_POPUP, pdfium.FPDF_ANNOT_STAMP,
    pdfium.FPDF_ANNOT_HIGHLIGHT, pdfium.FPDF_ANNOT_UNDERLINE, pdfium.FPDF_ANNOT_STRIKEOUT, pdfium.FPDF_ANNOT_SQUIGGLY,
    pdfium.FPDF_ANNOT_CARET, pdfium.FPDF_ANNOT_INK, pdfium.FPDF_ANNOT_SQUARE, pdfium.FPDF_ANNOT_CIRCLE,
    pdfium.FPDF_ANNOT_LINE, pdfium.FPDF_ANNOT_POLYGON, pdfium.FPDF_ANNOT_POLYLINE,
}  # fmt: skip
UNSEEN = pdfium.FPDF_ANNOT_FLAG_HIDDEN | pdfium.FPDF_ANNOT_FLAG_NOVIEW


def read_page(page: pdfium2.PdfPage, number: int, most: int) -> tuple[str, list[Hidden]]:
    """The seen text among the first `most` letters of a page with this number, and its hidden text by reason.

    Letters are hidden if they lie off the page, are too small to read, leave no ink that a reader notices, or are
    drawn as other letters than they are read as. Spaces go with the letter before them.
    """
    strings = find_strings(page.raw)
    letters = read_letters(page.raw, strings, most)
    reasons = _reasons(page, strings, letters)
    pieces: dict[HiddenReason | None, list[str]] = {None: []}
    for reason, group in groupby(zip(reasons, letters.text, strict=True), key=lambda pair: pair[0]):
        pieces.setdefault(reason, []).append("".join(letter for _, letter in group))
    text = joined("".join(pieces.pop(None)))
    hidden = [Hidden(number, reason, joined(" ".join(parts))) for reason, parts in pieces.items() if reason]
    return text, hidden + _replaced(strings, letters, number) + _annotations(page, number)


def joined(text: str) -> str:
    """Text whose letters beyond 16 bits, which pdfium gives in halves, are whole, and whose lines end at hyphens."""
    return text.replace(HYPHEN, "-\n").encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _reasons(page: pdfium2.PdfPage, strings: list[String], letters: Letters) -> list[HiddenReason | None]:
    left, bottom, right, top = page.get_bbox()
    middles = (letters.boxes[:, :2] + letters.boxes[:, 2:]) / 2
    off = (middles < [left, bottom]).any(axis=1) | (middles > [right, top]).any(axis=1)
    tiny = tiny_letters(letters)
    looks = look_at(page, strings, letters)
    seen = looks.seen & ~piled_letters(letters)
    unseen: HiddenReason = "scan" if _is_scan(page, letters, seen, off) else "not visible"
    unknown = letters.unexamined | (letters.printed & ~looks.examined)
    reasons: list[HiddenReason | None] = []
    for index, printed in enumerate(letters.printed):
        if unknown[index]:
            reasons.append("not examined")
        elif not printed:
            reasons.append(reasons[-1] if reasons else None)
        elif off[index]:
            reasons.append("off page")
        elif tiny[index]:
            reasons.append("tiny")
        else:
            reasons.append("other letters" if looks.other[index] else None if seen[index] else unseen)
    for index in _cropped(letters, off, seen).tolist():
        reasons[index] = "cropped"
    return reasons


def _cropped(
    letters: Letters, off: Bool[np.ndarray, " letter"], seen: Bool[np.ndarray, " letter"]
) -> Int[np.ndarray, " some"]:
    """The letters off the page of words that begin or end on it, of at most `LONGEST_CROPPED` letters."""
    where = np.flatnonzero(letters.printed)
    words, count = letters.words[where], len(letters.text)
    lengths = np.bincount(words, minlength=count)
    shown = np.bincount(words, (seen & ~off)[where], minlength=count)
    return np.asarray(where[off[where] & (shown[words] > 0) & (lengths[words] <= LONGEST_CROPPED)])


def _is_scan(
    page: pdfium2.PdfPage, letters: Letters, seen: Bool[np.ndarray, " letter"], off: Bool[np.ndarray, " letter"]
) -> bool:
    """Whether no letter of the page is seen, but most lie where the page shows something, as those of scans do."""
    where = letters.printed & ~off
    return bool(where.any() and not seen[where].any() and ink_behind(page, letters)[where].mean() > 0.5)


def _replaced(strings: Sequence[String], letters: Letters, number: int) -> list[Hidden]:
    """The texts that stand for drawn letters and say something else."""
    hidden = []
    places: list[list[str]] = [[] for _ in strings]
    for letter, owner in zip(letters.text, letters.strings, strict=True):
        if owner >= 0:
            places[owner].append(letter)
    drawn = zip(strings, places, strict=True)
    for text, group in groupby(drawn, key=lambda pair: pair[0].replaces):
        letters_drawn = "".join("".join(parts) for _, parts in group)
        if text and fuzz.ratio(_bare(text), _bare(letters_drawn)) < LIKE:
            hidden.append(Hidden(number, "replaced", text))
    return hidden


def _bare(text: str) -> str:
    return "".join(letter.lower() for letter in text if letter.isalnum())


def _annotations(page: pdfium2.PdfPage, number: int) -> list[Hidden]:
    """The texts of comments and form fields. They are no part of the page's text."""
    hidden = []
    for index in range(pdfium.FPDFPage_GetAnnotCount(page)):
        annotation = pdfium.FPDFPage_GetAnnot(page, index)
        if not annotation:
            continue
        kind, flags = pdfium.FPDFAnnot_GetSubtype(annotation), pdfium.FPDFAnnot_GetFlags(annotation)
        field = kind == pdfium.FPDF_ANNOT_WIDGET
        if field or kind in NOTES:
            text = _annotation_text(annotation, b"V" if field else b"Contents")
            seen: HiddenReason = "form field" if field else "annotation"
            if text.strip():
                hidden.append(Hidden(number, "not visible" if flags & UNSEEN else seen, text))
        pdfium.FPDFPage_CloseAnnot(annotation)
    return hidden


def _annotation_text(annotation: Any, key: bytes) -> str:
    length = pdfium.FPDFAnnot_GetStringValue(annotation, key, None, 0)
    if length <= 2:
        return ""
    buffer = (pdfium.FPDF_WCHAR * (length // 2))()
    pdfium.FPDFAnnot_GetStringValue(annotation, key, buffer, length)
    return bytes(buffer).decode("utf-16-le", "replace").rstrip("\0")
