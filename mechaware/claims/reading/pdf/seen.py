"""Which letters of a PDF page a reader sees: those without which the page would look different."""

import ctypes
import math
from collections.abc import Iterable, Sequence

import numpy as np
import pypdfium2 as pdfium2
import pypdfium2.raw as pdfium
from jaxtyping import Bool, Float, Int, UInt8

from mechaware.claims.reading.contrast import differs
from mechaware.claims.reading.pdf.letters import Letters, String

Pixels = UInt8[np.ndarray, "row column 4"]  # blue, green, red, alpha
Boxes = Int[np.ndarray, "letter 4"]

SCALES = (1.5, 4.0)  # pixels per point: 108 dpi for all letters, 288 dpi for those that 108 dpi does not show
MOST_PIXELS = 12_000_000
LEAST_INK = 0.08  # share of a letter's box that must look different without the letter
MOST_LAYERS = 12  # strings that lie on each other


def seen_letters(page: pdfium2.PdfPage, strings: Sequence[String], letters: Letters) -> Bool[np.ndarray, " letter"]:
    """Whether each letter that should leave ink is seen.

    A letter is seen if the page, drawn once with and once without its string, differs in at least `LEAST_INK` of the
    pixels of its box by a contrast that a reader notices. Strings that share more than that of a box are removed
    one after the other, so that no string is seen by the ink of another.
    """
    seen = np.zeros(len(letters.text), bool)
    for scale in SCALES:
        open_questions = letters.printed & ~_majority(seen, letters)
        if not open_questions.any():
            break
        seen |= _seen_at(page, strings, letters, open_questions, scale)
    return np.asarray(_majority(seen, letters) & letters.printed)


def _seen_at(
    page: pdfium2.PdfPage, strings: Sequence[String], letters: Letters, asked: Bool[np.ndarray, " letter"], scale: float
) -> Bool[np.ndarray, " letter"]:
    drawn = draw(page, scale)
    boxes = pixel_boxes(page, letters.boxes, drawn)
    seen = np.zeros(len(letters.text), bool)
    for layer in _layers(letters, boxes, len(strings), drawn):
        members = asked & np.isin(letters.strings, layer)
        if members.any():
            left, top, right, bottom = np.clip(_bounds(boxes[members]), 0, None)
            without = draw_without(page, [strings[index] for index in layer], scale)
            part = differs(drawn[top:bottom, left:right], without[top:bottom, left:right])
            seen[members] = _shares(part, boxes[members] - [left, top, left, top]) >= LEAST_INK
    return seen


def ink_behind(page: pdfium2.PdfPage, letters: Letters) -> Bool[np.ndarray, " letter"]:
    """Whether the page shows anything but its commonest colour in each letter's box, drawn by whatever means."""
    drawn = draw(page, SCALES[0])
    paper = np.empty_like(drawn)
    paper[:] = np.median(drawn[::7, ::7].reshape(-1, 4), axis=0)
    return np.asarray(_shares(differs(drawn, paper), pixel_boxes(page, letters.boxes, drawn)) >= LEAST_INK)


def draw(page: pdfium2.PdfPage, scale: float) -> Pixels:
    """The page as a reader sees it, annotations included."""
    width, height = page.get_size()
    scale = min(scale, math.sqrt(MOST_PIXELS / max(width * height, 1.0)))
    with_alpha = pdfium.FPDFBitmap_BGRA  # pdfium blends wrongly without
    bitmap = page.render(scale=scale, may_draw_forms=False, force_bitmap_format=with_alpha)
    pixels: Pixels = bitmap.to_numpy().copy()  # which outlives the bitmap
    return pixels


def draw_without(page: pdfium2.PdfPage, strings: Iterable[String], scale: float) -> Pixels:
    """The page as it is drawn without some of its strings."""
    handles = [string.handle for string in strings]
    for handle in handles:
        pdfium.FPDFPageObj_SetIsActive(handle, False)
    try:
        return draw(page, scale)
    finally:
        for handle in handles:
            pdfium.FPDFPageObj_SetIsActive(handle, True)


def pixel_boxes(page: pdfium2.PdfPage, boxes: Float[np.ndarray, "letter 4"], drawn: Pixels) -> Boxes:
    """Left, top, right, bottom of each box in the pixels of a drawing, at least one pixel each way."""
    height, width, _ = drawn.shape
    origin, right, up = (_device(page, width, height, *point) for point in ((0, 0), (1000, 0), (0, 1000)))
    matrix = np.stack([right - origin, up - origin]) / 1000
    first, second = boxes[:, :2] @ matrix + origin, boxes[:, 2:] @ matrix + origin
    bounds = np.clip(np.hstack([np.minimum(first, second), np.maximum(first, second)]), -1e6, 1e6)
    low = np.floor(bounds[:, :2]).astype(int)
    return np.hstack([low, np.maximum(np.ceil(bounds[:, 2:]).astype(int), low + 1)])


