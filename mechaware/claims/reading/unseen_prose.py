"""Looks in a PDF for prose that its pages do not show: sentences that a judge would read and a reader would not.

pdfium draws each page with its text and without. A letter leaves no ink if the two drawings look the same in its box:
it is white on white, transparent, covered, clipped or in a layer that is switched off. Letters off the page and letters
too small to read leave none for a reader either. Four words of three letters or more in a row, across line ends, make
prose; fewer are a label, a formula or a cropped figure, and hide nothing worth hiding.

Not detected: words under or over other words that are seen; words whose font draws other letters than it names;
single words and numbers; text that an author writes small but legible.
"""

import ctypes
import itertools
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pypdfium2 as pdfium2
import pypdfium2.raw as pdfium
from jaxtyping import Bool, Float

from mechaware.claims.reading.contrast import LEAST_RATIO, LEAST_RATIO_LARGE, visible_difference
from mechaware.claims.reading.drawing import Drawing, draw
from mechaware.claims.reading.readings import Hidden
from mechaware.claims.rubric.criteria import HiddenReason

SCALE = 3.0  # pixels per point: a letter of five points is some eight pixels high
LEAST_INK = 0.08  # share of a letter's box that looks different without the text
LARGE = 12.0  # points of height from which letters are made out at less contrast
LEAST_HEIGHT = 1.8  # points of a word's tallest letter: capitals of 2.5 points
LEAST_WIDTH = 0.6  # points, the mean of a word's letters: text squeezed into a line
FEWEST_WORDS, FEWEST_LETTERS = 4, 3
MOST_FORMS = 50  # forms within forms; pdfium draws fewer
FARTHEST_LINE = 4.0  # heights of a letter between a line and the next
WORD = re.compile(r"[^\W\d_]+")

Word = tuple[int, int]  # the places of its first letter and behind its last


class Letters(NamedTuple):
    """The characters of a page as pdfium orders them, and their boxes: left, bottom, right, top in points."""

    text: str
    boxes: Float[np.ndarray, "letter 4"]


def unseen_prose(page: pdfium2.PdfPage, number: int) -> list[Hidden]:
    """The runs of words on a page, with this number, that no reader sees; of a scan's layer of text, reason `scan`."""
    letters = _letters(page)
    if not letters.text.strip():
        return []
    shown = _inked(page, letters)
    off = _off_page(page, letters)
    words = [(match.start(), match.end()) for match in WORD.finditer(letters.text)]
    unseen = [_is_unseen(letters, shown, off, start, end) for start, end in words]
    scan = not any(shown[start:end].any() for start, end in words) and _has_picture(page)
    hidden = []
    for first, last in _runs(unseen):
        run = words[first : last + 1]
        if _is_prose(run) and not _leaves_the_page(letters, off, words, first):
            together = any(_is_prose(part) for part in _neighbouring(letters, run))
            reason: HiddenReason = "scan" if scan else "not visible" if together else "cropped"
            hidden.append(Hidden(number, reason, letters.text[run[0][0] : run[-1][1]]))
    return hidden


def cut(text: str, hidden: Iterable[Hidden]) -> tuple[str, list[Hidden]]:
    """The text without the hidden pieces, and those that were in it; comments and replaced text are not read.

    Pieces are found by their letters alone, since two programs set other spaces and line ends.
    """
    read = []
    for piece in hidden:
        whole = _find(text, piece.text)
        for part in [piece.text] if whole else piece.text.splitlines():
            if place := _find(text, part):
                text = text[: place[0]] + text[place[1] :]
                read.append(piece)
    return text, list(dict.fromkeys(read))


def _find(text: str, part: str) -> tuple[int, int] | None:
    """Where the text has the letters and digits of the part: [start, end)."""
    bare, places = _bare(text)
    wanted, _ = _bare(part)
    start = bare.find(wanted) if wanted else -1
    return None if start < 0 else (places[start], places[start + len(wanted) - 1] + 1)


def _bare(text: str) -> tuple[str, list[int]]:
    """The letters and digits of a text in one case, compatibility characters replaced, and the place of each."""
    pairs = [
        (letter, place)
        for place, one in enumerate(text)
        for letter in unicodedata.normalize("NFKC", one).casefold()
        if letter.isalnum()
    ]
    return "".join(letter for letter, _ in pairs), [place for _, place in pairs]


def _letters(page: pdfium2.PdfPage) -> Letters:
    text_page = pdfium.FPDFText_LoadPage(page.raw)
    try:
        count = pdfium.FPDFText_CountChars(text_page)
        text = "".join(chr(pdfium.FPDFText_GetUnicode(text_page, index)) for index in range(count))
        boxes, sides = np.zeros((count, 4)), [ctypes.c_double() for _ in range(4)]
        for index in range(count):
            pdfium.FPDFText_GetCharBox(text_page, index, *sides)
            left, right, bottom, top = (side.value for side in sides)
            boxes[index] = left, bottom, right, top
    finally:
        pdfium.FPDFText_ClosePage(text_page)
    return Letters(text, boxes)


