"""Finds prose in a PDF that its pages do not show: a judge would read it and a reader would not.

pdfium draws each page with its text and without. A letter leaves no ink if the two drawings look
the same in its box: it is white on white, transparent, covered, clipped or in a layer that is
switched off. A word is unseen if most of its letters leave no ink or are off the page, if it is too
small to read, or if its letters are piled on each other. Unseen words that follow each other, also
across line ends, make a run. A run is prose if it has at least four words of three letters or more;
fewer are a label, a formula or a cropped figure, and hide nothing worth hiding.

Not detected: words under or over other words that are seen; words whose font draws other letters
than it names; single words and numbers; scripts without spaces between words; text that an author
writes small but legible.
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
from mechaware.instruments.claims.rubric.text_flags import HiddenReason

# A letter is seen if at least this share of its box looks different without the text.
MIN_INK_SHARE = 0.08
# Points of height from which letters are made out at less contrast.
LARGE = 12.0
# A word is too small to read if its tallest letter has fewer points of height. Capitals at a font
# size of 2.5 points have as many.
MIN_HEIGHT = 1.8
# It is also too small if its letters have fewer points of width on average: text that is squeezed
# into a line.
MIN_WIDTH = 0.6
# The letters of a word are piled if more than `MAX_PILED_SHARE` of the pairs of neighbours overlap
# by more than this share of the smaller letter's area.
MIN_OVERLAP = 0.35
MAX_PILED_SHARE = 0.3
# The depth of forms within forms to which text is switched off; pdfium draws fewer.
MAX_FORMS = 50
# A page is a scan if images have more than this share of its area.
MIN_SCAN_SHARE = 0.5
# Words of a run are on the same line or on lines at most so far apart, in heights of a letter.
FARTHEST_LINE = 4.0
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
    - `off`: whether the middle of a letter is off the page, and the letter no larger than the page.
    - `shown`: whether a letter leaves ink, its middle is on the page, and it is no larger than the
      page.
    """

    text: str
    boxes: Float[np.ndarray, "letter 4"]
    off: Bool[np.ndarray, " letter"]
    shown: Bool[np.ndarray, " letter"]


def unseen_prose(page: pdfium2.PdfPage, number: int) -> list[Hidden]:
    """The prose on a page that no reader sees, run by run; `number` is the page's number.

    The reason is `scan` on a page that is mostly images (`_is_picture`), `dropped` for lines that
    begin on the page and run off it (`_runs_off`), and `not visible` otherwise.
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
        # The word before the run; for a run that begins the page, its own first word.
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

    # A page of white space alone need not be drawn: it has no words.
    shown = ~outside
    if text.strip():
        shown = _leaves_ink(page, boxes) & ~(outside | too_large)
    return _Letters(text, boxes, np.asarray(outside & ~too_large), np.asarray(shown))


def _read_characters(page: pdfium2.PdfPage) -> tuple[str, Float[np.ndarray, "letter 4"]]:
    """The characters of a page as pdfium orders them, and the box of each.

    A box has left, bottom, right and top in points.
    """
    text_page = pdfium.FPDFText_LoadPage(page.raw)
    try:
        count = pdfium.FPDFText_CountChars(text_page)
        text = "".join(chr(pdfium.FPDFText_GetUnicode(text_page, index)) for index in range(count))
        boxes = np.zeros((count, 4))
        # pdfium writes each box into these four numbers, in another order than ours.
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
    """Whether each letter's box looks different without the page's text (`_has_ink`).

    Letters of `LARGE` points of height or more are seen at less contrast than others.
    """
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
    """The page as it looks without its text. Afterwards the page has its text again."""
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
    """Whether at least `MIN_INK_SHARE` of each box is ink, and both halves of the box have some.

    The halves are the upper and the lower one: a letter that is covered except for its upper or
    lower edge has ink in one of them. They do not count for a box that is one row high. `boxes`
    have left, top, right and bottom in pixels.
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
    """The number of pixels with ink in each box, from their `_summed_area`.

    left, top, right and bottom of the boxes are in pixels. Parts of a box beyond the page have
    none.
    """
    rows = sums.shape[0] - 1
    columns = sums.shape[1] - 1
    west = left.clip(0, columns)
    east = right.clip(0, columns)
    north = top.clip(0, rows)
    south = bottom.clip(0, rows)
    counts = sums[south, east] - sums[north, east] - sums[south, west] + sums[north, west]
    return np.asarray(counts)


