"""Locates the quotes of a judge's evidence in the paper's text, and refuses those that say something else."""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import accumulate, pairwise

from rapidfuzz import fuzz

from mechaware.claims.judges.language_model.quotes.denials import denies, is_denied
from mechaware.claims.judges.language_model.quotes.spellings import are_respelt, is_exact

# What is between quotation marks, perhaps with a quote inside: "the "name mover" heads" is one quote.
QUOTED = re.compile(r'["“]((?:[^"“”]|(?<=[\s(\[])["“](?=\S)[^"“”]+(?<=\S)["”])+)["”]')
INNER_MARK = re.compile(r'["“”]')
NOT_FOUND = "[not in the paper]"
LEAST_LENGTH = 12  # characters; shorter quotes, a head's name or a number, occur everywhere
# A quote is a sentence or two. What is longer is no evidence that a reader could check, and takes long to look for.
MOST_EVIDENCE, MOST_QUOTE, MOST_QUOTES = 10_000, 800, 20
ELISION = re.compile(r"\s*(?:[\[(]\s*(?:\.{3}|…)\s*[\])]|\.{3}|…)\s*")
MOST_ELIDED = 600  # characters of the text that an elision may stand for
MOST_STARTS = 50  # places at which a quote with an elision may begin
LEAST_LIKENESS = 90  # of 100, by rapidfuzz's partial ratio: where to look for a quote in another spelling
TOKEN = re.compile(r"-?\d+(?:[.,]\d+)*|[%<>=±]|[^\W\d_]+(?:'[^\W\d_]+)?")
ARTICLES = frozenset(("a", "an", "the"))
# One character each, so that places stay: apostrophes, minus and dashes, the soft hyphen.
SPELLINGS = str.maketrans("\u2019\u2018\u2212\u2013\u2014\u00ad", "''--- ")


def quoted(text: str) -> str:
    """The text between quotation marks. Those inside become single ones, so that it is one quote."""
    inner = INNER_MARK.sub("'", text)
    return f'"{inner}"'


def locate_quotes(evidence: str, text: str) -> list[tuple[int, int] | None]:
    """The place [start, end) in `text` of each quote in `evidence`, in order; None for one that is not there.

    Of long evidence the first `MOST_EVIDENCE` characters and `MOST_QUOTES` quotes count.
    """
    return [locate(quote, text) for _, quote in _quotes(evidence)]


def quotes_not_found(evidence: str, places: Sequence[tuple[int, int] | None]) -> list[str]:
    """The quotes without a place among those of `locate_quotes`."""
    return [quote for (_, quote), place in zip(_quotes(evidence), places, strict=True) if place is None]


def name_not_found(evidence: str, places: Sequence[tuple[int, int] | None]) -> str:
    """The evidence with `NOT_FOUND` after each quote without a place among those of `locate_quotes`."""
    ends = [end for (end, _), place in zip(_quotes(evidence), places, strict=True) if place is None]
    cuts = [0, *ends, len(evidence)]
    return f" {NOT_FOUND}".join(evidence[start:end] for start, end in pairwise(cuts))


def _quotes(evidence: str) -> list[tuple[int, str]]:
    """Each quote that counts, with the place after its closing mark."""
    found = ((match.end(), match[1].strip(" .…")) for match in QUOTED.finditer(evidence[:MOST_EVIDENCE]))
    return [(end, quote) for end, quote in found if len(quote) >= LEAST_LENGTH][:MOST_QUOTES]


def locate(quote: str, text: str) -> tuple[int, int] | None:
    """The place [start, end) in `text` of `quote`; None if it is not there, or longer than `MOST_QUOTE` characters.

    The quote's words must stand there in its order, all of them and no others but articles, and must not be denied by
    the rest of their sentence. White space, hyphenation, capitals and punctuation do not count, nor the spelling of a
    word without digits. "..." stands for words without a denial. The time is linear in the text.
    """
    if len(quote) > MOST_QUOTE:
        return None
    words = _words(text)
    pieces = [_Words(piece) for piece in ELISION.split(quote)]
    if not all(piece.tokens for piece in pieces):
        return None
    found = _locate_pieces(pieces, words)
    if found is None and len(pieces) == 1:
        found = _locate_respelt(pieces[0], words)
    if found is None:
        return None
    first, last = found
    opened = pieces[0].with_article[0] < pieces[0].spans[0][0]  # with an article
    return words.with_article[first] if opened else words.spans[first][0], words.spans[last - 1][1]


