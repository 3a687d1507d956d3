"""Which letters of a PDF page a reader sees, and which of them are drawn as other letters."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pypdfium2 as pdfium2
from jaxtyping import Bool, Float, Int

from mechaware.claims.reading.contrast import LEAST_RATIO, LEAST_RATIO_LARGE, visible_difference
from mechaware.claims.reading.pdf.drawing import Boxes, Drawing, draw, draw_without
from mechaware.claims.reading.pdf.glyphs import Glyphs
from mechaware.claims.reading.pdf.layers import layers
from mechaware.claims.reading.pdf.legible import doubtful_letters, large_letters
from mechaware.claims.reading.pdf.letters import Letters, String

SCALES = (3.0, 5.0)  # pixels per point: for all letters, and for those that the first does not show as they are
LEAST_INK = 0.08  # share of a letter's box that must look different without the letter
LEAST_OWN_INK = 0.02  # share below which a letter is covered, whatever is seen of its word


class Looks(NamedTuple):
    """What the drawings of a page show of each of its letters."""

    examined: Bool[np.ndarray, " letter"]  # was drawn with and without
    seen: Bool[np.ndarray, " letter"]
    other: Bool[np.ndarray, " letter"]  # is drawn as another letter


def look_at(page: pdfium2.PdfPage, strings: Sequence[String], letters: Letters) -> Looks:
    """What a reader sees of each letter that should leave ink.

    A letter is seen if the page, drawn once with and once without its string, differs in at least `LEAST_INK` of the
    pixels of its box by a contrast that a reader notices, and so do most letters around it in its word, which stand for
    it unless it is a digit or leaves less than `LEAST_OWN_INK`. Strings that
    share more than that of a box are removed one after the other, so that no string is seen by the ink of another.
    """
    glyphs, count = Glyphs(letters), len(letters.text)
    examined, seen, unlike = np.zeros(count, bool), np.zeros(count, bool), np.full(count, -1)
    inked = np.zeros(count, bool)
    asked = letters.printed
    for scale in SCALES:
        if asked.any():
            _look_at(page, strings, letters, glyphs, asked, scale, (examined, seen, unlike, inked))
        shown = _majority(seen, letters) & letters.printed & (seen | (inked & ~_digits(letters)))
        other = doubtful_letters(letters, strings, np.where(shown, unlike, -1), glyphs.ligatures)
        asked = letters.printed & (~shown | other)
    return Looks(examined, shown, other)


def _look_at(
    page: pdfium2.PdfPage,
    strings: Sequence[String],
    letters: Letters,
    glyphs: Glyphs,
    asked: Bool[np.ndarray, " letter"],
    scale: float,
    notes: tuple[
        Bool[np.ndarray, " letter"],
        Bool[np.ndarray, " letter"],
        Int[np.ndarray, " letter"],
        Bool[np.ndarray, " letter"],
    ],
) -> None:
    """Look at the letters asked about at one scale.

    Notes which are examined, seen, unlike (1, 0, or -1), and which have ink of their own.
    """
    examined, seen, unlike, inked = notes
    around, large = letters.boxes[asked], large_letters(letters)
    drawn, bare = draw(page, scale, around), draw_without(page, strings, scale, around)
    boxes = drawn.boxes(letters.boxes)
    for layer in layers(letters, boxes, len(strings), drawn.pixels.shape[:2], LEAST_INK):
        where = np.flatnonzero(asked & layer[letters.strings])
        if not len(where):
            continue
        some = [strings[index] for index in np.flatnonzero(layer).tolist()]
        without = bare if len(some) == len(strings) else draw_without(page, some, scale, around)
        shares = _shares(drawn, without, boxes[where], LEAST_RATIO)
        if (large[where] & (shares < LEAST_INK)).any():
            of_large = _shares(drawn, without, boxes[where], LEAST_RATIO_LARGE)
            shares = np.where(large[where], np.maximum(shares, of_large), shares)
        examined[where] = True
        seen[where] |= shares >= LEAST_INK
        inked[where] |= shares >= LEAST_OWN_INK
        unlike[where] = glyphs.unlike(where, drawn, without, bare)


def ink_behind(page: pdfium2.PdfPage, letters: Letters) -> Bool[np.ndarray, " letter"]:
    """Whether the page shows anything but its commonest colour in each letter's box, drawn by whatever means."""
    drawn = draw(page, SCALES[0])
    paper = np.empty_like(drawn.pixels)
    paper[:] = np.median(drawn.pixels[::7, ::7].reshape(-1, 4), axis=0)
    shares = _shares(drawn, drawn._replace(pixels=paper), drawn.boxes(letters.boxes), LEAST_RATIO)
    return np.asarray(shares >= LEAST_INK)


def _shares(drawn: Drawing, without: Drawing, boxes: Boxes, least_ratio: float) -> Float[np.ndarray, " letter"]:
    """The share of each box, parts beyond the page included, in which two drawings differ visibly."""
    left, top = boxes[:, :2].min(axis=0).clip(0)
    right, bottom = boxes[:, 2:].max(axis=0).clip(0)
    mask = visible_difference(drawn.pixels[top:bottom, left:right], without.pixels[top:bottom, left:right], least_ratio)
    sums = np.zeros((mask.shape[0] + 1, mask.shape[1] + 1), np.int32)
    np.cumsum(np.cumsum(mask, axis=0, dtype=np.int32), axis=1, out=sums[1:, 1:])
    areas = np.prod((boxes[:, 2:] - boxes[:, :2]).astype(float), axis=1)
    west, east = ((boxes[:, side] - left).clip(0, mask.shape[1]) for side in (0, 2))
    north, south = ((boxes[:, side] - top).clip(0, mask.shape[0]) for side in (1, 3))
    return np.asarray((sums[south, east] - sums[north, east] - sums[south, west] + sums[north, west]) / areas)


def _digits(letters: Letters) -> Bool[np.ndarray, " letter"]:
    return np.array([letter.isdigit() for letter in letters.text], bool)


def _majority(seen: Bool[np.ndarray, " letter"], letters: Letters) -> Bool[np.ndarray, " letter"]:
    """Whether most of the five printed letters around each one in its word and string are seen; ties count as seen."""
    where = np.flatnonzero(letters.printed)
    words, votes = letters.words[where], np.where(seen[where], 1, -1)
    drawn_by = letters.strings[where]
    total = votes.copy()
    for step in (1, 2):
        near = (words[step:] == words[:-step]) & (drawn_by[step:] == drawn_by[:-step])
        total[step:] += np.where(near, votes[:-step], 0)
        total[:-step] += np.where(near, votes[step:], 0)
    result = np.zeros(len(seen), bool)
    result[where] = total >= 0
    return result
