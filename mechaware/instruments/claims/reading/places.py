"""Finds the page and the section heading of a place in a paper's text,
and the spans of its lists of references.
"""

import re
from bisect import bisect_right
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from mechaware.instruments.claims.reading.sentences import Span
from mechaware.instruments.claims.rubric.records import PaperText

# Characters. A place farther behind a heading with a usual name ("Results") may be under a later
# heading without a number, which is not recognised: the place has no certain heading.
MAX_NAMED_SECTION = 4_000
# A number and a title: "3.1 Name movers", "A.2 Prompts", "Appendix B Models".
NUMBERED = re.compile(
    r"(?P<number>\d{1,2}(?:\.\d{1,2}){0,3}|[A-Z](?:\.\d{1,2}){1,3}|(?:Appendix )?[A-Z](?=\s+[A-Z]))\.?:?\s+"
    r"(?P<title>[A-Z](?:[^.!?\n]|\.(?=\w)){2,78}[\w)\]?])"
)
_NAME = (
    r"(?:Abstract|Introduction|Background|Related Work|Preliminaries|Methods?|Methodology|Materials|Setup|Experiments?|"
    r"Experimental Setup|Results|Discussion|Implications|Limitations|Conclusions?|Future Work|Acknowledge?ments?|"
    r"References|Bibliography|Appendix|Supplementary Material)"
)
# One or more usual names, perhaps after a Roman number: "IV. Results and Discussion".
NAMED = re.compile(rf"(?:[IVX]{{1,5}}\.?\s+)?{_NAME}(?:(?:,| and| &) {_NAME})*[.:]?", re.I)
# A heading in Markdown, "## Results", or in TeX, "\section{Results}".
MARKED = re.compile(
    r"#{1,6}\s+(?P<title>\S.*?)\s*#*|\s*\\(?:chapter|(?:sub)*section)\*?\{(?P<tex>[^{}]+)\}.*"
)
REFERENCES = re.compile(r"(?:[\dIVX]+\.?\s+)?(?:References|Bibliography)\b", re.I)
INITIALS = re.compile(r"\b[A-Z]\.")  # of an author in a list of references

# (3, 1) of section 3.1. Appendix A is (100,), appendix B (101,), and B.2 is (101, 2).
_Number = tuple[int, ...]
FIRST_APPENDIX = 100
# The numbers that may come first: section 0, section 1 and appendix A.
FIRST_NUMBERS: tuple[_Number, ...] = ((0,), (1,), (FIRST_APPENDIX,))


class _Heading(NamedTuple):
    """Where a heading begins in the text, and its words with their number."""

    start: int
    title: str


class _NumberedLine(NamedTuple):
    """A line that may be a heading, and its number."""

    heading: _Heading
    number: _Number


class _Place(NamedTuple):
    """The page, counted from 1, and the heading of the section.

    The page is None if the paper has no pages. The heading is None if no heading comes before the
    place, or if it is not certain that the last one before it is the heading of its section.
    """

    page: int | None
    heading: str | None


def place_of(start: int, text: str, about: PaperText) -> _Place:
    """Where the character `start` of a paper's text is, for example the beginning of a quote."""
    page = bisect_right(about.page_starts, start) or None
    headings = _headings(text)
    index = bisect_right(headings, start, key=lambda heading: heading.start) - 1
    if index < 0:
        return _Place(page, None)
    heading = headings[index]
    is_near = start - heading.start <= MAX_NAMED_SECTION
    is_certain = is_near or not NAMED.fullmatch(heading.title)
    return _Place(page, heading.title if is_certain else None)


def reference_spans(text: str) -> list[Span]:
    """The spans [start, end) of lists of references, in characters:
    from the list's heading to the next heading, or to the end of the text.
    """
    end_of_text = _Heading(len(text), "")
    spans = []
    for heading, following in pairwise([*_headings(text), end_of_text]):
        if REFERENCES.match(heading.title):
            spans.append((heading.start, following.start))
    return spans


@lru_cache(maxsize=8)  # many quotes are looked up in the same text
def _headings(text: str) -> list[_Heading]:
    """The headings of a text, in its order.

    A heading is a line of its own: a title with a number, a usual name, or a title that Markdown or
    TeX marks. Rows of tables and items of lists also begin with a number: of all lines that do,
    those in the longest ascending series are headings (`_longest_series`).
    """
    numbered: list[_NumberedLine] = []
    others: list[_Heading] = []
    in_references = False
    start = 0
    lines = text.split("\n")
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        words = line.strip()
        if marked := MARKED.fullmatch(line):
            title = marked["title"] or marked["tex"]
            others.append(_Heading(start, " ".join(title.split())))
        elif NAMED.fullmatch(words):
            others.append(_Heading(start, words.rstrip(".:")))
            in_references = words.lower().startswith(("references", "bibliography"))
        elif (match := NUMBERED.fullmatch(words)) and not INITIALS.search(match["title"]):
            number = _number(match["number"])
            # An item of a list, or a sentence, may go on in the next line; a heading does not.
            goes_on = following.lstrip()[:1].islower()
            # In a list of references a number begins a reference, and a letter begins an appendix.
            is_reference = in_references and number[0] < FIRST_APPENDIX
            if not goes_on and not is_reference:
                numbered.append(_NumberedLine(_Heading(start, words), number))
        start += len(line) + 1
    return sorted([*others, *_longest_series(numbered)])


def _number(written: str) -> _Number:
    """(3, 1) of "3.1", (101, 2) of "B.2", (100,) of "Appendix A"."""
    first, *subsections = written.removeprefix("Appendix ").split(".")
    section = int(first) if first.isdecimal() else FIRST_APPENDIX + ord(first) - ord("A")
    return (section, *map(int, subsections))


def _longest_series(lines: list[_NumberedLine]) -> list[_Heading]:
    """The longest series of lines in which each number may follow the number before it.

    A series begins with one of `FIRST_NUMBERS`. Of several longest series the last one counts,
    since a table of contents comes before the sections.
    """
    # The longest series that ends with each line, empty if there is none.
    best: list[list[_Heading]] = []
    for index, line in enumerate(lines):
        to_continue = []
        for earlier in range(index):
            if _may_follow(lines[earlier].number, line.number):
                to_continue.append(best[earlier])
        longest = _last_longest(to_continue)
        can_begin = line.number in FIRST_NUMBERS
        best.append([*longest, line.heading] if longest or can_begin else [])
    return _last_longest(best)


def _last_longest(series: list[list[_Heading]]) -> list[_Heading]:
    """The longest of some series, the last one in a tie; an empty series if there are none."""
    return max(reversed(series), key=len, default=[])


def _may_follow(last: _Number, number: _Number) -> bool:
    """Whether a number may come after `last`: after 3.1 may come 3.2, 4, 3.1.1 and appendix A.

    One number may be missing: 3.3, 5 and 3.1.2 may also come after 3.1.
    """
    if number[0] >= FIRST_APPENDIX > last[0]:
        return number == (FIRST_APPENDIX,)

    # 3.2 is number 2 within the section (3,), and 4 is number 4 within the paper, ().
    *parent, own_number = number
    depth = len(parent)
    if depth > len(last) or tuple(parent) != last[:depth]:
        return False
    # 3.1.1 is the first number within 3.1; 3.2 comes after the 1 of 3.1.
    last_number = 0 if depth == len(last) else last[depth]
    return own_number - last_number in (1, 2)
