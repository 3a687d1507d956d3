"""The quotes of a judge's evidence, and which of them the paper has."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from mechaware.instruments.claims.judges.denials import SENTENCE_END
from mechaware.instruments.claims.judges.locating import TOKEN, locate
from mechaware.instruments.claims.reading.sentences import sentence_spans

# What is between quotation marks, perhaps with a quote inside: "the "name mover" heads" is one
# quote.
QUOTED = re.compile(r'["“]((?:[^"“”]|(?<=[\s(\[])["“](?=\S)[^"“”]+(?<=\S)["”])+)["”]')
INNER_MARK = re.compile(r'["“”]')
# Other marks count as these, one character each, so that places stay: «x», „x“, ``x'', and 'x'
# around whole words.
OTHER_MARKS = str.maketrans(dict.fromkeys("«»‟″", '"'))
LOW_MARK = re.compile("„([^„“”]*)[“”]")
DOUBLED_MARK = re.compile("``|''|\u2018\u2018|\u2019\u2019|,,")
# Single marks, straight, curled and angled.
OPENED = "'`\u2018\u201a\u2039"
CLOSED = "'\u00b4\u2018\u2019\u203a"
SINGLE_MARKS = re.compile(rf"(?<!\w)[{OPENED}](?=\S)(.+?)(?<=\S)[{CLOSED}](?!\w)", re.DOTALL)
MARKED = re.compile(f"{QUOTED.pattern}|{SINGLE_MARKS.pattern}", re.DOTALL)
BULLET = re.compile(r"^(?:[>*#•\s]|-\s)+")
STATEMENT_END = re.compile(rf"{SENTENCE_END.pattern}|\n")  # of a sentence or a list item
MIN_WORDS = 3  # of a quote without marks
NOT_FOUND = "[not in the paper]"
MIN_QUOTE = 12  # characters; shorter quotes, a head's name or a number, occur everywhere
MAX_EVIDENCE = 10_000  # characters that are searched for quotes
MAX_QUOTES = 20

# Where a quote is: [start, end) in characters of the paper's text; None if the text lacks the
# quote.
Place = tuple[int, int] | None


class _Quote(NamedTuple):
    """A quote, and where it ends in its evidence, with its closing mark."""

    end: int
    text: str


def quoted(text: str) -> str:
    """The text between quotation marks. Marks inside it become single ones,
    so that the whole is one quote.
    """
    inner = INNER_MARK.sub("'", text)
    return f'"{inner}"'


def locate_quotes(evidence: str, text: str) -> list[Place]:
    """The place [start, end) in `text` of each quote in `evidence`, in order; None for a quote that
    `text` lacks.

    The quotes of evidence are

    - what is between quotation marks, if there are any;
    - else the whole evidence, if `text` has it;
    - else all sentences of the evidence, if `text` has one of them. Otherwise the evidence has no
      quotes.

    Only the first `MAX_EVIDENCE` characters are searched. Quotes after the first `MAX_QUOTES` count
    as not found.
    """
    marked = _marked(evidence)
    if not marked:
        whole = BULLET.sub("", evidence[:MAX_EVIDENCE])
        place = locate(whole, text) if _says_something(whole) else None
        if place is not None:
            return [place]

    places: list[Place] = []
    for number, quote in enumerate(_quotes(evidence)):
        places.append(locate(quote.text, text) if number < MAX_QUOTES else None)
    return places if marked or any(places) else []


def quotes_not_found(evidence: str, places: Sequence[Place]) -> list[str]:
    """The texts of the quotes that have no place;
    `places` is what `locate_quotes` gives for the evidence.
    """
    return [quote.text for quote in _not_found(evidence, places)]


def name_not_found(evidence: str, places: Sequence[Place]) -> str:
    """The evidence with `NOT_FOUND` after each quote that has no place;
    `places` is what `locate_quotes` gives.
    """
    ends = [quote.end for quote in _not_found(evidence, places)]
    cuts = [0, *ends, len(evidence)]
    return f" {NOT_FOUND}".join(evidence[start:end] for start, end in pairwise(cuts))


def _not_found(evidence: str, places: Sequence[Place]) -> list[_Quote]:
    """The quotes of evidence that have no place; `places` is what `locate_quotes`
    gives for the evidence.
    """
    # Evidence without marks may have fewer places than sentences: none if it quotes nothing, one if
    # it is one quote.
    pairs = zip(_quotes(evidence), places, strict=False)
    return [quote for quote, place in pairs if place is None]


def _quotes(evidence: str) -> list[_Quote]:
    """The quotes of evidence: what is between marks, or else the sentences."""
    return _marked(evidence) or _sentences(evidence)


def _marked(evidence: str) -> list[_Quote]:
    """What is between marks of any kind and has at least `MIN_QUOTE` characters."""
    # Each replacement keeps the length, so that places stay.
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
    return [quote for quote in quotes if _says_something(quote.text)]


def _says_something(sentence: str) -> bool:
    """Whether a text without marks is long enough to be a quote, in characters and in words."""
    return len(sentence) >= MIN_QUOTE and len(TOKEN.findall(sentence)) >= MIN_WORDS
