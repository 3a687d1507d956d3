"""Looks in a PDF for prose that its pages do not show: sentences that a judge would read and a reader would not.

pdfium draws each page with its text and without. A letter leaves no ink if the two drawings look the same in its box:
it is white on white, transparent, covered, clipped or in a layer that is switched off. Letters off the page and letters
too small to read leave none for a reader either. Four words of three letters or more in a row, across line ends, make
prose; fewer are a label, a formula or a cropped figure, and hide nothing worth hiding.

Not detected: words under or over other words that are seen; words whose font draws other letters than it names;
single words and numbers; scripts without spaces between words; text that an author writes small but legible.
"""

import ctypes
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pypdfium2 as pdfium2
import pypdfium2.raw as pdfium
from jaxtyping import Bool, Float, Int

from mechaware.instruments.claims.reading.drawing import (
    MIN_RATIO,
    MIN_RATIO_LARGE,
    Drawing,
    draw,
    visible_difference,
)
from mechaware.instruments.claims.reading.readings import Hidden, is_prose
from mechaware.instruments.claims.rubric.criteria import HiddenReason

MIN_INK_SHARE = 0.08  # share of a letter's box that looks different without the text
LARGE = 12.0  # points of height from which letters are made out at less contrast
MIN_HEIGHT = 1.8  # points of a word's tallest letter: capitals of 2.5 points
MIN_WIDTH = 0.6  # points, the mean of a word's letters: text squeezed into a line
MIN_OVERLAP = 0.35  # share of a letter's room that the next letter also fills
MAX_PILED_SHARE = 0.3  # share of a word's letters that may overlap so far
MAX_FORMS = 50  # forms within forms; pdfium draws fewer
MIN_SCAN_SHARE = 0.5  # share of the page's area
FARTHEST_LINE = 4.0  # heights of a letter between a line and the next
WORD = re.compile(r"[^\W\d_]+")


class _Word(NamedTuple):
    """The indices [start, end) of a word's letters among the characters of a page."""

    start: int
    end: int

    @property
    def letters(self) -> slice:
        """The same indices, to select rows of arrays by letter."""
        return slice(self.start, self.end)


class _Letters(NamedTuple):
    """The characters of a page as pdfium orders them.

    - `boxes`: left, bottom, right, top in points.
    - `off`: whether a letter is off the page.
    - `shown`: whether it is on the page, no larger than it, and leaves ink there.
    """

    text: str
    boxes: Float[np.ndarray, "letter 4"]
    off: Bool[np.ndarray, " letter"]
    shown: Bool[np.ndarray, " letter"]


def unseen_prose(page: pdfium2.PdfPage, number: int) -> list[Hidden]:
    """The runs of words on a page that no reader sees; `number` is the page's number.

    The reason is `scan` on a page that is a picture, `dropped` for lines that run off the page from lines on it, and
    `not visible` otherwise.
    """
    letters = _read_letters(page)
    words = [_Word(*match.span()) for match in WORD.finditer(letters.text)]
    if not words:
        return []

    hidden = []
    for run in _unseen_runs(letters, words):
        piece = letters.text[run[0].start : run[-1].end]
        if not is_prose(piece):
            continue
        # The first word of a page has no word before it but itself.
        before = words[max(words.index(run[0]) - 1, 0)]
        reason: HiddenReason = "not visible"
        if _is_picture(page):
            reason = "scan"
        elif _runs_off(letters, before, run):
            reason = "dropped"
        hidden.append(Hidden(number, reason, piece))
    return hidden


def _read_letters(page: pdfium2.PdfPage) -> _Letters:
    """The characters of a page, each with its box and with whether a reader can see it."""
    text, boxes = _read_characters(page)
    left, bottom, right, top = page.get_bbox()
    # Of each letter's box: x and y of its middle, and its width and height.
    middles = (boxes[:, :2] + boxes[:, 2:]) / 2
    sizes = boxes[:, 2:] - boxes[:, :2]
    outside = ((middles < [left, bottom]) | (middles > [right, top])).any(axis=1)
    too_large = (sizes > [right - left, top - bottom]).any(axis=1)

    shown = ~outside
    if text.strip():
        shown = _leaves_ink(page, boxes) & ~(outside | too_large)
    return _Letters(text, boxes, np.asarray(outside & ~too_large), np.asarray(shown))


