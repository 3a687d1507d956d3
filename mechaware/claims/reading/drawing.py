"""A drawing of a PDF page as a reader sees it, and where the page's places are in it."""

import ctypes
import math
from typing import NamedTuple

import numpy as np
import pypdfium2 as pdfium2
import pypdfium2.raw as pdfium
from jaxtyping import Float, Int, UInt8

Pixels = UInt8[np.ndarray, "row column 4"]  # blue, green, red, alpha
Boxes = Int[np.ndarray, "letter 4"]

Around = Float[np.ndarray, "box 4"]

MARGIN = 2.0  # points
MOST_PIXELS = 12_000_000
FAR = 1e6  # pixels


class Drawing(NamedTuple):
    """Pixels, and the affine map from points of the page to them: place @ matrix + origin."""

    pixels: Pixels
    matrix: Float[np.ndarray, "2 2"]
    origin: Float[np.ndarray, " 2"]

    def places(self, points: Float[np.ndarray, "*any 2"]) -> Float[np.ndarray, "*any 2"]:
        """Column and row of points of the page."""
        return np.asarray(np.clip(points @ self.matrix + self.origin, -FAR, FAR))

    def boxes(self, boxes: Float[np.ndarray, "letter 4"]) -> Boxes:
        """Left, top, right, bottom of each box in pixels, at least one pixel each way."""
        first, second = self.places(boxes[:, :2]), self.places(boxes[:, 2:])
        low = np.floor(np.minimum(first, second)).astype(int)
        return np.hstack([low, np.maximum(np.ceil(np.maximum(first, second)).astype(int), low + 1)])


def draw(page: pdfium2.PdfPage, scale: float, around: Around | None = None) -> Drawing:
    """The page as a reader sees it, with annotations and form fields, at so many pixels per point or fewer.

    `around` are boxes on the page: what lies outside of the smallest region with them all is left out.
    """
    matrix, origin, width, height = _display(page)
    left, top, right, bottom = 0.0, 0.0, width, height
    if around is not None:
        corners = around.reshape(-1, 2) @ matrix + origin
        left, top = (corners.min(axis=0) - MARGIN).clip(0, [width - 1, height - 1]).tolist()
        right, bottom = (corners.max(axis=0) + MARGIN).clip([left + 1, top + 1], [width, height]).tolist()
    scale = min(scale, math.sqrt(MOST_PIXELS / max((right - left) * (bottom - top), 1.0)))
    crop = tuple(math.floor(side * scale) / scale for side in (left, height - bottom, width - right, top))
    with_alpha = pdfium.FPDFBitmap_BGRA  # pdfium blends wrongly without
    bitmap = page.render(scale=scale, crop=crop, force_bitmap_format=with_alpha)
    pixels: Pixels = bitmap.to_numpy().copy()  # which outlives the bitmap
    whole = np.ceil(np.array([width, height]) * scale)  # pixels
    per_point = whole / [width, height]
    offset = np.ceil(np.array([crop[0], crop[3]]) * scale)
    return Drawing(pixels, matrix * per_point, origin * per_point - offset)


def _display(
    page: pdfium2.PdfPage,
) -> tuple[Float[np.ndarray, "2 2"], Float[np.ndarray, " 2"], float, float]:
    """The map from the page to where it is displayed, from its upper left corner, and the size; all in points."""
    width, height = page.get_size()
    fine = min(1000.0, 1e9 / max(width, height, 1.0))  # pdfium rounds to whole pixels
    size = max(round(width * fine), 1), max(round(height * fine), 1)

    def device(x: float, y: float) -> Float[np.ndarray, " 2"]:
        place = ctypes.c_int(), ctypes.c_int()
        pdfium.FPDF_PageToDevice(page, 0, 0, *size, 0, x, y, *place)
        return np.asarray(np.array([coordinate.value for coordinate in place]) / fine)

    origin, right, up = device(0, 0), device(1000, 0), device(0, 1000)
    return np.stack([right - origin, up - origin]) / 1000, origin, width, height
