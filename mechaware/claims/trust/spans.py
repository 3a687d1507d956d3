"""Places in a text, [start, end) in characters: sentences, and the text without some places."""

import re
from collections.abc import Iterable

Span = tuple[int, int]
SENTENCE = re.compile(r"\S[^\n]*?(?:[.!?](?=\s)|$)", re.MULTILINE)


def sentences_within_lines(text: str) -> list[Span]:
    """The sentences of a text, none of them across a line break."""
    return [match.span() for match in SENTENCE.finditer(text)]


def merged(spans: Iterable[Span]) -> list[Span]:
    """The places in order, those that overlap or touch as one."""
    kept: list[Span] = []
    for low, high in sorted(spans):
        if kept and low <= kept[-1][1]:
            kept[-1] = (kept[-1][0], max(high, kept[-1][1]))
        else:
            kept.append((low, high))
    return kept


def remove_spans(text: str, spans: Iterable[Span]) -> str:
    """The text without these places, which are in order and apart; a space stands in for each."""
    parts, end = [], 0
    for low, high in spans:
        parts.append(text[end:low])
        end = high
    return " ".join([*parts, text[end:]])
