"""Whether the letters that a PDF claims to draw are the letters that it draws, and whether they can be made out."""

from itertools import groupby

import numpy as np
from jaxtyping import Bool, Float, Int

from mechaware.claims.reading.pdf.drawing import Drawing
from mechaware.claims.reading.pdf.frames import Colours, Frames, brightness, compared, cut_out, difference, make_frames
from mechaware.claims.reading.pdf.letters import Letters
from mechaware.claims.reading.pdf.references import CLASSES, letter_classes, references
from mechaware.claims.reading.pdf.sizes import unturned

LIKE = 6  # of the 36 classes, a glyph is like the six that it correlates with best
# Correlations of a glyph with its letter in the most similar face, less `ASPECT` times the difference in the logarithm
# of breadth to height: 0.9 in the mean of ordinary papers, and above 0.5 for 998 of 1,000 letters.
LEAST_LIKENESS = 0.5
LEAST_LIKENESS_MIXED = 0.3  # with what else the page shows in its place
ASPECT = 0.2
LEAST_HEIGHT = 5.0  # pixels: lower letters cannot be compared
SAME_PLACE = 0.01  # points
# Their letters overlap, in slanting faces so much that their parts are not like them.
LIGATURES = frozenset(("ff", "fi", "fl", "ffi", "ffl", "fj", "ft", "tt", "ti", "st", "ct", "th"))
CHUNK = 2048  # glyphs that are in memory at once


class Glyphs:
    """The glyphs of a page's letters, to be compared with the alphabet, one drawing after the other.

    Letters a-z, A-Z and 0-9 are compared, with accents, in full width and in mathematical styles too. Letters that
    are read from one glyph, as those of ligatures, have a part of it each. Undetected: false letters of other scripts,
    less than half false letters in a word, letters that look alike, and letters below `LEAST_HEIGHT`.
    """

    def __init__(self, letters: Letters) -> None:
        self._classes = letter_classes(letters.text)
        self.comparable = letters.printed & (self._classes >= 0)
        starts, shares = np.zeros(len(letters.text)), np.ones(len(letters.text))
        usual = np.where(self._classes < 0, 1.0, np.exp(references().usual)[self._classes])
        self.ligatures = np.zeros(len(letters.text), bool)
        for first, last in _shared(letters):
            self.ligatures[first:last] = letters.text[first:last].lower() in LIGATURES
            parts = usual[first:last] / usual[first:last].sum()
            starts[first:last], shares[first:last] = parts.cumsum() - parts, parts
        self._frames = _frames(letters, usual, starts, shares)

    def unlike(
        self, where: Int[np.ndarray, " some"], drawn: Drawing, without: Drawing, bare: Drawing
    ) -> Int[np.ndarray, " some"]:
        """1 for each glyph that is not like its letter, 0 for those that are, -1 for those that are not compared.

        Compared are its own ink, which the page loses `without` it, and that ink on the page as it is `bare` of all
        letters, light on dark or dark on light. A glyph is unlike if either is more like `LIKE` other classes of
        letters than like its own, or too little like that.
        """
        result = np.full(len(where), -1)
        frames = self._frames.some(where)
        large = 2 * np.linalg.norm(frames.up @ drawn.matrix, axis=1) >= LEAST_HEIGHT
        asked = np.flatnonzero(self.comparable[where] & large)
        for part in np.split(asked, range(CHUNK, len(asked), CHUNK)):
            some, classes = frames.some(part), self._classes[where[part]]
            result[part] = _unlike(some, classes, *(cut_out(some, one) for one in (drawn, without, bare)))
        return result


def _unlike(
    frames: Frames, classes: Int[np.ndarray, " glyph"], shown: Colours, rest: Colours, bare: Colours
) -> Bool[np.ndarray, " glyph"]:
    """Whether glyphs are unlike their letters: their own ink, or that ink on what the page shows behind all letters."""
    unlike = _differs(compared(difference(shown, rest)), frames.aspects, classes, LEAST_LIKENESS)
    mixed = np.flatnonzero((bare != bare[:, :1, :1]).any(axis=(1, 2)))  # on even ground there is its own ink alone
    page = np.where(shown == rest, bare, shown)[mixed]
    ink, aspects = compared(brightness(page)), frames.aspects[mixed]
    both = (_differs(one, aspects, classes[mixed], LEAST_LIKENESS_MIXED) for one in (ink, -ink))
    unlike[mixed] |= np.logical_and(*both)
    return unlike


def _shared(letters: Letters) -> list[tuple[int, int]]:
    """The ranges of letters that are read from one glyph: those that have one box."""
    same = (np.abs(np.diff(letters.boxes, axis=0)) < SAME_PLACE).all(axis=1)
    same &= letters.printed[1:] & letters.printed[:-1]
    glyphs = np.append(0, np.cumsum(~same)).tolist()
    ranges = (list(group) for _, group in groupby(range(len(letters.text)), key=glyphs.__getitem__))
    return [(group[0], group[-1] + 1) for group in ranges if len(group) > 1]


def _frames(
    letters: Letters,
    usual: Float[np.ndarray, " letter"],
    starts: Float[np.ndarray, " letter"],
    shares: Float[np.ndarray, " letter"],
) -> Frames:
    """The part of its glyph that each letter has, upright on its baseline, from the box around the turned glyph."""
    breadths, heights = unturned(letters.boxes, letters.angles, usual)
    right = np.stack([np.cos(letters.angles), np.sin(letters.angles)], axis=1)
    middles = (letters.boxes[:, :2] + letters.boxes[:, 2:]) / 2
    middles = middles + right * (breadths * (starts + shares / 2 - 0.5))[:, None]
    return make_frames(middles, breadths * shares, heights, letters.angles)


def _differs(
    glyphs: Float[np.ndarray, "glyph part"],
    aspects: Float[np.ndarray, " glyph"],
    classes: Int[np.ndarray, " glyph"],
    least: float,
) -> Bool[np.ndarray, " glyph"]:
    """Whether each glyph is more like `LIKE` other classes than its own, or less than `least` like its own."""
    known = references()
    likeness = glyphs @ known.glyphs.T
    likeness -= ASPECT * np.abs(aspects.astype(np.float32)[:, None] - known.aspects)
    best = np.maximum.reduceat(likeness, np.searchsorted(known.classes, np.arange(len(CLASSES))), axis=1)
    own = best[np.arange(len(classes)), classes]
    return np.asarray(((best > own[:, None]).sum(axis=1) >= LIKE) | (own < least))
