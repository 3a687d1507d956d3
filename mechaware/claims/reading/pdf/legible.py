"""Which letters of a PDF page can be read if they are seen: large, and not one upon the other. Our definition."""

from collections.abc import Sequence
from unicodedata import normalize

import numpy as np
from jaxtyping import Bool, Float, Int

from mechaware.claims.reading.pdf.letters import Letters, String
from mechaware.claims.reading.pdf.sizes import unturned

# Normal vision resolves letters of five minutes of arc, 0.58 mm at a reading distance of 40 cm. As the height of a
# capital that is a font of about 2.3 points; letters without ascender have three quarters of it.
LEAST_HEIGHT = 1.65  # points
LEAST_WIDTH = 0.6  # points; a font of 2.3 points has 1.1 in the mean
USUAL_ASPECT = 0.75  # breadth to height of a letter
BESIDE = 8  # letters before and after one, by which it is judged
LOW = frozenset("acemnorsuvwxz")
NARROW = frozenset("fijlrtI1")
LARGE = 16.0  # points: the height of the capitals of a font of 24
WINDOW = 8  # letters that are looked at together
AROUND = 10  # letters before and after one whose font is doubted
LEAST_LETTERS = 8  # of a font, to judge it by
LEAST_WORD = 2  # compared letters of a word, to judge it by
MOST_COVER = 1.6  # their areas in the area around them all; printed words have at most about 0.8


def tiny_letters(letters: Letters) -> Bool[np.ndarray, " letter"]:
    """The letters that are too low or too narrow to be read.

    That is by the letters around each one in its string and its word: four of five are too low, as some have ascenders
    whatever their font's proportions, or most are too narrow. Most letters of a word decide for all.
    """
    tiny = np.zeros(len(letters.text), bool)
    low = np.array([kind in LOW for kind in letters.text], bool)
    words = np.array([kind.isalnum() for kind in letters.text], bool)
    wide = words & np.array([kind not in NARROW for kind in letters.text], bool)
    breadths, heights = unturned(letters.boxes, letters.angles, USUAL_ASPECT)
    short = words & (heights / np.where(low, 3 / 4, 1.0) < LEAST_HEIGHT)
    thin = wide & (breadths < LEAST_WIDTH)
    for where in _runs(letters):
        tiny[where] = _are_more(short[where], words[where], 4 / 5) | _are_more(thin[where], wide[where], 1 / 2)
    words_of, printed = letters.words, letters.printed
    sizes = np.bincount(words_of[printed], minlength=len(tiny))
    against = np.bincount(words_of[printed], tiny[printed], minlength=len(tiny))
    return np.asarray(printed & (2 * against > sizes)[words_of])


def _runs(letters: Letters) -> list[np.ndarray]:
    """The indices of the printed letters in reading order, cut where neither string nor word goes on."""
    where = np.flatnonzero(letters.printed)
    breaks = (np.diff(letters.strings[where]) != 0) & (np.diff(letters.words[where]) != 0)
    return [part for part in np.split(where, np.flatnonzero(breaks) + 1) if len(part)]


def _are_more(
    votes: Bool[np.ndarray, " letter"], voters: Bool[np.ndarray, " letter"], share: float
) -> Bool[np.ndarray, " letter"]:
    """Whether more than a share of the voters from `BESIDE` letters before each letter to as many after it vote."""
    counts = [np.pad(np.concatenate([[0], np.cumsum(one)]), BESIDE, mode="edge") for one in (votes, voters)]
    cast, all_of = (sums[2 * BESIDE + 1 :] - sums[: -2 * BESIDE - 1] for sums in counts)
    return np.asarray(cast > share * all_of)


def large_letters(letters: Letters) -> Bool[np.ndarray, " letter"]:
    """The letters of a font of 24 points or more, by their height; of turned ones the box is at most so much higher."""
    low = np.array([kind in LOW for kind in letters.text], bool)
    turned = np.abs(np.sin(letters.angles)) + np.abs(np.cos(letters.angles))
    spans = letters.boxes[:, 2:] - letters.boxes[:, :2]
    sideways = np.abs(np.sin(letters.angles)) > np.sqrt(0.5)
    heights = np.where(sideways, spans[:, 0], spans[:, 1]) / turned
    return np.asarray(heights / np.where(low, 3 / 4, 1.0) >= LARGE)


def piled_letters(letters: Letters) -> Bool[np.ndarray, " letter"]:
    """The letters that lie one upon the other within a string, many in the place of one."""
    piled = np.zeros(len(letters.text), bool)
    for where in strings_of(letters):
        for start in range(0, len(where), WINDOW // 2):
            part = where[start : start + WINDOW]
            if len(part) > WINDOW // 2 and _cover(letters.boxes[part]) > MOST_COVER:
                piled[part] = True
    return piled


def doubtful_letters(
    letters: Letters,
    strings: Sequence[String],
    unlike: Int[np.ndarray, " letter"],
    ligatures: Bool[np.ndarray, " letter"],
) -> Bool[np.ndarray, " letter"]:
    """The letters of words that are not drawn as they are read, by the glyphs that were compared.

    That is a word of `LEAST_WORD` of them or more, without those in ligatures, if most are unlike; and a word with a
    letter around which most of some twenty in its font are. Fonts with few letters on the page count as one. In a word
    the vote of a letter with an accent counts half: its accent changes the proportions by which it is compared.
    """
    words, where = letters.words, np.flatnonzero(unlike >= 0)
    votes = unlike[where] == 1
    doubtful = np.zeros(len(words) + 1, bool)  # by word
    alone = ~ligatures[where]
    accented = np.array([len(normalize("NFD", letters.text[index])) > 1 for index in where.tolist()], bool)
    weights = votes * np.where(accented, 0.5, 1.0)
    number, against = (np.bincount(words[where], alone * each, len(words)) for each in (np.ones(len(where)), weights))
    doubtful[:-1] = (number >= LEAST_WORD) & (2 * against > number)
    fonts = np.array([strings[owner].font for owner in letters.strings[where]], np.int64)
    _, font, letters_of = np.unique(fonts, return_inverse=True, return_counts=True)
    font[letters_of[font] < LEAST_LETTERS] = -1
    for one in np.unique(font):
        mine = np.flatnonzero(font == one)
        doubtful[words[where[mine[_mostly(votes[mine])]]]] = True
    return np.asarray(doubtful[words])


def _mostly(votes: Bool[np.ndarray, " letter"]) -> Bool[np.ndarray, " letter"]:
    """Whether most of the letters around each one have a vote against them; False where there are too few to tell."""
    sums = np.concatenate([[0], np.cumsum(votes)])
    ends = np.minimum(np.arange(len(votes)) + AROUND + 1, len(votes))
    starts = np.maximum(np.arange(len(votes)) - AROUND, 0)
    counts = ends - starts
    return np.asarray((2 * (sums[ends] - sums[starts]) > counts) & (counts >= LEAST_LETTERS))


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
