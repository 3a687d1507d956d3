"""The sentences and headings of a paper that the lexical judge reads:
its own work, addressed to its readers.
"""

import re
from typing import NamedTuple

from mechaware.instruments.claims.reading.addressing import addresses_judge
from mechaware.instruments.claims.reading.sentences import sentence_spans

NUMBER = re.compile(r"^(?:\d+(?:\.\d+)*\.?|#+)\s+")  # of a heading
HEADING = re.compile(
    r"(?m)^(?:\d+(?:\.\d+)*\.?\s+|#+\s+)?[A-Z](?:[^.!?,;:\n]|\.\d){1,60}\n(?=\s*[A-Z])"
)
SENTENCE_END = re.compile(
    r"(?<!\bal)(?<!\bFig)(?<!\bEq)(?<!\bSec)(?<!\be\.g)(?<!\bi\.e)[.!?][\"”)\]]*\s+(?=[A-Z0-9\"“(\[])|\n\s*\n"
)
REFERENCES = re.compile(r"(?m)^\W*(?:\d+\.?\s+)?(?:References|Bibliography)\s*$")
# A sentence with a citation reports results of other papers, unless it has a word of `OWN`.
CITED = re.compile(
    r"et al\b|\(\d{4}[a-z]?\)|,\s+\d{4}[a-z]?[);]|\b(?:prior|previous|earlier) (?:work|studies|papers)\b"
)
OWN = re.compile(r"(?i)\b(?:we|our|us)\b")
MAX_SENTENCE = 1500  # characters; anything longer is a table


class Sentence(NamedTuple):
    """A sentence on one line, and its place [start, end) in the paper's text."""

    start: int
    end: int
    text: str


def read_sentences(text: str) -> list[Sentence]:
    """The sentences before the list of references,
    without sentences that report others' work or address a judge.
    """
    references = REFERENCES.search(text)
    body = text[: references.start()] if references else text
    # A heading becomes white space of the same length, so that no place moves.
    body = HEADING.sub(lambda heading: " " * (len(heading[0]) - 2) + "\n\n", body)
    sentences = []
    for start, end in sentence_spans(body, SENTENCE_END):
        sentence = Sentence(start, end, " ".join(body[start:end].split()))
        if _is_of_the_paper(sentence.text):
            sentences.append(sentence)
    return sentences


def read_headings(text: str) -> list[Sentence]:
    """The headings without their numbers, except headings that address a judge."""
    headings = []
    for match in HEADING.finditer(text):
        heading = " ".join(NUMBER.sub("", match[0]).split())
        if not addresses_judge(heading):
            headings.append(Sentence(*match.span(), heading))
    return headings


def _is_of_the_paper(sentence: str) -> bool:
    """Whether a sentence is prose about the paper's own work, addressed to its readers."""
    if len(sentence) > MAX_SENTENCE:
        return False
    if CITED.search(sentence) and not OWN.search(sentence):
        return False
    return not addresses_judge(sentence)
