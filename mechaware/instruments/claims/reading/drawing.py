"""Draws a page of a PDF, and says where two drawings of it differ enough for a reader to
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
FAR = 1e6  # pixels from the page's origin, to which boxes off the page are clipped
# The contrast ratio of WCAG 2 runs from 1 to 21, and it asks 4.5 of body text. Below 1.3 letters
# cannot be made out: grey 0.89 on white has 1.28, yellow on white 1.07, grey 0.8 on white 1.6.
MIN_RATIO = 1.3
# Large letters are seen at less. WCAG 2 also asks less of them, and the eye notices a contrast of a
# few percent in shapes of a degree or more: 1.1 on white is (1.05 - 0.95) / (1.05 + 0.95), or 5%.
# Grey 0.92 on white has 1.2, grey 0.97 has 1.07.
MIN_RATIO_LARGE = 1.1
# Colours of one lightness are told apart by red against green (cyan or pink on grey); only blue
# against yellow is too coarse for letters. In linear light, from 0 to 1.
MIN_RED_GREEN = 0.5
_SHADES = np.arange(256) / 255
# The linear light, from 0 to 1, of each of the 256 values of a channel of sRGB.
LINEAR = np.where(_SHADES <= 0.04045, _SHADES / 12.92, ((_SHADES + 0.055) / 1.055) ** 2.4)
WEIGHTS = np.array([0.2126, 0.7152, 0.0722])  # of red, green and blue in the luminance


class Drawing(NamedTuple):
    """Pixels in blue, green, red and alpha, and the map from points of the page to pixels:
    place @ map + origin.
    """

    pixels: UInt8[np.ndarray, "row column 4"]
    map: Float[np.ndarray, "2 2"]
    origin: Float[np.ndarray, " 2"]

    def to_pixels(self, boxes: Float[np.ndarray, "letter 4"]) -> Int[np.ndarray, "letter 4"]:
        """Left, top, right and bottom in pixels of boxes on the page, each at least one pixel wide
        and high.

        `boxes` have left, bottom, right and top in points.
        """
        corners = boxes.reshape(-1, 2, 2) @ self.map + self.origin
        corners = np.clip(corners, -FAR, FAR)
        low = np.floor(corners.min(axis=1)).astype(int)
        high = np.ceil(corners.max(axis=1)).astype(int)
        return np.hstack([low, np.maximum(high, low + 1)])


def draw(page: pdfium2.PdfPage) -> Drawing:
    """The page as a reader sees it, with annotations and form fields, on white."""
    width, height = page.get_size()
    scale = min(SCALE, math.sqrt(MAX_PIXELS / max(width * height, 1.0)))
    # pdfium blends wrongly without alpha.
    bitmap = page.render(scale=scale, force_bitmap_format=pdfium.FPDFBitmap_BGRA)

    # pdfium rounds to whole pixels: over a thousand points this matters little.
    place = bitmap.get_posconv(page)
    origin = np.array(place.to_bitmap(0, 0))
    right = np.array(place.to_bitmap(1000, 0))
    up = np.array(place.to_bitmap(0, 1000))
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
    differ = np.asarray(np.not_equal(first_pixels, second_pixels))

    # From blue, green, red and alpha to red, green and blue.
    first_colours = LINEAR[first[differ][:, 2::-1]]
    second_colours = LINEAR[second[differ][:, 2::-1]]
    differ[differ] = is_legible(first_colours, second_colours, least_ratio)
    return differ


def is_legible(
    first: Float[np.ndarray, "colour 3"], second: Float[np.ndarray, "colour 3"], least_ratio: float
) -> Bool[np.ndarray, " colour"]:
    """Whether two colours in linear red, green and blue can be told apart in letters.

    Letters are made out by the contrast ratio of WCAG 2 with the luminances L = `WEIGHTS` . colour,

        (L_lighter + 0.05) / (L_darker + 0.05) >= least_ratio

    or by red against green, |(red1 - red2) - (green1 - green2)| >= `MIN_RED_GREEN`.
    """
    first_light = first @ WEIGHTS + 0.05
    second_light = second @ WEIGHTS + 0.05
    ratio = np.maximum(first_light, second_light) / np.minimum(first_light, second_light)
    change = first - second
    red_green = np.abs(change[:, 0] - change[:, 1])
    return np.asarray((ratio >= least_ratio) | (red_green >= MIN_RED_GREEN))