def _inked(page: pdfium2.PdfPage, letters: Letters) -> Bool[np.ndarray, " letter"]:
    """Whether each letter's box looks different without the page's text."""
    drawn = draw(page, SCALE)
    handles = list(_text_objects(page.raw, pdfium.FPDFPage_CountObjects, pdfium.FPDFPage_GetObject, MOST_FORMS))
    for handle in handles:
        pdfium.FPDFPageObj_SetIsActive(handle, False)
    try:
        without = draw(page, SCALE)
    finally:
        for handle in handles:
            pdfium.FPDFPageObj_SetIsActive(handle, True)
    boxes = drawn.boxes(letters.boxes)
    ink = _shares(drawn, without, boxes, LEAST_RATIO)
    large = letters.boxes[:, 3] - letters.boxes[:, 1] >= LARGE
    if large.any():
        ink = np.where(large, np.maximum(ink, _shares(drawn, without, boxes, LEAST_RATIO_LARGE)), ink)
    return np.asarray(ink >= LEAST_INK)


def _text_objects(holder: Any, count: Any, get: Any, depth: int) -> Iterator[Any]:
    for index in range(count(holder)):
        handle = get(holder, index)
        kind = pdfium.FPDFPageObj_GetType(handle)
        if kind == pdfium.FPDF_PAGEOBJ_TEXT:
            yield handle
        elif kind == pdfium.FPDF_PAGEOBJ_FORM and depth:
            yield from _text_objects(handle, pdfium.FPDFFormObj_CountObjects, pdfium.FPDFFormObj_GetObject, depth - 1)


def _shares(drawn: Drawing, without: Drawing, boxes: Any, least_ratio: float) -> Float[np.ndarray, " letter"]:
    """The share of each box, parts beyond the page included, in which two drawings differ visibly."""
    mask = visible_difference(drawn.pixels, without.pixels, least_ratio)
    sums = np.zeros((mask.shape[0] + 1, mask.shape[1] + 1), np.int32)
    np.cumsum(np.cumsum(mask, axis=0, dtype=np.int32), axis=1, out=sums[1:, 1:])
    areas = np.prod((boxes[:, 2:] - boxes[:, :2]).astype(float), axis=1)
    west, east = (boxes[:, side].clip(0, mask.shape[1]) for side in (0, 2))
    north, south = (boxes[:, side].clip(0, mask.shape[0]) for side in (1, 3))
    return np.asarray((sums[south, east] - sums[north, east] - sums[south, west] + sums[north, west]) / areas)


def _off_page(page: pdfium2.PdfPage, letters: Letters) -> Bool[np.ndarray, " letter"]:
    left, bottom, right, top = page.get_bbox()
    middles = (letters.boxes[:, :2] + letters.boxes[:, 2:]) / 2
    return np.asarray((middles < [left, bottom]).any(axis=1) | (middles > [right, top]).any(axis=1))


def _is_unseen(
    letters: Letters, shown: Bool[np.ndarray, " letter"], off: Bool[np.ndarray, " letter"], start: int, end: int
) -> bool:
    """Whether most letters of a word leave no ink, or it is too small to read."""
    breadths, heights = (letters.boxes[start:end, 2:] - letters.boxes[start:end, :2]).T
    tallest = max(breadths.max(), heights.max())  # boxes of turned letters stand upright around them
    small = tallest < LEAST_HEIGHT or min(breadths.mean(), heights.mean()) < LEAST_WIDTH
    return bool(small or (shown & ~off)[start:end].mean() < 0.5)


def _runs(unseen: list[bool]) -> Iterator[tuple[int, int]]:
    """First and last place of each run of true values."""
    first = None
    for place, value in enumerate([*unseen, False]):
        if value and first is None:
            first = place
        elif not value and first is not None:
            yield first, place - 1
            first = None


def _is_prose(words: Sequence[Word]) -> bool:
    return sum(end - start >= FEWEST_LETTERS for start, end in words) >= FEWEST_WORDS


def _neighbouring(letters: Letters, words: Sequence[Word]) -> Iterator[list[Word]]:
    """The words of a run by parts whose lines follow each other, unlike the labels that a cropped figure leaves."""
    part = [words[0]]
    for (_, end), word in itertools.pairwise(words):
        before, after = letters.boxes[end - 1], letters.boxes[word[0]]
        if abs(before[1] - after[1]) > FARTHEST_LINE * (before[3] - before[1]):
            yield part
            part = []
        part.append(word)
    yield part


def _leaves_the_page(letters: Letters, off: Bool[np.ndarray, " letter"], words: Sequence[Word], first: int) -> bool:
    """Whether a run is the rest of an overfull line, which begins on the page."""
    if not first or not off[words[first][0]]:
        return False
    before, after = letters.boxes[words[first - 1][1] - 1], letters.boxes[words[first][0]]
    return bool(not off[words[first - 1][0]] and abs(before[1] - after[1]) < after[3] - after[1])


def _has_picture(page: pdfium2.PdfPage) -> bool:
    return any(True for _ in page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_IMAGE], max_depth=MOST_FORMS))
