"""Where a place of a paper's text stands: its page, and the heading of its section."""

import re
from bisect import bisect_right
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from mechaware.claims.rubric.records import PaperText

LINE_BREAK = 3  # characters between two lines that follow each other: the line feed, and spaces
LONGEST_NAMED = 4_000  # characters under a usual name: headings without a number that follow it are not recognised
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
MARKED = re.compile(r"#{1,6}\s+(?P<title>\S.*?)\s*#*|\s*\\(?:chapter|(?:sub)*section)\*?\{(?P<tex>[^{}]+)\}.*")
INITIALS = re.compile(r"\b[A-Z]\.")  # of an author in a list of references

_Number = tuple[int, ...]  # (3, 1) of section 3.1; letters of an appendix count from 100


class Place(NamedTuple):
    """The page, counted from 1, and the heading of the section; None where the paper has none or it is not certain."""

    page: int | None
    heading: str | None


def place_of(start: int, text: str, about: PaperText) -> Place:
    """Where the character `start` of a paper's text stands, for example the beginning of a quote."""
    page = bisect_right(about.page_starts, start) or None
    found = _headings(text)
    index = bisect_right(found, start, key=lambda heading: heading[0]) - 1
    if index < 0:
        return Place(page, None)
    place, heading = found[index]
    certain = heading and (start - place <= LONGEST_NAMED or not NAMED.fullmatch(heading))
    return Place(page, heading if certain else None)


@lru_cache(maxsize=8)  # a page asks for all quotes of a paper
def _headings(text: str) -> list[tuple[int, str]]:
    """The headings of a text and where each begins.

    A heading is a line of its own: a title with a number, a usual name, or one that Markdown or TeX marks. Of lines
    with numbers, which rows of tables and items of lists have too, the longest ascending series counts. Where it skips
    a number, the heading before is empty: nobody knows where the next section begins.
    """
    numbered: list[tuple[int, str, _Number]] = []
    others: list[tuple[int, str]] = []
    in_references = False
    start = 0
    for line in text.split("\n"):
        words = line.strip()
        marked = MARKED.fullmatch(line)
        if marked:
            others.append((start, " ".join((marked["title"] or marked["tex"]).split())))
        elif NAMED.fullmatch(words):
            others.append((start, words.rstrip(".:")))
            in_references = words.lower().startswith(("references", "bibliography"))
        elif (match := NUMBERED.fullmatch(words)) and not INITIALS.search(match["title"]):
            number = _number(match["number"])
            if number[0] > 99 or not in_references:
                numbered.append((start, words, number))
        start += len(line) + 1
    series = _longest_series(_without_lists(numbered))
    return sorted([*others, *((place, words) for place, words, _ in series)])


def _without_lists(lines: list[tuple[int, str, _Number]]) -> list[tuple[int, str, _Number]]:
    """The lines but those that stand right below each other with numbers of one level, as a list's items."""
    items = set()
    for above, below in pairwise(lines):
        if (
            below[0] - above[0] - len(above[1]) <= LINE_BREAK
            and above[2][:-1] == below[2][:-1]
            and _step(above[2], below[2]) == 1
        ):
            items |= {above, below}
    return [line for line in lines if line not in items]


def _number(written: str) -> _Number:
    first, *others = written.removeprefix("Appendix ").split(".")
    return (int(first) if first.isdecimal() else 100 + ord(first) - ord("A"), *map(int, others))


def _longest_series(lines: list[tuple[int, str, _Number]]) -> list[tuple[int, str, _Number]]:
    """The longest series of lines in which each number may follow the last; it begins with section 1 or appendix A.

    Of series of one length the last one counts, since a table of contents comes before the sections.
    """
    best: list[tuple[int, int]] = []  # length of the longest series that ends with each line, and the line before it
    for index, (_, _, number) in enumerate(lines):
        length, before = (1, -1) if number in ((0,), (1,), (100,)) else (0, -1)
        for earlier in range(index):
            if best[earlier][0] >= max(length - 1, 1) and _step(lines[earlier][2], number) in (1, 2):
                length, before = best[earlier][0] + 1, earlier
        best.append((length, before))
    series: list[tuple[int, str, _Number]] = []
    index = max(range(len(lines)), key=lambda index: (best[index][0], index), default=-1)
    while index >= 0 and best[index][0]:
        place, words, number = lines[index]
        skips = series and _step(number, series[-1][2]) > 1
        series.append((place, "" if skips else words, number))
        index = best[index][1]
    return series[::-1]


def _step(last: _Number, number: _Number) -> int:
    """How many numbers of its level a number is behind another: 3.2, 4, 3.1.1 and appendix A are 1 behind 3.1.

    0 if it does not come after it in this way.
    """
    *front, end = number
    if number[0] >= 100 > last[0]:
        return end - 99 if not front else 0
    if len(number) > len(last) + 1 or tuple(front) != last[: len(front)]:
        return 0
    return end - (last[len(front)] if len(front) < len(last) else 0)
