"""Which letters of a PDF page can be read if they are seen: large, and not one upon the other. Our definition."""

import numpy as np
from jaxtyping import Bool, Float

from mechaware.claims.reading.pdf.letters import Letters

# Normal vision resolves letters of five minutes of arc, 0.58 mm at a reading distance of 40 cm. As the height of a
# capital that is a font of about 2.3 points; letters without ascender have three quarters of it.
LEAST_HEIGHT = 1.65  # points
LEAST_WIDTH = 0.6  # points, in the mean; a font of 2.3 points has 1.1
LOW = frozenset("acemnorsuvwxz")
NARROW = frozenset("fijlrtI1")
WINDOW = 8  # letters that are looked at together
MOST_COVER = 1.6  # their areas in the area around them all; printed words have at most about 0.8


def tiny_letters(letters: Letters) -> Bool[np.ndarray, " letter"]:
    """The letters of strings that are too low or too narrow to be read."""
    tiny = np.zeros(len(letters.text), bool)
    sideways = np.abs(np.sin(letters.angles)) > np.sqrt(0.5)
    spans = letters.boxes[:, 2:] - letters.boxes[:, :2]
    spans[sideways] = spans[sideways, ::-1]
    for where in strings_of(letters):
        kinds = [letters.text[index] for index in where]
        low = np.array([kind in LOW for kind in kinds])
        wide = np.array([kind.isalnum() and kind not in NARROW for kind in kinds])
        words = np.array([kind.isalnum() for kind in kinds])
        tiny[where] = words.any() and (
            (spans[where, 1] / np.where(low, 3 / 4, 1.0))[words].max() < LEAST_HEIGHT
            or (wide.any() and spans[where, 0][wide].mean() < LEAST_WIDTH)
        )
    return tiny


def piled_letters(letters: Letters) -> Bool[np.ndarray, " letter"]:
    """The letters that lie one upon the other within a string, many in the place of one."""
    piled = np.zeros(len(letters.text), bool)
    for where in strings_of(letters):
        for start in range(0, len(where), WINDOW // 2):
            part = where[start : start + WINDOW]
            if len(part) > WINDOW // 2 and _cover(letters.boxes[part]) > MOST_COVER:
                piled[part] = True
    return piled


def _cover(boxes: Float[np.ndarray, "letter 4"]) -> float:
    areas = np.prod(boxes[:, 2:] - boxes[:, :2], axis=1).sum()
    around = np.prod(boxes[:, 2:].max(axis=0) - boxes[:, :2].min(axis=0))
    return float(areas / max(around, 1e-9))


def strings_of(letters: Letters) -> list[np.ndarray]:
    """The indices of the printed letters of each string."""
    where = np.flatnonzero(letters.printed)
    order = where[np.argsort(letters.strings[where], kind="stable")]
    breaks = np.flatnonzero(np.diff(letters.strings[order])) + 1
    return [part for part in np.split(order, breaks) if len(part)]
