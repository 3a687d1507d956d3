"""Draws a page of a PDF, and finds where two drawings of the page differ enough for a reader to
notice. Our definition.
"""

import math
from typing import NamedTuple

import numpy as np
import pypdfium2 as pdfium2
import pypdfium2.raw as pdfium
from jaxtyping import Bool, Float, Int, UInt8

SCALE = 3.0  # pixels per point: a letter of five points is some eight pixels high
MAX_PIXELS = 12_000_000
FAR = 1e6  # pixels: corners of boxes off the page are clipped to this distance from its origin
# The contrast ratio of WCAG 2 runs from 1 to 21, and WCAG 2 requires 4.5 for body text. Below 1.3
# letters cannot be made out: grey 0.89 on white has 1.28, yellow on white 1.07, grey 0.8 on white
# 1.6.
MIN_RATIO = 1.3
# Large letters can be made out at a lower ratio. WCAG 2 also requires less for them, and the eye
# notices a contrast of a few percent in shapes of a degree or more: for a colour with the ratio 1.1
# on white this contrast is (1.05 - 0.95) / (1.05 + 0.95), or 5%. Grey 0.92 on white has the ratio
# 1.2, grey 0.97 has 1.07.
MIN_RATIO_LARGE = 1.1
# A colour as light as its background can be told apart from it by red against green (cyan or pink
# on grey); by blue against yellow the eye sees too coarsely for letters. In linear light, from 0 to
# 1.
MIN_RED_GREEN = 0.5
_SHADES = np.arange(256) / 255
# The linear light, from 0 to 1, of each of the 256 values of a channel of sRGB.
LINEAR = np.where(_SHADES <= 0.04045, _SHADES / 12.92, ((_SHADES + 0.055) / 1.055) ** 2.4)
WEIGHTS = np.array([0.2126, 0.7152, 0.0722])  # of red, green and blue in the luminance


class Drawing(NamedTuple):
    """A page as pixels, each with blue, green, red and alpha, from 0 to 255.

    The place (x, y) on the page, in points, has the pixel (column, row)
    (x, y) @ `pixels_per_point` + `origin`.
    """

    pixels: UInt8[np.ndarray, "row column 4"]
    pixels_per_point: Float[np.ndarray, "2 2"]
    origin: Float[np.ndarray, " 2"]

    def to_pixels(self, boxes: Float[np.ndarray, "letter 4"]) -> Int[np.ndarray, "letter 4"]:
        """Left, top, right and bottom in pixels of boxes on the page, each at least one pixel wide
        and high.

        `boxes` have left, bottom, right and top in points.
        """
        # [left, bottom, right, top] becomes the corners [[left, bottom], [right, top]].
        corners = boxes.reshape(-1, 2, 2) @ self.pixels_per_point + self.origin
        corners = np.clip(corners, -FAR, FAR)
        # Rows count downwards, and a page may be rotated: each box has new lowest coordinates.
        low = np.floor(corners.min(axis=1)).astype(int)
        high = np.ceil(corners.max(axis=1)).astype(int)
        return np.hstack([low, np.maximum(high, low + 1)])


def draw(page: pdfium2.PdfPage) -> Drawing:
    """The page as a reader sees it, with annotations and form fields, on white."""
    width, height = page.get_size()
    scale = min(SCALE, math.sqrt(MAX_PIXELS / max(width * height, 1.0)))
    # pdfium blends wrongly without alpha.
    bitmap = page.render(scale=scale, force_bitmap_format=pdfium.FPDFBitmap_BGRA)

    # pdfium rounds a place to whole pixels: measured over a thousand points, this matters little.
    converter = bitmap.get_posconv(page)
    origin = np.array(converter.to_bitmap(0, 0))
    right = np.array(converter.to_bitmap(1000, 0))
    up = np.array(converter.to_bitmap(0, 1000))
    pixels_per_point = np.stack([right - origin, up - origin]) / 1000
    return Drawing(bitmap.to_numpy().copy(), pixels_per_point, origin.astype(float))


def visible_difference(
    first: UInt8[np.ndarray, "row column 4"],
    second: UInt8[np.ndarray, "row column 4"],
    least_ratio: float,
) -> Bool[np.ndarray, "row column"]:
    """Where two drawings differ visibly: by `least_ratio` of contrast, or in red against green."""
    # The four bytes of a pixel are compared as one number.
    first_pixels = np.ascontiguousarray(first).view(np.uint32)[:, :, 0]
    second_pixels = np.ascontiguousarray(second).view(np.uint32)[:, :, 0]
    is_changed = np.asarray(np.not_equal(first_pixels, second_pixels))

    # From blue, green, red and alpha to red, green and blue.
    first_colours = LINEAR[first[is_changed][:, 2::-1]]
    second_colours = LINEAR[second[is_changed][:, 2::-1]]
    # is_changed         [[True, False], [True, True]]
    # is_legible gives   [False, True, True], for the changed pixels row by row
    # is_visible         [[False, False], [True, True]]
    is_visible = np.zeros_like(is_changed)
    is_visible[is_changed] = is_legible(first_colours, second_colours, least_ratio)
    return is_visible


def is_legible(
    first: Float[np.ndarray, "colour 3"], second: Float[np.ndarray, "colour 3"], least_ratio: float
) -> Bool[np.ndarray, " colour"]:
    """Whether letters of one colour can be made out on a background of the other.

    The colours are red, green and blue in linear light. Letters are made out by the contrast ratio
    of WCAG 2 with the luminances L = `WEIGHTS` . colour,

        (L_lighter + 0.05) / (L_darker + 0.05) >= least_ratio

    or by red against green, |(red1 - red2) - (green1 - green2)| >= `MIN_RED_GREEN`.
    """
    first_light = first @ WEIGHTS + 0.05
    second_light = second @ WEIGHTS + 0.05
    ratio = np.maximum(first_light, second_light) / np.minimum(first_light, second_light)
    change = first - second
    red_green = np.abs(change[:, 0] - change[:, 1])
    return np.asarray((ratio >= least_ratio) | (red_green >= MIN_RED_GREEN))