def _read_characters(page: pdfium2.PdfPage) -> tuple[str, Float[np.ndarray, "letter 4"]]:
    """The characters of a page as pdfium orders them, with left, bottom, right and top of each in points."""
    text_page = pdfium.FPDFText_LoadPage(page.raw)
    try:
        count = pdfium.FPDFText_CountChars(text_page)
        text = "".join(chr(pdfium.FPDFText_GetUnicode(text_page, index)) for index in range(count))
        boxes = np.zeros((count, 4))
        # pdfium writes a box into four numbers, in another order than ours.
        left, right, bottom, top = (ctypes.c_double() for _ in range(4))
        for index in range(count):
            pdfium.FPDFText_GetCharBox(text_page, index, left, right, bottom, top)
            boxes[index] = (left.value, bottom.value, right.value, top.value)
    finally:
        pdfium.FPDFText_ClosePage(text_page)
    return text, boxes


def _leaves_ink(
    page: pdfium2.PdfPage, boxes: Float[np.ndarray, "letter 4"]
) -> Bool[np.ndarray, " letter"]:
    """Whether each letter's box looks different without the page's text, in its upper half and in its lower half."""
    drawn = draw(page)
    without_text = _draw_without_text(page)
    pixel_boxes = drawn.to_pixels(boxes)

    ink = visible_difference(drawn.pixels, without_text.pixels, MIN_RATIO)
    shown = _has_ink(pixel_boxes, ink)
    large = boxes[:, 3] - boxes[:, 1] >= LARGE
    if large.any():
        faint_ink = visible_difference(drawn.pixels, without_text.pixels, MIN_RATIO_LARGE)
        shown = shown | (large & _has_ink(pixel_boxes, faint_ink))
    return shown


def _draw_without_text(page: pdfium2.PdfPage) -> Drawing:
    """The page as it looks without its text, which is switched off while the page is drawn."""
    objects = page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_TEXT], max_depth=MAX_FORMS)
    texts = [text_object.raw for text_object in objects]
    for text in texts:
        pdfium.FPDFPageObj_SetIsActive(text, False)
    drawing = draw(page)
    for text in texts:
        pdfium.FPDFPageObj_SetIsActive(text, True)
    return drawing


def _has_ink(
    boxes: Int[np.ndarray, "letter 4"], ink: Bool[np.ndarray, "row column"]
) -> Bool[np.ndarray, " letter"]:
    """Whether `MIN_INK_SHARE` of each box is ink, and some of it is in each half, unless the box is one row high.

    `boxes` have left, top, right and bottom in pixels.
    """
    left, top, right, bottom = boxes.T
    middle = (top + bottom + 1) // 2
    sums = _summed_area(ink)
    area = ((right - left) * (bottom - top)).astype(float)
    enough = _count(sums, left, top, right, bottom) >= MIN_INK_SHARE * area

    one_row = bottom - top < 2
    in_upper_half = _count(sums, left, top, right, middle) > 0
    in_lower_half = _count(sums, left, middle, right, bottom) > 0
    return np.asarray(enough & (one_row | (in_upper_half & in_lower_half)))


def _summed_area(ink: Bool[np.ndarray, "row column"]) -> Int[np.ndarray, "row+1 column+1"]:
    """For each corner between pixels, the number of pixels with ink above it and to its left.

    For example:

        ink  0 1     sums  0 0 0
             1 1           0 0 1
                           0 1 3
    """
    sums = np.zeros((ink.shape[0] + 1, ink.shape[1] + 1), np.int32)
    by_column = np.cumsum(ink, axis=0, dtype=np.int32)
    np.cumsum(by_column, axis=1, out=sums[1:, 1:])
    return sums


