"""How a judge's evidence is shown: notes, quotes, and the paper's text with quotes marked.

All of it may be hostile: all text is escaped.
"""

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup, escape

from mechaware.instruments.claims.judges.quotes import MIN_QUOTE, QUOTED
from mechaware.instruments.claims.reading.places import place_of
from mechaware.instruments.claims.reading.sentences import Span
from mechaware.instruments.claims.rubric.records import Downgrade, PaperText

MAX_HEADING = 80  # characters of a heading shown with a quote
_VOTE_NOTE = re.compile(r"\[(MIN|MEDIAN)-VOTE: (\w+)→(\w+) across (\d+(?: of \d+)?) runs\]\s*")


class Piece(NamedTuple):
    """A piece of evidence: text between quotes (`found` None), or a quote, found in the paper's text or not."""

    text: str
    found: bool | None = None
    place: Span | None = None  # of a quote that was found: [start, end) in characters of the text


class Use(NamedTuple):
    """What a quote is evidence for: a claim, the criterion's code, and its address in the page of scores.

    `where` is the quote's page and heading, in words.
    """

    claim: str
    code: str
    address: str
    where: str


def split_notes(evidence: str, downgrades: Sequence[Downgrade]) -> tuple[list[str], str]:
    """The notes of audit and vote before the evidence, in words, and the evidence without them."""
    notes = []
    left = evidence
    for downgrade in reversed(downgrades):  # the note of the last one is the first
        change = f": {downgrade.before}→{downgrade.after}, {downgrade.reason}]"
        label, mark, rest = left.partition(change)
        if mark and label.startswith("["):
            who = label[1:].replace("-", " ").capitalize()  # of "[LEAK-AUDIT": "Leak audit"
            lowered = f"lowered from {downgrade.before} to {downgrade.after}"
            notes.append(f"{who}: {lowered}. {downgrade.reason}")
            left = rest.lstrip()

    vote = _VOTE_NOTE.match(left)
    if vote:
        rule, other, status, runs = vote.groups()
        if rule == "MIN":
            notes.append(f"Minimum vote: from {other} down to {status} across {runs} runs.")
        else:
            notes.append(
                f"Median vote: {status}, with votes as far as {other}, across {runs} runs."
            )
        left = left[vote.end() :]
    return notes, left


def split_quotes(evidence: str, places: Sequence[Span | None]) -> tuple[list[Piece], str]:
    """The evidence split at its quotes, and an empty text.

    If it is unclear which they are: the evidence in one piece, with empty quotes for the places, and how many were
    found, in words.
    """
    quotes = []
    for quote in QUOTED.finditer(evidence):
        if len(quote[1].strip(" .…")) >= MIN_QUOTE:
            quotes.append(quote)
    if len(quotes) != len(places):
        links = [Piece("", True, place) for place in places if place is not None]
        found = f"{len(links)} of {len(places)} quotes found in the text"
        return [Piece(evidence), *links], found

    pieces = []
    end = 0
    for quote, place in zip(quotes, places, strict=True):
        pieces.append(Piece(evidence[end : quote.start()]))
        pieces.append(Piece(quote[0], place is not None, place))
        end = quote.end()
    pieces.append(Piece(evidence[end:]))
    return [piece for piece in pieces if piece.text], ""


def describe_place(place: Span, text: str, about: PaperText) -> str:
    """The page and the section heading of a quote, as "page 4, “3.1 Patching”"; empty if neither is known."""
    page, heading = place_of(place[0], text, about)
    named = []
    if page:
        named.append(f"page {page}")
    if heading:
        named.append(f"“{shortened(heading, MAX_HEADING)}”")
    return ", ".join(named)


def shortened(text: str, most: int) -> str:
    """The text on one line, with an ellipsis after at most `most` characters."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    return f"{line[:most].rstrip()} …"


def anchor(place: Span) -> str:
    """The name of a quote's place in the text's page."""
    return f"c{place[0]}-{place[1]}"


def marked_text(text: str, uses: Mapping[Span, Sequence[Use]]) -> Markup:
    """The text with every quoted character in a `mark`, an anchor where each quote begins, and after it its uses.

    Quotes may overlap: the text is cut wherever one begins or ends.
    """
    quotes = sorted(uses)
    cuts = {0, len(text)}
    for first, last in quotes:
        cuts.add(min(first, len(text)))
        cuts.add(min(last, len(text)))

    parts: list[Markup] = []
    for start, end in itertools.pairwise(sorted(cuts)):
        for quote in quotes:
            if quote[0] == start:
                parts.append(Markup('<a class="at" id="{}"></a>').format(anchor(quote)))

        piece = escape(text[start:end])
        is_quoted = any(first <= start < last for first, last in quotes)
        parts.append(Markup("<mark>{}</mark>").format(piece) if is_quoted else piece)

        ended: list[Use] = []
        for quote in quotes:
            if quote[1] == end:
                ended += uses[quote]
        if ended:
            parts.append(Markup(' <small class="uses">{}</small>').format(_links(ended)))
    return Markup("").join(parts)


def _links(uses: Sequence[Use]) -> Markup:
    """The uses as links back, by claim, and the place of the quote: "claim 1: I2, I3; claim 2: E1 (page 4)"."""
    of_claims = []
    for claim, group in itertools.groupby(uses, key=lambda use: use.claim):
        codes = [Markup('<a href="{}">{}</a>').format(use.address, use.code) for use in group]
        of_claims.append(Markup("{}: {}").format(claim, Markup(", ").join(codes)))
    links = Markup("; ").join(of_claims)
    where = uses[0].where
    if not where:
        return links
    return Markup("{} ({})").format(links, where)
