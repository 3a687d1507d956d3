"""Which strings of a PDF page may be removed together, so that none is seen by the ink of another."""

import math
from collections.abc import Iterator

import numpy as np
from jaxtyping import Bool, Int

from mechaware.claims.reading.pdf.drawing import MOST_PIXELS, Boxes
from mechaware.claims.reading.pdf.letters import Letters

MOST_LAYERS = 12  # strings that lie on each other
CELL = 2  # pixels
NEAR = 0.5  # of a letter's width and height, within which the same letter is its twin

Owners = Int[np.ndarray, " string"]
Crowded = Int[np.ndarray, " crowded"]


def layers(
    letters: Letters, boxes: Boxes, count: int, size: tuple[int, int], most_shared: float
) -> Iterator[Bool[np.ndarray, " string"]]:
    """Strings that may be removed together: first those that share no letter's box, then sets of disjoint ones.

    A string shares a box if others cover more than `most_shared` of one of its letters. Strings that print the same
    letters in one place, as word processors do for bold, are one. A string that lies on more than `MOST_LAYERS` others
    is in no set. `size` is the drawing's rows and columns. The time is linear in letters and strings.
    """
    owners = np.arange(count)
    crowded = _crowded(letters, owners, boxes, size, most_shared)
    if len(crowded):
        owners = _without_twins(letters, np.isin(letters.strings, crowded), boxes, count)
        crowded = _crowded(letters, owners, boxes, size, most_shared)
    yield ~np.isin(owners, crowded)
    levels = _levels(letters, owners, boxes, crowded, size)[owners]
    for level in range(levels.max(initial=-1) + 1):
        yield levels == level


def _without_twins(letters: Letters, asked: Bool[np.ndarray, " letter"], boxes: Boxes, count: int) -> Owners:
    """For each string itself, or an earlier one that prints all of its letters in their places."""
    firsts: dict[tuple[str, int, int, int], int] = {}
    twins: dict[int, set[int]] = {}
    for index in np.flatnonzero(letters.printed & asked).tolist():
        left, top, right, bottom = boxes[index].tolist()
        step = 1 << max(int(min(right - left, bottom - top) * NEAR).bit_length() - 1, 0)
        row, column = (top + bottom) // 2 // step, (left + right) // 2 // step
        around = ((letters.text[index], step, row + down, column + on) for down in (0, -1, 1) for on in (0, -1, 1))
        others = (firsts.get(place) for place in around)
        near = {int(letters.strings[other]) for other in others if other is not None and _near(boxes, index, other)}
        owner = int(letters.strings[index])
        twins[owner] = twins.get(owner, near) & near - {owner}
        firsts.setdefault((letters.text[index], step, row, column), index)
    owners = np.arange(count)
    for owner, same in sorted(twins.items()):
        owners[owner] = owners[min(same)] if same and min(same) < owner else owner
    return owners


def _near(boxes: Boxes, first: int, second: int) -> bool:
    apart = np.abs(boxes[first, :2] + boxes[first, 2:] - boxes[second, :2] - boxes[second, 2:]) / 2
    return bool((apart <= NEAR * (boxes[first, 2:] - boxes[first, :2])).all())


def _crowded(letters: Letters, owners: Owners, boxes: Boxes, size: tuple[int, int], most_shared: float) -> Crowded:
    """The strings with a letter of which other strings cover more than `most_shared`."""
    height, width = size
    where = np.flatnonzero(letters.printed)
    inside = boxes[where].clip(0, [width, height, width, height])
    spans = inside[:, 2:] - inside[:, :2]
    coarse = max(CELL, math.ceil(math.sqrt(spans.prod(axis=1).sum() / MOST_PIXELS)))
    inside, columns = inside // coarse, -(-width // coarse)
    spans = np.maximum(inside[:, 2:] - inside[:, :2] - 1, 1)  # without the pixels that are its own in part
    areas = spans.prod(axis=1)
    within = np.arange(areas.sum()) - np.repeat(areas.cumsum() - areas, areas)
    each = np.repeat(np.arange(len(where)), areas)
    rows, across = np.divmod(within, spans[each, 0])
    cells = (inside[each, 1] + rows) * columns + inside[each, 0] + across
    mine = owners[letters.strings[where]]
    first, last = np.zeros((2, (-(-height // coarse) + 2) * (columns + 2)), int)
    last[cells], first[cells[::-1]] = mine[each], mine[each][::-1]
    shared = np.bincount(each, (first != last)[cells], len(where))
    return np.unique(mine[shared > most_shared * areas])


def _levels(letters: Letters, owners: Owners, boxes: Boxes, crowded: Crowded, size: tuple[int, int]) -> Owners:
    """The first level on which each crowded string lies on no other; -1 for the others, and where there is none."""
    where = np.flatnonzero(letters.printed)
    mine, inside = owners[letters.strings[where]], boxes[where].clip(0, [*size[::-1], *size[::-1]]) // CELL
    low, high = np.full((len(owners), 2), max(size)), np.zeros((len(owners), 2), int)
    np.minimum.at(low, mine, inside[:, :2])
    np.maximum.at(high, mine, inside[:, 2:] + 1)
    taken = np.zeros((MOST_LAYERS, size[0] // CELL + 1, size[1] // CELL + 1), bool)
    levels = np.full(len(owners), -1)
    for owner in crowded.tolist():
        (left, top), (right, bottom) = low[owner], high[owner]
        free = ~taken[:, top:bottom, left:right].any(axis=(1, 2))
        if free.any():
            levels[owner] = free.argmax()
            taken[levels[owner], top:bottom, left:right] = True
    return levels
