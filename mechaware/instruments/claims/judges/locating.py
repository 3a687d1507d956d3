"""Where the words of a quote are in a paper, whatever was done to their spaces,
hyphens, capitals and ligatures.
"""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from mechaware.instruments.claims.judges.denials import NEGATION, denies, is_denied

# characters; a longer quote is no evidence that a reader could check, and takes long to find
MAX_QUOTE = 800
ELISION = re.compile(r"\s*(?:[\[(]\s*(?:\.{3}|…)\s*[\])]|\.{3}|…)\s*")
MAX_ELIDED = 600  # characters of the text that an elision may leave out
MAX_STARTS = 50  # places at which a quote with an elision may begin
TOKEN = re.compile(r"-?\d+(?:[.,]\d+)*|[%<>=±]|[^\W\d_]+(?:'[^\W\d_]+)?")
ARTICLES = frozenset(("a", "an", "the"))
LIGATURES = re.compile("ffi|ffl|ff|fi|fl")  # which the text of a PDF may have lost
# One character for one character, so that no word moves: apostrophes, minus and dashes, the soft
# hyphen.
SPELLINGS = str.maketrans("\u2019\u2018\u2212\u2013\u2014\u00ad", "''--- ")


class _Range(NamedTuple):
    """The words [first, last) of a text, counted without articles."""

    first: int
    last: int


def locate(quote: str, text: str) -> tuple[int, int] | None:
    """The place [start, end) in `text` of `quote`; None if it is not there, or longer than
    `MAX_QUOTE` characters.

    The text must have all words of the quote in their order, with no others but articles between
    them, and the rest of their sentence must not deny them. White space, hyphenation, capitals and
    punctuation do not count, nor do ligatures that the text lost ("signi cant"). "..." in the quote
    may leave out words without a denial. The time is linear in the text.
    """
    if len(quote) > MAX_QUOTE:
        return None
    for ligatures in (True, False):
        words = _words(text, ligatures)
        pieces = [_Words(piece, ligatures) for piece in ELISION.split(quote)]
        if not all(piece.joined for piece in pieces):
            continue
        quoted_words = _locate_pieces(pieces, words)
        if quoted_words is None:
            continue

        start, _ = words.spans[quoted_words.first]
        begins_with_article = pieces[0].with_article[0] < pieces[0].spans[0][0]
        if begins_with_article:
            start = words.with_article[quoted_words.first]
        _, end = words.spans[quoted_words.last - 1]
        return start, end
    return None


class _Words:
    r"""The words of a text without articles, with their places, and all of them in one string,
    `joined`.

    In `joined` a number or a negation has a bar on both sides, and other words follow each other
    without spaces: "cir-" and "cuit" are "circuit", but "not able" is not "notable". With
    `ligatures` false, `joined` has no "fi", "ffl" and the like, except in numbers and negations.

        text          "The cir-\ncuit does not add 12"
        joined        "circuitdoes|not|add|12|"
        spans         [(4, 7), (9, 13), (14, 18), (19, 22), (23, 26), (27, 29)]
        with_article  [0, 9, 14, 19, 23, 27]
    """

    def __init__(self, text: str, ligatures: bool) -> None:
        self._text = text.translate(SPELLINGS)
        self.spans: list[tuple[int, int]] = []
        # Where each word begins, together with the article right before it if there is one.
        self.with_article: list[int] = []
        # Where each word begins and ends in `joined`.
        self._starts: list[int] = []
        self._ends: list[int] = []

        parts: list[str] = []
        length = 0
        article: int | None = None
        for match in TOKEN.finditer(self._text):
            word = unicodedata.normalize("NFKC", match[0]).lower()
            if word in ARTICLES:
                article = match.start()
                continue
            self.spans.append(match.span())
            self.with_article.append(match.start() if article is None else article)
            article = None

            part = _as_joined(word, ligatures)
            parts.append(part)
            self._starts.append(length)
            length += len(part)
            self._ends.append(length)
        self.joined = "".join(parts)

    def at(self, start: int, end: int) -> _Range | None:
        """The words that are [start, end) of `joined`;
        None if this piece begins or ends within a word.
        """
        first = bisect_left(self._starts, start)
        last = bisect_left(self._ends, end)
        if first == len(self._starts) or self._starts[first] != start or self._ends[last] != end:
            return None
        return _Range(first, last + 1)

    def are_denied(self, words: _Range) -> bool:
        """Whether some words are denied by the rest of their sentence."""
        start, _ = self.spans[words.first]
        _, end = self.spans[words.last - 1]
        return is_denied(self._text, start, end)

    def may_elide(self, words: _Range) -> bool:
        """Whether an elision may leave out these words:
        there are none, or at most `MAX_ELIDED` characters without a denial.
        """
        if words.first == words.last:
            return True
        start, _ = self.spans[words.first]
        _, end = self.spans[words.last - 1]
        if end - start > MAX_ELIDED:
            return False
        return not denies(" ".join(self._text[start:end].lower().split()))

    def occurrences(self, piece: str, after: int, most: int) -> list[_Range]:
        """The first places, at most `most`, where the words are `piece`,
        from the word `after` on.
        """
        places: list[_Range] = []
        if after >= len(self._starts):
            return places
        start = self.joined.find(piece, self._starts[after])
        while start >= 0 and len(places) < most:
            words = self.at(start, start + len(piece))
            if words is not None:
                places.append(words)
            start = self.joined.find(piece, start + 1)
        return places


@lru_cache(maxsize=2)
def _words(text: str, ligatures: bool) -> _Words:
    """The words of a paper, which are read once for all quotes."""
    return _Words(text, ligatures)


def _as_joined(word: str, ligatures: bool) -> str:
    """A word in small letters as `_Words.joined` has it."""
    if _is_exact(word):
        return f"|{word}|"
    return word if ligatures else LIGATURES.sub("", word)


def _is_exact(word: str) -> bool:
    """Whether a word is kept apart in `joined`: a number, a sign, a negation."""
    return not word[0].isalpha() or NEGATION.fullmatch(word) is not None


def _locate_pieces(pieces: Sequence[_Words], words: _Words) -> _Range | None:
    """The words from the first piece of a quote to its last. The pieces follow each other in this
    order, with only words between them that an elision may leave out.

    None if there is no such place, or if the rest of the sentence denies the words.
    """
    for first_piece in words.occurrences(pieces[0].joined, 0, MAX_STARTS):
        last = _end_of_others(pieces[1:], words, first_piece.last)
        if last is not None and not words.are_denied(_Range(first_piece.first, last)):
            return _Range(first_piece.first, last)
    return None


def _end_of_others(pieces: Sequence[_Words], words: _Words, after: int) -> int | None:
    """The word after the last piece, if each piece is found at its first place after the
    piece before; else None.
    """
    last = after
    for piece in pieces:
        following = words.occurrences(piece.joined, last, 1)
        if not following or not words.may_elide(_Range(last, following[0].first)):
            return None
        last = following[0].last
    return last
