"""How a judge's evidence is shown: notes, quotes, and the paper's text with quotes marked.

Evidence and text may be hostile. Functions that return `Markup` escape them; the other functions
leave that to the templates.
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

# The most characters of a heading that are shown with a quote.
MAX_HEADING = 80
_VOTE_NOTE = re.compile(r"\[(MIN|MEDIAN)-VOTE: (\w+)→(\w+) across (\d+(?: of \d+)?) runs\]\s*")


class Piece(NamedTuple):
    """A piece of a judge's evidence: a quote, or the text between quotes.

    - `found`: whether the quote was found in the paper's text; None for text between quotes.
    - `span`: where the quote was found, [start, end) in characters of the paper's text; None for a
      quote that was not found and for text between quotes.
    """

    text: str
    found: bool | None = None
    span: Span | None = None


class Use(NamedTuple):
    """What a quote is evidence for.

    - `claim`: the claim's name.
    - `code`: the criterion's code.
    - `address`: the link to the criterion of this claim in the page of scores.
    - `where`: the page and the heading of the quote, in words; empty if neither is known.
    """

    claim: str
    code: str
    address: str
    where: str


def split_notes(evidence: str, downgrades: Sequence[Downgrade]) -> tuple[list[str], str]:
    """The notes of audit and vote before the evidence, in words, and the evidence itself.

    `downgrades` are those of this criterion, in the order in which they were made. The vote, and
    then each pass, puts its note before the evidence: the note of the last downgrade comes first.

        [LEAK-AUDIT: PARTIAL→NO, of the circuit] [MIN-VOTE: YES→PARTIAL across 3 runs] Ablated.
    """
    notes = []
    remaining = evidence
    for downgrade in reversed(downgrades):
        change = f": {downgrade.before}→{downgrade.after}, {downgrade.reason}]"
        label, separator, rest = remaining.partition(change)
        if separator and label.startswith("["):
            # "[LEAK-AUDIT" becomes "Leak audit".
            pass_name = label[1:].replace("-", " ").capitalize()
            lowered = f"lowered from {downgrade.before} to {downgrade.after}"
            notes.append(f"{pass_name}: {lowered}. {downgrade.reason}")
            remaining = rest.lstrip()

    vote = _VOTE_NOTE.match(remaining)
    if vote:
        rule, other, status, runs = vote.groups()
        if rule == "MIN":
            notes.append(f"Minimum vote: from {other} down to {status} across {runs} runs.")
        else:
            notes.append(
                f"Median vote: {status}, with votes as far as {other}, across {runs} runs."
            )
        remaining = remaining[vote.end() :]
    return notes, remaining


def split_quotes(evidence: str, spans: Sequence[Span | None]) -> tuple[list[Piece], str]:
    """The evidence as pieces, quotes and the text between them, and a note on the quotes.

    `It says "head 7.4 copies" and more` with the span (10, 25) becomes

        Piece("It says "), Piece('"head 7.4 copies"', found=True, span=(10, 25)), Piece(" and more")

    and the note is empty. A quote of fewer than `MIN_QUOTE` characters, not counting dots at
    its ends, is text.

    If the evidence has more or fewer quotes than there are spans, it is unclear which quote has
    which span. Then the whole evidence is one piece, followed by an empty quote for each span that
    was found, and the note has the number of quotes that were found.

    Args:
        evidence: A judge's evidence, without the notes of votes and audits.
        spans: Where each quote was found, in order; None for a quote that was not found.
    """
    quotes = []
    for quote in QUOTED.finditer(evidence):
        if len(quote[1].strip(" .…")) >= MIN_QUOTE:
            quotes.append(quote)
    if len(quotes) != len(spans):
        links = [Piece("", found=True, span=span) for span in spans if span is not None]
        note = f"{len(links)} of {len(spans)} quotes found in the text"
        return [Piece(evidence), *links], note

    pieces = []
    end = 0
    for quote, span in zip(quotes, spans, strict=True):
        pieces.append(Piece(evidence[end : quote.start()]))
        pieces.append(Piece(quote[0], found=span is not None, span=span))
        end = quote.end()
    pieces.append(Piece(evidence[end:]))
    return [piece for piece in pieces if piece.text], ""


def describe_place(span: Span, text: str, about: PaperText) -> str:
    """The page and the section heading of a quote: "page 4, “3.1 Patching”".

    What is not known is left out; the description is empty if neither is known.
    """
    page, heading = place_of(span[0], text, about)
    parts = []
    if page:
        parts.append(f"page {page}")
    if heading:
        parts.append(f"“{shortened(heading, MAX_HEADING)}”")
    return ", ".join(parts)


def shortened(text: str, most: int) -> str:
    """The text on one line, with an ellipsis after at most `most` characters."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    return f"{line[:most].rstrip()} …"


def anchor(span: Span) -> str:
    """The name of the anchor at a quote in the page of the text: "c120-155"."""
    return f"c{span[0]}-{span[1]}"


def marked_text(text: str, uses: Mapping[Span, Sequence[Use]]) -> Markup:
    """The text with quotes marked: an anchor where each quote begins, and its uses where it ends.

    Quotes may overlap, so the text is cut wherever a quote begins or ends, and quoted pieces become
    `mark` elements, here in brackets. `abcdef` with the quotes (1, 4) and (2, 5) becomes

        a <anchor 1> [b] <anchor 2> [cd] <uses 1> [e] <uses 2> f

    `uses` has the uses of each quote by its span, [start, end) in characters of the text. Every
    span lies within the text, since the quote was located there.
    """
    quotes = sorted(uses)
    cuts = {0, len(text)}
    for first, last in quotes:
        cuts.add(first)
        cuts.add(last)

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
    """The uses of quotes that end at one place: "claim 1: I2, I3; claim 2: E1 (page 4)".

    Each code links to its criterion. The place at the end is the place of the first use.
    """
    links_by_claim = []
    for claim, group in itertools.groupby(uses, key=lambda use: use.claim):
        codes = [Markup('<a href="{}">{}</a>').format(use.address, use.code) for use in group]
        links_by_claim.append(Markup("{}: {}").format(claim, Markup(", ").join(codes)))
    links = Markup("; ").join(links_by_claim)
    where = uses[0].where
    if not where:
        return links
    return Markup("{} ({})").format(links, where)
