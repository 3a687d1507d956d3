"""Looks in a PDF for prose that its pages do not show: sentences that a judge would read and a reader would not.

pdfium draws each page with its text and without. A letter leaves no ink if the two drawings look the same in its box:
it is white on white, transparent, covered, clipped or in a layer that is switched off. Letters off the page and letters
too small to read leave none for a reader either. Four words of three letters or more in a row, across line ends, make
prose; fewer are a label, a formula or a cropped figure, and hide nothing worth hiding.

Not detected: words under or over other words that are seen; words whose font draws other letters than it names;
single words and numbers; scripts without spaces between words; text that an author writes small but legible.
"""

import ctypes
import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pypdfium2 as pdfium2
import pypdfium2.raw as pdfium
from jaxtyping import Bool, Float, Int, UInt8
from rapidfuzz import fuzz

from mechaware.instruments.claims.reading.readings import Hidden, is_prose
from mechaware.instruments.claims.rubric.criteria import HiddenReason

LEAST_INK = 0.08  # share of a letter's box that looks different without the text
LARGE = 12.0  # points of height from which letters are made out at less contrast
LEAST_HEIGHT = 1.8  # points of a word's tallest letter: capitals of 2.5 points
LEAST_WIDTH = 0.6  # points, the mean of a word's letters: text squeezed into a line
# Share of a letter's room that is the next letter's, too; share of letters.
LEAST_COMMON, MOST_PILED = (
    0.35,
    0.3,
)
MOST_FORMS = 50  # forms within forms; pdfium draws fewer
LEAST_OF_SCAN = 0.5  # share of the page's area
LEAST_LIKENESS = 85  # of 100: a hidden piece by pdfium and the same by pypdf
FARTHEST_LINE = 4.0  # heights of a letter between a line and the next
WORD = re.compile(r"[^\W\d_]+")

_Word = tuple[int, int]  # the places of its first letter and behind its last


class _Letters(NamedTuple):
    """The characters of a page as pdfium orders them.

    `boxes`: left, bottom, right, top in points. `off`: whether a letter is off the page. `shown`: whether it is on the
    page, no larger than it, and leaves ink there.
    """

    text: str
    boxes: Float[np.ndarray, "letter 4"]
    off: Bool[np.ndarray, " letter"]
    shown: Bool[np.ndarray, " letter"]


def unseen_prose(page: pdfium2.PdfPage, number: int) -> list[Hidden]:
    """The runs of words on a page, with this number, that no reader sees.

    The reason is `scan` on a page that is a picture, and `dropped` for lines that run off the page from lines on it.
    """
    letters = _read_letters(page)
    words = [match.span() for match in WORD.finditer(letters.text)]
    if not words:
        return []
    hidden = []
    for run in _unseen_runs(letters, words):
        piece = letters.text[run[0][0] : run[-1][1]]
        if is_prose(piece):
            runs_off = _runs_off(letters, words[max(words.index(run[0]) - 1, 0)], run)
            reason: HiddenReason = (
                "scan" if _is_picture(page) else "dropped" if runs_off else "not visible"
            )
            hidden.append(Hidden(number, reason, piece))
    return hidden


def cut(text: str, hidden: Sequence[Hidden]) -> tuple[str, list[Hidden]]:
    """The text without the hidden pieces, and those that were in it; comments and replaced text are not read.

    Pieces are found by their letters and digits, by their letters, or by most of them, since pypdf and pdfium set other
    spaces and line ends, and pdfium leaves out a letter upon its like.
    """
    read: list[Hidden] = []
    for piece in hidden:
        parts = [piece.text] if _find(piece.text, text) else piece.text.splitlines()
        for place in (_find(part, text) for part in parts):
            if place:
                text = text[: place[0]] + text[place[1] :]
                read.append(piece)
    return text, list(dict.fromkeys(read))


def _find(piece: str, text: str) -> tuple[int, int] | None:
    """Where [start, end) the piece is in a text in NFKC."""
    written = unicodedata.normalize("NFKC", piece)
    for counts, between in ((str.isalnum, r"[\W_]*"), (str.isalpha, r"[\W\d_]*")):
        pattern = between.join(map(re.escape, filter(counts, written)))
        if pattern and (exact := re.search(pattern, text, re.I)):
            return exact.span()
    if not any(map(str.isalpha, written)):
        return None
    near = (
        fuzz.partial_ratio_alignment(piece, text, score_cutoff=LEAST_LIKENESS)
        if len(piece) < len(text)
        else None
    )
    return (near.dest_start, near.dest_end) if near else None


