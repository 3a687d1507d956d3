"""The text of a paper as a page of its own, in which each quote can be linked to."""

import itertools
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup, escape

Place = tuple[int, int]
WIDEST_COLUMN = 150  # characters; text with longer lines has a line for each paragraph
SENTENCE_ENDS = (".", "!", "?", ":")
FULL = 0.8  # of a column's width: letters differ in width


class Use(NamedTuple):
    """What a quote is evidence for: a claim, the criterion's code, and its address in the page of scores."""

    claim: str
    code: str
    address: str


def anchor(place: Place) -> str:
    """The name of a quote's place in the text's page."""
    return f"c{place[0]}-{place[1]}"


def unwrapped(text: str) -> str:
    """The text with a space for each line break at a full line, in which the next word had no room. No place moves.

    A column is as wide as nine lines in ten are at most. A short line behind the end of a sentence may be a heading.
    """
    lines = text.split("\n")
    lengths = sorted(len(line) for line in lines if line.strip())
    width = lengths[len(lengths) * 9 // 10] if lengths else 0
    if width > WIDEST_COLUMN:
        return text
    joined = [lines[0]]
    for line, following in itertools.pairwise(lines):
        word = following.partition(" ")[0]
        full = bool(line.strip() and word) and len(line) + 1 + len(word) >= FULL * width
        heading = line.endswith(SENTENCE_ENDS) and len(following) < width / 2
        joined += [" " if full and not heading else "\n", following]
    return "".join(joined)


def marked_text(text: str, uses: Mapping[Place, Sequence[Use]]) -> Markup:
    """The text with every quoted character in a `mark`, an anchor where each quote begins, and behind it its uses.

    All text is escaped.
    """
    quotes = sorted(uses)
    cuts = sorted({0, len(text), *(min(end, len(text)) for quote in quotes for end in quote)})
    parts = []
    for start, end in itertools.pairwise(cuts):
        begun = [quote for quote in quotes if quote[0] == start]
        parts += [Markup('<a class="at" id="{}"></a>').format(anchor(quote)) for quote in begun]
        piece = escape(text[start:end])
        quoted = any(first <= start < last for first, last in quotes)
        parts.append(Markup("<mark>{}</mark>").format(piece) if quoted else piece)
        ended = [use for quote in quotes if quote[1] == end for use in uses[quote]]
        parts += [Markup(' <small class="uses">{}</small>').format(_links(ended))] if ended else []
    return Markup("").join(parts)


def _links(uses: Sequence[Use]) -> Markup:
    """The uses as links back, by claim."""
    link = Markup('<a href="{}">{}</a>')
    return Markup("; ").join(
        Markup("{}: {}").format(claim, Markup(", ").join(link.format(use.address, use.code) for use in group))
        for claim, group in itertools.groupby(uses, key=lambda use: use.claim)
    )
