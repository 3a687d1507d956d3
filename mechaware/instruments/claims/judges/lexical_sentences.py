"""The sentences and headings of a paper that the lexical judge reads.

It reads what the paper's authors tell their readers about their own work.
"""

import re
from typing import NamedTuple

from mechaware.instruments.claims.reading.addressing import addresses_judge
from mechaware.instruments.claims.reading.sentences import sentence_spans

# The number of a heading, as in "3.1 Results", or its marks in Markdown, as in "## Results".
NUMBER = re.compile(r"^(?:\d+(?:\.\d+)*\.?|#+)\s+")
# A line and its line end. After its number, if it has one, a heading has a capital and up to 60
# other characters, none of .!?,;: except a point before a digit. The text after the heading begins
# with a capital.
HEADING = re.compile(
    r"(?m)^(?:\d+(?:\.\d+)*\.?\s+|#+\s+)?[A-Z](?:[^.!?,;:\n]|\.\d){1,60}\n(?=\s*[A-Z])"
)
# An empty line, or an end mark before a capital, a digit, a quote or a bracket. The stop of
# "et al.", "Fig.", "Eq.", "Sec.", "e.g." or "i.e." is not an end mark.
SENTENCE_END = re.compile(
    r"(?<!\bal)(?<!\bFig)(?<!\bEq)(?<!\bSec)(?<!\be\.g)(?<!\bi\.e)[.!?][\"”)\]]*\s+(?=[A-Z0-9\"“(\[])|\n\s*\n"
)
REFERENCES = re.compile(r"(?m)^\W*(?:\d+\.?\s+)?(?:References|Bibliography)\s*$")
# A sentence with a citation reports results of other papers, unless it also matches `OWN`.
CITED = re.compile(
    r"et al\b|\(\d{4}[a-z]?\)|,\s+\d{4}[a-z]?[);]|\b(?:prior|previous|earlier) (?:work|studies|papers)\b"
)
OWN = re.compile(r"(?i)\b(?:we|our|us)\b")
MAX_SENTENCE = 1500  # characters; anything longer is a table


class Sentence(NamedTuple):
    """A sentence or heading on one line, and its place [start, end) in the paper's text."""

    start: int
    end: int
    text: str


def read_sentences(text: str) -> list[Sentence]:
    """The sentences before the list of references,
    without sentences that report others' work or address a judge.
    """
    references = REFERENCES.search(text)
    body = text[: references.start()] if references else text
    body = HEADING.sub(_blank, body)
    sentences = []
    for start, end in sentence_spans(body, SENTENCE_END):
        sentence = Sentence(start, end, " ".join(body[start:end].split()))
        if _is_about_own_work(sentence.text):
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


def _blank(heading: re.Match[str]) -> str:
    """White space in place of a heading.

    It is as long as the heading, so that later sentences keep their places, and ends in an empty
    line, which ends a sentence.
    """
    empty_line = "\n\n"
    spaces = " " * (len(heading[0]) - len(empty_line))
    return spaces + empty_line


def _is_about_own_work(sentence: str) -> bool:
    """Whether a sentence is prose about the paper's own work, and does not address a judge."""
    if len(sentence) > MAX_SENTENCE:
        return False
    if CITED.search(sentence) and not OWN.search(sentence):
        return False
    return not addresses_judge(sentence)
