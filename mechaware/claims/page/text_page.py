"""The text of a paper as a page of its own, in which each quote can be linked to."""

import itertools
from collections.abc import Iterable

from markupsafe import Markup, escape

Place = tuple[int, int]


def anchor(place: Place) -> str:
    """The name of a quote's place in the text's page."""
    return f"c{place[0]}-{place[1]}"


def marked_text(text: str, places: Iterable[Place]) -> Markup:
    """The text with every quoted character in a `mark`, and an anchor where each quote begins. All text is escaped."""
    quotes = sorted(set(places))
    cuts = sorted({0, len(text), *(min(end, len(text)) for quote in quotes for end in quote)})
    parts = []
    for start, end in itertools.pairwise(cuts):
        begun = [quote for quote in quotes if quote[0] == start]
        parts += [Markup('<a class="at" id="{}"></a>').format(anchor(quote)) for quote in begun]
        piece = escape(text[start:end])
        quoted = any(first <= start < last for first, last in quotes)
        parts.append(Markup("<mark>{}</mark>").format(piece) if quoted else piece)
    return Markup("").join(parts)