def _device(page: pdfium2.PdfPage, width: int, height: int, x: float, y: float) -> Float[np.ndarray, " 2"]:
    fine = 1000  # pdfium rounds to whole pixels
    place = ctypes.c_int(), ctypes.c_int()
    pdfium.FPDF_PageToDevice(page, 0, 0, width * fine, height * fine, 0, x, y, *place)
    return np.array([coordinate.value for coordinate in place]) / fine


def _layers(letters: Letters, boxes: Boxes, count: int, drawn: Pixels) -> list[list[int]]:
    """Strings that may be removed together: in the first list those that share no box, then lists of disjoint ones.

    A string that lies on more than `MOST_LAYERS` others is in no list, and so is not seen.
    """
    crowded = _crowded(letters, boxes, drawn)
    layers = [[index for index in range(count) if index not in crowded]]
    bounds = {index: _bounds(boxes[letters.strings == index]) for index in sorted(crowded)}
    for index, bound in bounds.items():
        free = (layer for layer in layers[1:] if not any(_meet(bound, bounds[other]) for other in layer))
        layer = next(free, None)
        if layer is None and len(layers) <= MOST_LAYERS:
            layers.append([index])
        elif layer is not None:
            layer.append(index)
    return layers


def _crowded(letters: Letters, boxes: Boxes, drawn: Pixels) -> set[int]:
    """The strings with a letter of which other strings cover more than `LEAST_INK`."""
    height, width, _ = drawn.shape
    where = np.flatnonzero(letters.printed)
    inside = boxes[where].clip(0, [width, height, width, height])
    spans = inside[:, 2:] - inside[:, :2]
    coarse = max(1, math.ceil(math.sqrt(spans.prod(axis=1).sum() / MOST_PIXELS)))
    inside, columns = inside // coarse, -(-width // coarse)
    spans = np.maximum(inside[:, 2:] - inside[:, :2] - 1, 1)  # without the pixels that are its own in part
    areas = spans.prod(axis=1)
    within = np.arange(areas.sum()) - np.repeat(areas.cumsum() - areas, areas)
    each = np.repeat(np.arange(len(where)), areas)
    rows, across = np.divmod(within, spans[each, 0])
    cells = (inside[each, 1] + rows) * columns + inside[each, 0] + across
    owners = letters.strings[where][each]
    size = (-(-height // coarse) + 2) * (columns + 2)
    first, last = np.zeros(size, int), np.zeros(size, int)
    last[cells], first[cells[::-1]] = owners, owners[::-1]
    shared = np.bincount(each, (first != last)[cells], len(where))
    return set(map(int, letters.strings[where][shared > LEAST_INK * areas]))


def _bounds(boxes: Boxes) -> tuple[int, int, int, int]:
    left, top = boxes[:, :2].min(axis=0)
    right, bottom = boxes[:, 2:].max(axis=0)
    return int(left), int(top), int(right), int(bottom)


def _meet(first: Sequence[int], second: Sequence[int]) -> bool:
    return first[0] < second[2] and second[0] < first[2] and first[1] < second[3] and second[1] < first[3]


def _shares(mask: Bool[np.ndarray, "row column"], boxes: Boxes) -> Float[np.ndarray, " letter"]:
    """The share of each box, parts beyond the page included, in which the mask is true."""
    sums = np.zeros((mask.shape[0] + 1, mask.shape[1] + 1), np.int32)
    np.cumsum(np.cumsum(mask, axis=0, dtype=np.int32), axis=1, out=sums[1:, 1:])
    areas = np.prod((boxes[:, 2:] - boxes[:, :2]).astype(float), axis=1)
    left, right = boxes[:, 0].clip(0, mask.shape[1]), boxes[:, 2].clip(0, mask.shape[1])
    top, bottom = boxes[:, 1].clip(0, mask.shape[0]), boxes[:, 3].clip(0, mask.shape[0])
    inside = sums[bottom, right] - sums[top, right] - sums[bottom, left] + sums[top, left]
    return np.asarray(inside / areas)


def _majority(seen: Bool[np.ndarray, " letter"], letters: Letters) -> Bool[np.ndarray, " letter"]:
    """Whether most of the five printed letters around each one in its string are seen; ties count as seen."""
    where = np.flatnonzero(letters.printed)
    own, votes = letters.strings[where], np.where(seen[where], 1, -1)
    total = votes.copy()
    for step in (1, 2):
        near = own[step:] == own[:-step]
        total[step:] += np.where(near, votes[:-step], 0)
        total[:-step] += np.where(near, votes[step:], 0)
    result = np.zeros(len(seen), bool)
    result[where] = total >= 0
    return result
