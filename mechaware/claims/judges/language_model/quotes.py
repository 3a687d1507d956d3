"""Locates the quotes of a judge's evidence in the paper's text."""

import re

from rapidfuzz import fuzz

QUOTED = re.compile(r'["“]([^"“”]+)["”]')
LEAST_LENGTH = 12  # characters; shorter quotes, a head's name or a number, occur everywhere
LEAST_LIKENESS = 90  # of 100, by rapidfuzz's partial ratio, so that a lost ligature does not lose the quote


def locate_quotes(evidence: str, text: str) -> list[tuple[int, int] | None]:
    """The place [start, end) in `text` of each quote in `evidence`, in order; None for one that is not there."""
    quotes = (quote.strip(" .…") for quote in QUOTED.findall(evidence))
    return [locate(quote, text) for quote in quotes if len(quote) >= LEAST_LENGTH]


def locate(quote: str, text: str) -> tuple[int, int] | None:
    """The place [start, end) in `text` of `quote`, up to white space and a few letters; None if it is not there."""
    # An exact match first: the alignment of a long text takes time.
    exact = re.search(r"\s+".join(map(re.escape, quote.split())), text)
    if exact:
        return exact.span()
    alignment = fuzz.partial_ratio_alignment(quote.lower(), text.lower(), score_cutoff=LEAST_LIKENESS)
    # With a text shorter than the quote, rapidfuzz would search the quote for the text.
    if alignment is None or len(quote) > len(text):
        return None
    return alignment.dest_start, alignment.dest_end