def _read_letters(page: pdfium2.PdfPage) -> _Letters:
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
    left, bottom, right, top = page.get_bbox()
    middles, sizes = (boxes[:, :2] + boxes[:, 2:]) / 2, boxes[:, 2:] - boxes[:, :2]
    outside = ((middles < [left, bottom]) | (middles > [right, top])).any(axis=1)
    too_large = (sizes > [right - left, top - bottom]).any(axis=1)
    shown = _leaves_ink(page, boxes) & ~(outside | too_large) if text.strip() else ~outside
    return _Letters(text, boxes, np.asarray(outside & ~too_large), np.asarray(shown))


def _leaves_ink(
    page: pdfium2.PdfPage, boxes: Float[np.ndarray, "letter 4"]
) -> Bool[np.ndarray, " letter"]:
    """Whether each letter's box looks different without the page's text, in its upper half and in its lower half."""
    drawn = _draw(page)
    texts = [
        found.raw
        for found in page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_TEXT], max_depth=MOST_FORMS)
    ]
    for text in texts:
        pdfium.FPDFPageObj_SetIsActive(text, False)
    without = _draw(page)
    for text in texts:
        pdfium.FPDFPageObj_SetIsActive(text, True)
    left, top, right, bottom = drawn.boxes(boxes).T
    middle = (top + bottom + 1) // 2

    def leave_ink(least_ratio: float) -> Bool[np.ndarray, " letter"]:
        """The ink of a box is found in a table of sums; parts of it beyond the page have none."""
        mask = _visible_difference(drawn.pixels, without.pixels, least_ratio)
        sums = np.zeros((mask.shape[0] + 1, mask.shape[1] + 1), np.int32)
        np.cumsum(np.cumsum(mask, axis=0, dtype=np.int32), axis=1, out=sums[1:, 1:])

        def ink(top: Any, bottom: Any) -> Any:
            west, east = left.clip(0, mask.shape[1]), right.clip(0, mask.shape[1])
            north, south = top.clip(0, mask.shape[0]), bottom.clip(0, mask.shape[0])
            return sums[south, east] - sums[north, east] - sums[south, west] + sums[north, west]

        area = ((right - left) * (bottom - top)).astype(float)
        one_row = bottom - top < 2
        halves = one_row | ((ink(top, middle) > 0) & (ink(middle, bottom) > 0))
        return np.asarray((ink(top, bottom) >= LEAST_INK * area) & halves)

    large = boxes[:, 3] - boxes[:, 1] >= LARGE
    shown = leave_ink(LEAST_RATIO)
    return shown | (large & leave_ink(LEAST_RATIO_LARGE)) if large.any() else shown


def _unseen_runs(letters: _Letters, words: Sequence[_Word]) -> Iterator[list[_Word]]:
    """The unseen words that follow each other on a line or across a line end.

    Lines far from each other are no run: so stand the labels of a cropped figure.
    """
    run: list[_Word] = []
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
    """Whether a run is the rest of overfull lines: off the page, but for a first word that its edge cuts."""
    from_page = (
        not letters.off[before[0]] and _lines_apart(letters, before, run[0]) <= FARTHEST_LINE
    )
    begins_on_page = not letters.off[run[0][0]]
    return bool((from_page or begins_on_page) and all(letters.off[start] for start, _ in run[1:]))


def _is_unseen(letters: _Letters, word: _Word) -> bool:
    """Whether most letters of a word leave no ink or are in one place, or it is too small to read."""
    boxes = letters.boxes[slice(*word)]
    breadths, heights = (boxes[:, 2:] - boxes[:, :2]).T
    # Boxes of turned letters stand upright around them.
    tallest = max(breadths.max(), heights.max())
    small = tallest < LEAST_HEIGHT or min(breadths.mean(), heights.mean()) < LEAST_WIDTH
    return bool(small or letters.shown[slice(*word)].mean() < 0.5 or _are_piled(boxes))


def _are_piled(boxes: Float[np.ndarray, "letter 4"]) -> bool:
    """Whether many letters share their room with the next; of four words in a row, not all do so by their ligatures."""
    low, high = np.maximum(boxes[:-1, :2], boxes[1:, :2]), np.minimum(boxes[:-1, 2:], boxes[1:, 2:])
    rooms = np.prod(boxes[:, 2:] - boxes[:, :2], axis=1)
    common = np.prod((high - low).clip(0), axis=1)
    return bool(
        len(boxes) > 1
        and (common > LEAST_COMMON * np.minimum(rooms[:-1], rooms[1:])).mean() > MOST_PILED
    )


def _lines_apart(letters: _Letters, before: _Word, word: _Word) -> float:
    """The distance of the lines of two words, in heights of the smaller letter where they meet."""
    first, second = letters.boxes[before[1] - 1], letters.boxes[word[0]]
    height = min(first[3] - first[1], second[3] - second[1])
    return float(abs(first[1] - second[1]) / max(height, 0.1))