def _unseen_runs(letters: _Letters, words: Sequence[_Word]) -> Iterator[list[_Word]]:
    """The runs: unseen words that follow each other on a line or across line ends.

    A run ends where the next line is more than `FARTHEST_LINE` away: the labels of a cropped figure
    are so far from each other.
    """
    run: list[_Word] = []
    # Each word with the word before it; the first word comes with itself.
    for before, word in pairwise([words[0], *words]):
        unseen = _is_unseen(letters, word)
        if run and (not unseen or _lines_apart(letters, before, word) > FARTHEST_LINE):
            yield run
            run = []
        if unseen:
            run.append(word)
    if run:
        yield run


def _runs_off(letters: _Letters, before: _Word, run: Sequence[_Word]) -> bool:
    """Whether a run is the part of overfull lines that is beyond the edge of the page.

    Both of these must hold:

    - The line begins on the page. Either the word `before` the run is on the page and at most
      `FARTHEST_LINE` away, or the run's first word begins on the page, and the edge cuts it.
    - All words of the run after the first are off the page.

    A word counts as off the page if its first letter is (`_Letters.off`).
    """
    near_to_page = _lines_apart(letters, before, run[0]) <= FARTHEST_LINE
    from_page = not letters.off[before.start] and near_to_page
    begins_on_page = not letters.off[run[0].start]
    if not from_page and not begins_on_page:
        return False
    return all(bool(letters.off[word.start]) for word in run[1:])


def _is_unseen(letters: _Letters, word: _Word) -> bool:
    """Whether a word is too small to read, has mostly letters that are not seen, or is piled."""
    boxes = letters.boxes[word.letters]
    widths, heights = (boxes[:, 2:] - boxes[:, :2]).T
    # Boxes are upright even if the text is turned: the width of the box of a letter that lies on
    # its side is the height of the letter.
    tallest = max(widths.max(), heights.max())
    thinnest = min(widths.mean(), heights.mean())
    if tallest < MIN_HEIGHT or thinnest < MIN_WIDTH:
        return True
    if letters.shown[word.letters].mean() < 0.5:
        return True
    return _are_piled(boxes)


def _are_piled(boxes: Float[np.ndarray, "letter 4"]) -> bool:
    """Whether many letters of a word overlap with the next letter, as if they were in one place.

    Ligatures also overlap, but hardly in each of the four words in a row that make prose.
    """
    if len(boxes) < 2:
        return False
    # The rectangle that each box has in common with the next box: its corners and its area.
    lower_left = np.maximum(boxes[:-1, :2], boxes[1:, :2])
    upper_right = np.minimum(boxes[:-1, 2:], boxes[1:, 2:])
    common_areas = np.prod((upper_right - lower_left).clip(0), axis=1)

    areas = np.prod(boxes[:, 2:] - boxes[:, :2], axis=1)
    smaller_areas = np.minimum(areas[:-1], areas[1:])
    are_overlapping = common_areas > MIN_OVERLAP * smaller_areas
    return bool(are_overlapping.mean() > MAX_PILED_SHARE)


def _lines_apart(letters: _Letters, before: _Word, word: _Word) -> float:
    """The distance between the lines of two words, in heights of a letter.

    It is measured from the last letter of the word `before` to the first letter of `word`; the
    height is that of the smaller letter.
    """
    _, last_bottom, _, last_top = letters.boxes[before.end - 1]
    _, first_bottom, _, first_top = letters.boxes[word.start]
    height = min(last_top - last_bottom, first_top - first_bottom)
    # At least 0.1 points, so that a letter without height does not divide by zero.
    return float(abs(last_bottom - first_bottom) / max(height, 0.1))


def _is_picture(page: pdfium2.PdfPage) -> bool:
    """Whether images have more than `MIN_SCAN_SHARE` of the page's area. Overlaps count twice."""
    image_area = 0.0
    for image in page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_IMAGE]):
        left, bottom, right, top = image.get_bounds()
        image_area += (right - left) * (top - bottom)
    left, bottom, right, top = page.get_bbox()
    return bool(image_area > MIN_SCAN_SHARE * (right - left) * (top - bottom))
