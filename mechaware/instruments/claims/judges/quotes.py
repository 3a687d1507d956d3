"""Finds the quotes in a judge's evidence, and where the paper has them."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from mechaware.instruments.claims.judges.denials import SENTENCE_END
from mechaware.instruments.claims.judges.locating import TOKEN, locate
from mechaware.instruments.claims.reading.sentences import sentence_spans

# Text between double quotation marks. It may have a quote inside: "the "name mover" heads" is one
# quote.
QUOTED = re.compile(r'["“]((?:[^"“”]|(?<=[\s(\[])["“](?=\S)[^"“”]+(?<=\S)["”])+)["”]')
INNER_MARK = re.compile(r'["“”]')
# Other double marks, such as «x», „x“ and ``x'', are replaced by double quotation marks. A
# replacement has the length of what it replaces, so that places in the evidence stay the same.
OTHER_MARKS = str.maketrans(dict.fromkeys("«»‟″", '"'))
LOW_MARK = re.compile("„([^„“”]*)[“”]")
DOUBLED_MARK = re.compile("``|''|\u2018\u2018|\u2019\u2019|,,")
# Single marks, straight, curled and angled. They are quotation marks only around whole words: the
# apostrophe of "subject's" is none.
OPENED = "'`\u2018\u201a\u2039"
CLOSED = "'\u00b4\u2018\u2019\u203a"
SINGLE_MARKS = re.compile(rf"(?<!\w)[{OPENED}](?=\S)(.+?)(?<=\S)[{CLOSED}](?!\w)", re.DOTALL)
# A quote in marks: its first group is text between double marks, its second between single ones.
MARKED = re.compile(f"{QUOTED.pattern}|{SINGLE_MARKS.pattern}", re.DOTALL)
BULLET = re.compile(r"^(?:[>*#•\s]|-\s)+")
# The end of a sentence or of a list item.
STATEMENT_END = re.compile(rf"{SENTENCE_END.pattern}|\n")
MIN_WORDS = 3  # of a quote that is not between marks
NOT_FOUND = "[not in the paper]"
MIN_QUOTE = 12  # characters; shorter quotes, a head's name or a number, occur everywhere
MAX_EVIDENCE = 10_000  # characters that are searched for quotes
MAX_QUOTES = 20

# Where a quote is: [start, end) in characters of the paper's text; None if the text lacks the
# quote.
Place = tuple[int, int] | None


class _Quote(NamedTuple):
    """A quote's text, without marks, and where the quote ends in its evidence, after its closing
    mark.
    """

    end: int
    text: str


def quoted(text: str) -> str:
    """The text with quotation marks around it. Double marks inside it become single ones,
    so that the whole is one quote.
    """
    inner = INNER_MARK.sub("'", text)
    return f'"{inner}"'


def locate_quotes(evidence: str, text: str) -> list[Place]:
    """The place [start, end) in `text` of each quote in `evidence`, in order; None for a quote that
    `text` lacks.

    The quotes of evidence are

    - the texts between quotation marks, if there are any;
    - else the whole evidence, if `text` has it;
    - else all sentences of the evidence, if `text` has any of them. Otherwise the evidence has no
      quotes.

    A text of fewer than `MIN_QUOTE` characters is no quote, nor is one without marks that has fewer
    than `MIN_WORDS` words. Only the first `MAX_EVIDENCE` characters are searched. Quotes after the
    first `MAX_QUOTES` count as not found.
    """
    marked = _marked(evidence)
    if marked:
        return _locate_each(marked, text)

    whole = BULLET.sub("", evidence[:MAX_EVIDENCE])
    place = locate(whole, text) if _is_long_enough(whole) else None
    if place is not None:
        return [place]

    places = _locate_each(_sentences(evidence), text)
    return places if any(place is not None for place in places) else []


def _locate_each(quotes: Sequence[_Quote], text: str) -> list[Place]:
    """The place of each quote; None for a quote that `text` lacks, and after `MAX_QUOTES`."""
    places: list[Place] = [locate(quote.text, text) for quote in quotes[:MAX_QUOTES]]
    n_skipped = len(quotes) - len(places)
    return places + [None] * n_skipped


def quotes_not_found(evidence: str, places: Sequence[Place]) -> list[str]:
    """The texts of the quotes that have no place in `places`.

    `places` is the result of `locate_quotes` for this evidence.
    """
    return [quote.text for quote in _not_found(evidence, places)]


def name_not_found(evidence: str, places: Sequence[Place]) -> str:
    """The evidence with `NOT_FOUND` after each quote that has no place in `places`.

    `places` is the result of `locate_quotes` for this evidence.
    """
    ends = [quote.end for quote in _not_found(evidence, places)]
    cuts = [0, *ends, len(evidence)]
    return f" {NOT_FOUND}".join(evidence[start:end] for start, end in pairwise(cuts))


def _not_found(evidence: str, places: Sequence[Place]) -> list[_Quote]:
    """The quotes of evidence that have no place.

    `places` is the result of `locate_quotes` for this evidence.
    """
    # Evidence without marks may have several sentences and fewer places: no place if it has no
    # quotes, one place if the whole evidence is a quote. Then no quote is without a place.
    quotes = _marked(evidence) or _sentences(evidence)
    pairs = zip(quotes, places, strict=False)
    return [quote for quote, place in pairs if place is None]


def _marked(evidence: str) -> list[_Quote]:
    """The texts between marks of any kind that have at least `MIN_QUOTE` characters."""
    # Each replacement has the length of what it replaces.
    text = LOW_MARK.sub(r'"\1"', evidence[:MAX_EVIDENCE])
    text = text.translate(OTHER_MARKS)
    text = DOUBLED_MARK.sub(' "', text)
    quotes = []
    for match in MARKED.finditer(text):
        inner = match[1] or match[2]
        quotes.append(_Quote(match.end(), inner.strip(" .…")))
    return [quote for quote in quotes if len(quote.text) >= MIN_QUOTE]


def _sentences(evidence: str) -> list[_Quote]:
    """The sentences and list items of evidence that are long enough to be quotes."""
    quotes = []
    for start, end in sentence_spans(evidence[:MAX_EVIDENCE], STATEMENT_END):
        quotes.append(_Quote(end, BULLET.sub("", evidence[start:end])))
    return [quote for quote in quotes if _is_long_enough(quote.text)]


def _is_long_enough(sentence: str) -> bool:
    """Whether a text without marks is long enough to be a quote, in characters and in words."""
    return len(sentence) >= MIN_QUOTE and len(TOKEN.findall(sentence)) >= MIN_WORDS