def _count(
    sums: Int[np.ndarray, "row column"],
    left: Int[np.ndarray, " letter"],
    top: Int[np.ndarray, " letter"],
    right: Int[np.ndarray, " letter"],
    bottom: Int[np.ndarray, " letter"],
) -> Int[np.ndarray, " letter"]:
    """The pixels with ink in each box, from their `_summed_area`; parts of a box beyond the page have none."""
    rows = sums.shape[0] - 1
    columns = sums.shape[1] - 1
    west = left.clip(0, columns)
    east = right.clip(0, columns)
    north = top.clip(0, rows)
    south = bottom.clip(0, rows)
    counts = sums[south, east] - sums[north, east] - sums[south, west] + sums[north, west]
    return np.asarray(counts)


def _unseen_runs(letters: _Letters, words: Sequence[_Word]) -> Iterator[list[_Word]]:
    """The unseen words that follow each other on a line or across a line end.

    Words on lines far from each other are no run: so are the labels of a cropped figure.
    """
    run: list[_Word] = []
    for before, word in pairwise([words[0], *words]):  # the first word has no other before it
        unseen = _is_unseen(letters, word)
        if run and (not unseen or _lines_apart(letters, before, word) > FARTHEST_LINE):
            yield run
            run = []
        if unseen:
            run.append(word)
    if run:
        yield run


def _runs_off(letters: _Letters, before: _Word, run: Sequence[_Word]) -> bool:
    """Whether a run is the rest of overfull lines: off the page, but for a first word that its edge cuts."""
    near_to_page = _lines_apart(letters, before, run[0]) <= FARTHEST_LINE
    from_page = not letters.off[before.start] and near_to_page
    begins_on_page = not letters.off[run[0].start]
    if not from_page and not begins_on_page:
        return False
    return all(bool(letters.off[word.start]) for word in run[1:])


def _is_unseen(letters: _Letters, word: _Word) -> bool:
    """Whether most letters of a word leave no ink or are in one place, or it is too small to read."""
    boxes = letters.boxes[word.letters]
    breadths, heights = (boxes[:, 2:] - boxes[:, :2]).T
    # The boxes of turned letters are upright.
    tallest = max(breadths.max(), heights.max())
    thinnest = min(breadths.mean(), heights.mean())
    if tallest < MIN_HEIGHT or thinnest < MIN_WIDTH:
        return True
    if letters.shown[word.letters].mean() < 0.5:
        return True
    return _are_piled(boxes)


def _are_piled(boxes: Float[np.ndarray, "letter 4"]) -> bool:
    """Whether many letters of a word share their room with the next letter.

    Ligatures also do, but hardly in each of the four words in a row that make prose.
    """
    if len(boxes) < 2:
        return False
    # The corners and the area of what each letter's box has in common with the next box; then the areas of all boxes.
    low = np.maximum(boxes[:-1, :2], boxes[1:, :2])
    high = np.minimum(boxes[:-1, 2:], boxes[1:, 2:])
    common = np.prod((high - low).clip(0), axis=1)
    rooms = np.prod(boxes[:, 2:] - boxes[:, :2], axis=1)
    smaller_room = np.minimum(rooms[:-1], rooms[1:])
    return bool((common > MIN_OVERLAP * smaller_room).mean() > MAX_PILED_SHARE)


def _lines_apart(letters: _Letters, before: _Word, word: _Word) -> float:
    """The distance of the lines of two words, in heights of the smaller letter where they meet."""
    last = letters.boxes[before.end - 1]
    first = letters.boxes[word.start]
    height = min(last[3] - last[1], first[3] - first[1])
    return float(abs(last[1] - first[1]) / max(height, 0.1))


def _is_picture(page: pdfium2.PdfPage) -> bool:
    """Whether images have most of the page's area."""
    images = 0.0
    for image in page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_IMAGE]):
        left, bottom, right, top = image.get_bounds()
        images += (right - left) * (top - bottom)
    left, bottom, right, top = page.get_bbox()
    return bool(images > MIN_SCAN_SHARE * (right - left) * (top - bottom))
