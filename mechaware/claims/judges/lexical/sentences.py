"""Splits a paper into the sentences that the lexical judge reads."""

import re
from typing import NamedTuple

HEADING = re.compile(r"(?m)^(?:\d+(?:\.\d+)*\.?\s+|#+\s+)?[A-Z](?:[^.!?,;:\n]|\.\d){1,60}\n(?=\s*[A-Z])")
END = re.compile(
    r"(?<!\bal)(?<!\bFig)(?<!\bEq)(?<!\bSec)(?<!\be\.g)(?<!\bi\.e)[.!?][\"”)\]]*\s+(?=[A-Z0-9\"“(\[])|\n\s*\n"
)
REFERENCES = re.compile(r"(?m)^\W*(?:\d+\.?\s+)?(?:References|Bibliography)\s*$")
# Results of other papers: a citation, and no word of one's own.
CITED = re.compile(
    r"et al\b|\(\d{4}[a-z]?\)|,\s+\d{4}[a-z]?[);]|\b(?:prior|previous|earlier) (?:work|studies|papers)\b"
)
OWN = re.compile(r"(?i)\b(?:we|our|us)\b")
LONGEST = 1500  # characters; anything longer is a table


class Sentence(NamedTuple):
    """A sentence on one line, and its place [start, end) in the paper's text."""

    start: int
    end: int
    text: str


def read_sentences(text: str) -> list[Sentence]:
    """The sentences before the list of references, in order, but for those that report the work of others."""
    references = REFERENCES.search(text)
    body = text[: references.start()] if references else text
    body = HEADING.sub(lambda heading: " " * (len(heading[0]) - 2) + "\n\n", body)  # no place moves
    ends = [*(end.end() for end in END.finditer(body)), len(body)]
    sentences = [_sentence(body, start, end) for start, end in zip([0, *ends], ends, strict=False)]
    return [
        sentence
        for sentence in sentences
        if 0 < len(sentence.text) <= LONGEST and (OWN.search(sentence.text) or not CITED.search(sentence.text))
    ]


def _sentence(body: str, start: int, end: int) -> Sentence:
    whole = body[start:end]
    start, end = start + len(whole) - len(whole.lstrip()), end - len(whole) + len(whole.rstrip())
    return Sentence(start, end, " ".join(body[start:end].split()))
