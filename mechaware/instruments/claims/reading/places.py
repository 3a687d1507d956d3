"""Where a place of a paper's text is: its page, and the heading of its section."""

import re
from bisect import bisect_right
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from mechaware.instruments.claims.reading.sentences import Span
from mechaware.instruments.claims.rubric.records import PaperText

# Characters. A place so far behind a heading of a usual name ("Results") may be under a later
# heading without a number, which is not recognised: the place has no certain heading.
MAX_NAMED_SECTION = 4_000
NUMBERED = re.compile(
    r"(?P<number>\d{1,2}(?:\.\d{1,2}){0,3}|[A-Z](?:\.\d{1,2}){1,3}|(?:Appendix )?[A-Z](?=\s+[A-Z]))\.?:?\s+"
    r"(?P<title>[A-Z](?:[^.!?\n]|\.(?=\w)){2,78}[\w)\]?])"
)
_NAME = (
    r"(?:Abstract|Introduction|Background|Related Work|Preliminaries|Methods?|Methodology|Materials|Setup|Experiments?|"
    r"Experimental Setup|Results|Discussion|Implications|Limitations|Conclusions?|Future Work|Acknowledge?ments?|"
    r"References|Bibliography|Appendix|Supplementary Material)"
)
NAMED = re.compile(rf"(?:[IVX]{{1,5}}\.?\s+)?{_NAME}(?:(?:,| and| &) {_NAME})*[.:]?", re.I)
MARKED = re.compile(
    r"#{1,6}\s+(?P<title>\S.*?)\s*#*|\s*\\(?:chapter|(?:sub)*section)\*?\{(?P<tex>[^{}]+)\}.*"
)
REFERENCES = re.compile(r"(?:[\dIVX]+\.?\s+)?(?:References|Bibliography)\b", re.I)
INITIALS = re.compile(r"\b[A-Z]\.")  # of an author in a list of references

_Number = tuple[int, ...]  # (3, 1) of section 3.1; letters of an appendix count from 100
FIRST_NUMBERS: tuple[_Number, ...] = ((0,), (1,), (100,))  # section 0, section 1, appendix A


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

    The page is None if the paper has no pages, the heading if there is none before the place or it
    is not certain.
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
    """The places [start, end) of lists of references:
    from the list's heading to the next heading, or to the end.
    """
    end_of_text = _Heading(len(text), "")
    spans = []
    for heading, following in pairwise([*_headings(text), end_of_text]):
        if REFERENCES.match(heading.title):
            spans.append((heading.start, following.start))
    return spans


@lru_cache(maxsize=8)  # a page asks for all quotes of a paper
def _headings(text: str) -> list[_Heading]:
    """The headings of a text, in its order.

    A heading is a line of its own: a title with a number, a usual name, or one that Markdown or TeX
    marks. Of lines with numbers, which rows of tables and items of lists have too, the longest
    ascending series counts.
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
            goes_on = following.lstrip()[:1].islower()  # an item of a list, or a sentence
            if not goes_on and (number[0] >= 100 or not in_references):
                numbered.append(_NumberedLine(_Heading(start, words), number))
        start += len(line) + 1
    return sorted([*others, *_longest_series(numbered)])


def _number(written: str) -> _Number:
    """(3, 1) of "3.1", (101, 2) of "B.2", (100,) of "Appendix A"."""
    first, *others = written.removeprefix("Appendix ").split(".")
    section = int(first) if first.isdecimal() else 100 + ord(first) - ord("A")
    return (section, *map(int, others))


def _longest_series(lines: list[_NumberedLine]) -> list[_Heading]:
    """The longest series of lines in which each number may follow the last; it begins with section
    1 or appendix A.

    Of series of one length the last one counts, since a table of contents comes before the
    sections.
    """
    # The longest series that ends with each line, empty if there is none.
    best: list[list[_Heading]] = []
    for index, line in enumerate(lines):
        before = []
        for earlier in range(index):
            if _may_follow(lines[earlier].number, line.number):
                before.append(best[earlier])
        longest = _last_longest(before)
        can_begin = line.number in FIRST_NUMBERS
        best.append([*longest, line.heading] if longest or can_begin else [])
    return _last_longest(best)


def _last_longest(series: list[list[_Heading]]) -> list[_Heading]:
    """The longest of some series, the last one in a tie; an empty series if there are none."""
    return max(reversed(series), key=len, default=[])


def _may_follow(last: _Number, number: _Number) -> bool:
    """Whether a number may come after another: 3.2, 4, 3.1.1 and appendix A after 3.1,
    and one number may be missed.
    """
    if number[0] >= 100 > last[0]:
        return number == (100,)

    # "3.1" is the section "3" and its subsection 1.
    *section, subsection = number
    if len(number) > len(last) + 1 or tuple(section) != last[: len(section)]:
        return False
    last_subsection = last[len(section)] if len(section) < len(last) else 0
    return subsection - last_subsection in (1, 2)