def _is_picture(page: pdfium2.PdfPage) -> bool:
    """Whether images have most of the page's area."""
    boxes = [image.get_bounds() for image in page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_IMAGE])]
    area = sum((right - left) * (top - bottom) for left, bottom, right, top in boxes)
    left, bottom, right, top = page.get_bbox()
    return bool(area > LEAST_OF_SCAN * (right - left) * (top - bottom))


# Draws a page, and says where two drawings of it differ enough for a reader to notice. Our definition.

SCALE = 3.0  # pixels per point: a letter of five points is some eight pixels high
MOST_PIXELS = 12_000_000
FAR = 1e6  # pixels
# The contrast ratio of WCAG 2 runs from 1 to 21, and it asks 4.5 of body text. Below 1.3 letters cannot be made out:
# grey 0.89 on white has 1.28, yellow on white 1.07, grey 0.8 on white 1.6.
LEAST_RATIO = 1.3
# Large letters are seen at less. WCAG 2 asks less of them, too, and the eye notices a contrast of a few percent in
# shapes of a degree or more: 1.1 on white is (1.05 - 0.95) / (1.05 + 0.95), or 5%. Grey 0.92 on white has 1.2, grey
# 0.97 has 1.07.
LEAST_RATIO_LARGE = 1.1
# Colours of one lightness are told apart by red against green (cyan or pink on grey); blue against yellow alone is
# too coarse for letters. In linear light, from 0 to 1.
LEAST_RED_GREEN = 0.5
# Of sRGB.
LINEAR = np.where(
    (shade := np.arange(256) / 255) <= 0.04045, shade / 12.92, ((shade + 0.055) / 1.055) ** 2.4
)
WEIGHTS = np.array([0.2126, 0.7152, 0.0722])  # of red, green and blue in the luminance


class _Drawing(NamedTuple):
    """Pixels in blue, green, red and alpha, and the map from points of the page to them: place @ map + origin."""

    pixels: UInt8[np.ndarray, "row column 4"]
    map: Float[np.ndarray, "2 2"]
    origin: Float[np.ndarray, " 2"]

    def boxes(self, boxes: Float[np.ndarray, "letter 4"]) -> Int[np.ndarray, "letter 4"]:
        """Left, top, right, bottom in pixels of boxes on the page, at least one pixel each way."""
        corners = np.clip(boxes.reshape(-1, 2, 2) @ self.map + self.origin, -FAR, FAR)
        low = np.floor(corners.min(axis=1)).astype(int)
        return np.hstack([low, np.maximum(np.ceil(corners.max(axis=1)).astype(int), low + 1)])


def _draw(page: pdfium2.PdfPage) -> _Drawing:
    """The page as a reader sees it, with annotations and form fields, on white."""
    width, height = page.get_size()
    scale = min(SCALE, math.sqrt(MOST_PIXELS / max(width * height, 1.0)))
    # pdfium blends wrongly without alpha.
    bitmap = page.render(scale=scale, force_bitmap_format=pdfium.FPDFBitmap_BGRA)
    place = bitmap.get_posconv(page)
    origin, right, up = (
        np.array(place.to_bitmap(*point)) for point in ((0, 0), (1000, 0), (0, 1000))
    )
    return _Drawing(
        bitmap.to_numpy().copy(),
        np.stack([right - origin, up - origin]) / 1000,
        origin.astype(float),
    )


def _visible_difference(
    first: UInt8[np.ndarray, "row column 4"],
    second: UInt8[np.ndarray, "row column 4"],
    least_ratio: float,
) -> Bool[np.ndarray, "row column"]:
    """Where two drawings differ visibly."""
    whole = (np.ascontiguousarray(drawing).view(np.uint32)[:, :, 0] for drawing in (first, second))
    mask = np.asarray(np.not_equal(*whole))
    one, other = (LINEAR[drawing[mask][:, 2::-1]] for drawing in (first, second))
    mask[mask] = _is_legible(one, other, least_ratio)
    return mask


def _is_legible(
    first: Float[np.ndarray, "colour 3"], second: Float[np.ndarray, "colour 3"], least_ratio: float
) -> Bool[np.ndarray, " colour"]:
    """Whether two colours in linear red, green and blue can be told apart in letters."""
    lights = first @ WEIGHTS + 0.05, second @ WEIGHTS + 0.05
    ratio = np.maximum(*lights) / np.minimum(*lights)
    red_green = np.abs((first - second)[:, 0] - (first - second)[:, 1])
    return np.asarray((ratio >= least_ratio) | (red_green >= LEAST_RED_GREEN))
