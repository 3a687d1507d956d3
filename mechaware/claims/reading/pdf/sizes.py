"""How broad and high the glyphs of turned letters are, whose boxes stand upright around them."""

import numpy as np
from jaxtyping import Float

DIAGONAL = 0.3  # of the cosine of twice the angle, below which a box does not say how broad and high its glyph is

PerLetter = Float[np.ndarray, " letter"]


def unturned(
    boxes: Float[np.ndarray, "letter 4"], angles: PerLetter, usual: PerLetter | float
) -> tuple[PerLetter, PerLetter]:
    """Breadth and height of each glyph in points, along and across its baseline.

    `angles` of the baselines in radians; `usual` is the usual ratio of breadth to height, which decides where the box
    does not: near the diagonal.
    """
    spans = np.maximum(boxes[:, 2:] - boxes[:, :2], 0.01)
    cosines, sines = np.abs(np.cos(angles)), np.abs(np.sin(angles))
    difference = cosines**2 - sines**2
    unclear = np.abs(difference) < DIAGONAL
    divisor = np.where(unclear, 1.0, difference)
    breadths = (spans[:, 0] * cosines - spans[:, 1] * sines) / divisor
    heights = (spans[:, 1] * cosines - spans[:, 0] * sines) / divisor
    unclear |= (breadths <= 0) | (heights <= 0)
    around = spans.sum(axis=1) / (cosines + sines)
    return (
        np.where(unclear, around * usual / (1 + usual), breadths),
        np.where(unclear, around / (1 + usual), heights),
    )