class _Words:
    """The words of a text without articles, with their places, and all of them in one string.

    A number or a negation has a bar on both sides there, other words stand without spaces: "cir-" and "cuit" are
    "circuit", but "not able" is not "notable".
    """

    def __init__(self, text: str) -> None:
        self._text = text.translate(SPELLINGS)
        found = [(match.span(), _spelling(match[0])) for match in TOKEN.finditer(self._text)]
        kept = [index for index, (_, word) in enumerate(found) if word not in ARTICLES]
        self.spans, self.tokens = [found[index][0] for index in kept], [found[index][1] for index in kept]
        # Where a word begins if the article before it is its own.
        self.with_article = [
            found[index - 1][0][0] if index and found[index - 1][1] in ARTICLES else found[index][0][0]
            for index in kept
        ]
        marked = [f"|{word}|" if is_exact(word) else word for word in self.tokens]
        self.joined = "".join(marked)
        self._ends = list(accumulate(map(len, marked)))
        self._starts = [end - len(word) for end, word in zip(self._ends, marked, strict=True)]

    def at(self, start: int, end: int) -> tuple[int, int] | None:
        """The range of words that is [start, end) of `joined`; None if it begins or ends within a word."""
        first, last = bisect_left(self._starts, start), bisect_left(self._ends, end)
        whole = first < len(self._starts) and self._starts[first] == start and self._ends[last] == end
        return (first, last + 1) if whole else None

    def denied(self, first: int, last: int) -> bool:
        """Whether the rest of their sentence denies the words [first, last)."""
        return is_denied(self._text, self.spans[first][0], self.spans[last - 1][1])

    def may_elide(self, start: int, end: int) -> bool:
        """Whether the words [start, end) are few, and none of them denies anything."""
        if start == end:
            return True
        first, last = self.spans[start][0], self.spans[end - 1][1]
        return last - first <= MOST_ELIDED and not denies(" ".join(self._text[first:last].lower().split()))

    def nearest(self, joined: str, start: int, end: int) -> tuple[int, int]:
        """The range of words near [start, end) of the string that is most like `joined`, with cut words or without."""
        first, last = bisect_left(self._ends, start + 1), bisect_left(self._starts, end)
        ranges = [(i, j) for i in (first, first + 1) for j in (last - 1, last) if i < j]
        return max(
            ranges, key=lambda ends: fuzz.ratio(joined, self.joined[self._starts[ends[0]] : self._ends[ends[1] - 1]])
        )

    def occurrences(self, piece: str, after: int, most: int) -> list[tuple[int, int]]:
        """The first ranges of words, at most `most`, that are `piece`, from the word `after` on."""
        found: list[tuple[int, int]] = []
        start = self.joined.find(piece, self._starts[after]) if after < len(self._starts) else -1
        while start >= 0 and len(found) < most:
            words = self.at(start, start + len(piece))
            found += [words] if words else []
            start = self.joined.find(piece, start + 1)
        return found


@lru_cache(maxsize=2)
def _words(text: str) -> _Words:
    """The words of a paper, which are read once for all quotes."""
    return _Words(text)


def _locate_pieces(pieces: Sequence[_Words], words: _Words) -> tuple[int, int] | None:
    """The range of words from the first piece of a quote to the last, which stand near each other in this order."""
    first, *others = pieces
    for start, end in words.occurrences(first.joined, 0, MOST_STARTS):
        last = end
        for piece in others:
            following = next(iter(words.occurrences(piece.joined, last, 1)), None)
            if following is None or not words.may_elide(last, following[0]):
                break
            last = following[1]
        else:
            if not words.denied(start, last):
                return start, last
    return None


def _locate_respelt(quote: _Words, words: _Words) -> tuple[int, int] | None:
    """The range of words that differ from the quote's in spelling alone; numbers and negations not at all."""
    if len(quote.joined) > len(words.joined):
        return None  # rapidfuzz would look for the text in the quote
    alignment = fuzz.partial_ratio_alignment(quote.joined, words.joined, score_cutoff=LEAST_LIKENESS)
    if alignment is None:
        return None
    start, end = words.nearest(quote.joined, alignment.dest_start, alignment.dest_end)
    theirs = words.tokens[start:end]
    blocks = SequenceMatcher(None, quote.tokens, theirs, autojunk=False).get_opcodes()
    same = all(tag == "equal" or are_respelt(quote.tokens[i:j], theirs[k:m]) for tag, i, j, k, m in blocks)
    return (start, end) if same and not words.denied(start, end) else None


def _spelling(word: str) -> str:
    """A word in lower case with its ligatures resolved."""
    return unicodedata.normalize("NFKC", word).lower()
