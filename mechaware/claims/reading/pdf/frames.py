"""Upright pictures of glyphs, cut from a drawing of a page whatever the direction of their lines."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int, UInt32

from mechaware.claims.reading.pdf.drawing import Drawing

GRID = 12  # a glyph is compared by the mean ink in 12 x 12 parts of its frame
WHITE = np.uint32(0xFFFFFFFF)

Colours = UInt32[np.ndarray, "glyph row column"]  # blue, green, red and alpha from the lowest byte on


class Frames(NamedTuple):
    """Where glyphs stand on the page: their middle, and half of their breadth and of their height as vectors."""

    middles: Float[np.ndarray, "glyph 2"]
    across: Float[np.ndarray, "glyph 2"]
    up: Float[np.ndarray, "glyph 2"]

    @property
    def aspects(self) -> Float[np.ndarray, " glyph"]:
        """The logarithm of breadth to height."""
        breadths, heights = (np.linalg.norm(vectors, axis=1) for vectors in (self.across, self.up))
        return np.asarray(np.log(np.maximum(breadths, 1e-9) / np.maximum(heights, 1e-9)))

    def some(self, which: Int[np.ndarray, " some"]) -> "Frames":
        """The frames of the glyphs at the indices `which`, in that order."""
        return Frames(*(vectors[which] for vectors in self))


def make_frames(
    middles: Float[np.ndarray, "glyph 2"],
    breadths: Float[np.ndarray, " glyph"],
    heights: Float[np.ndarray, " glyph"],
    angles: Float[np.ndarray, " glyph"],
) -> Frames:
    """Frames whose baselines have these angles, in radians, counterclockwise."""
    right = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    up = np.stack([-right[:, 1], right[:, 0]], axis=1)
    return Frames(middles, right * breadths[:, None] / 2, up * heights[:, None] / 2)


def cut_out(frames: Frames, drawn: Drawing, fine: int = 1) -> Colours:
    """The colours at the points of each frame, `fine` a side for each part; white beyond the page."""
    steps = (np.arange(GRID * fine, dtype=np.float32) + 0.5) / (GRID * fine) * 2 - 1
    middles = drawn.places(frames.middles).astype(np.float32)
    across, up = ((vectors @ drawn.matrix).astype(np.float32) for vectors in (frames.across, frames.up))
    rows, columns, _ = drawn.pixels.shape
    places = [
        (middles[:, axis] + 1)[:, None, None]  # of a drawing with a white pixel on each side
        + across[:, axis, None, None] * steps[None, None, :]
        - up[:, axis, None, None] * steps[None, :, None]
        for axis in (0, 1)
    ]
    column, row = (
        place.clip(0, most + 1).astype(np.int32) for place, most in zip(places, (columns, rows), strict=True)
    )
    inside = (column > 0) & (column <= columns) & (row > 0) & (row <= rows)
    whole = np.ascontiguousarray(drawn.pixels).view(np.uint32).ravel()
    return np.where(inside, whole[((row - 1) * columns + column - 1) * inside], WHITE)


def brightness(colours: Colours) -> Float[np.ndarray, "glyph row column"]:
    """The sum of red, green and blue, from 0 to 765."""
    return sum((colours >> shift & 255).astype(np.float32) for shift in (0, 8, 16))  # type: ignore[return-value]


def difference(first: Colours, second: Colours) -> Float[np.ndarray, "glyph row column"]:
    """The sum of the differences in red, green and blue."""
    pairs = ((colours >> shift & 255 for colours in (first, second)) for shift in (0, 8, 16))
    return sum(np.abs(one.astype(np.float32) - other.astype(np.float32)) for one, other in pairs)  # type: ignore[return-value]


def compared(ink: Float[np.ndarray, "glyph row column"]) -> Float[np.ndarray, "glyph part"]:
    """The ink in the parts of each frame, of mean 0 and length 1, or of length 0 where it is even."""
    parts = (
        ink.reshape(len(ink), GRID, ink.shape[1] // GRID, GRID, ink.shape[2] // GRID)
        .mean(axis=(2, 4))
        .reshape(len(ink), GRID * GRID)
    )
    parts -= parts.mean(axis=1, keepdims=True)
    return np.asarray(parts / np.maximum(np.linalg.norm(parts, axis=1, keepdims=True), 1e-9))
