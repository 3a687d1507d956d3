"""Takes out of a paper's text what its margins hold, so that a sentence goes on across the end of a line or page.

Running heads and feet are lines at the top or the foot of a page that many pages have, but for their digits. They are
put at the end of the text, so that no word is lost; the first head stays, for it may be the title. Page numbers, which
go up by one from page to page, and the line numbers of a review copy, which go up by one on most lines, are dropped.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise, takewhile

EDGE = 3  # lines at the top, and as many at the foot, that may be a running head or foot
FEWEST_PAGES, LEAST_SHARE = 2, 1 / 3  # that have the line: left and right pages may differ, and first ones have none
FEWEST_LETTERS = 3
PAGE_NUMBER = re.compile(r"\W*(\d{1,4})(?:\s*/\s*\d{1,4})?\W*")
# A line number alone, before the line's text, and behind it.
LINE_NUMBERS = tuple(
    re.compile(pattern)
    for pattern in (
        r"\s*(?P<number>\d{1,4})(?P<rest>\s*)",
        r"\s*(?P<number>\d{1,4})\s+(?P<rest>\S.*)",
        r"(?P<rest>.*[^\d\s])\s*(?P<number>\d{1,4})\s*",
    )
)
STEPS = (1, 5)  # from one line number to the next
LEAST_NUMBERED = 0.4  # share of the lines of text: of two columns, one may have its numbers before, the other behind

_Mark = tuple[int, str]


def without_margins(pages: Sequence[str]) -> list[str]:
    """The text of each page without page numbers and line numbers; running heads and feet are behind the last page."""
    lines = _without_line_numbers([[line for line in page.split("\n") if line.strip()] for page in pages])
    heads = _marginal([_marks(page[:EDGE], number) for number, page in enumerate(lines)])
    feet = _marginal([_marks(page[: -EDGE - 1 : -1], number) for number, page in enumerate(lines)])
    bodies, margins = [], []
    for number, (page, head, foot) in enumerate(zip(lines, heads, feet, strict=True)):
        start = head if number else 0
        end = max(start, len(page) - foot)
        bodies.append(page[start:end])
        margins += [line.strip("0123456789 \t") for line in page[:start] + page[end:]]
    if moved := list(filter(None, margins)):
        bodies[-1] += ["", *moved]
    return ["\n".join(body) for body in bodies]


def _without_line_numbers(pages: list[list[str]]) -> list[list[str]]:
    """The pages' lines without line numbers of the kinds that the document has throughout."""
    texts = sum(any(map(str.isalpha, line)) for lines in pages for line in lines)
    for pattern in LINE_NUMBERS:
        found = [_ascending(lines, pattern) for lines in pages]
        if sum(step for rests in found for _, step in rests.values()) > LEAST_NUMBERED * texts:
            replaced = (
                [rests.get(index, (line, 0))[0] for index, line in enumerate(lines)]
                for rests, lines in zip(found, pages, strict=True)
            )
            pages = [[line for line in lines if line.strip()] for lines in replaced]
    return pages


def _ascending(lines: Sequence[str], pattern: re.Pattern[str]) -> dict[int, tuple[str, int]]:
    """The lines whose number is a step ahead of the number before it or behind the next: the rest, and the step."""
    numbered = [(index, match) for index, line in enumerate(lines) if (match := pattern.fullmatch(line))]
    found: dict[int, tuple[str, int]] = {}
    for (i, first), (j, second) in pairwise(numbered):
        if (step := int(second["number"]) - int(first["number"])) in STEPS:
            found |= {i: (first["rest"], step), j: (second["rest"], step)}
    return found


def _marks(lines: Sequence[str], page: int) -> list[_Mark | None]:
    """What each line shares with those of other pages: its place, and its words or how far its number is ahead.

    None for a line without either, which is no head.
    """
    marks: list[_Mark | None] = []
    for place, line in enumerate(lines):
        number = PAGE_NUMBER.fullmatch(line)
        words = str(int(number[1]) - page) if number else re.sub(r"[\W\d_]+", " ", line).strip().casefold()
        marks.append((place, words) if number or len(words) >= FEWEST_LETTERS else None)
    return marks


def _marginal(edges: list[list[_Mark | None]]) -> list[int]:
    """How many lines of each page's edge, from the outermost on, are on many pages."""
    counts = Counter(mark for marks in edges for mark in marks if mark)
    fewest = max(FEWEST_PAGES, len(edges) * LEAST_SHARE)
    return [len(list(takewhile(lambda mark: mark and counts[mark] >= fewest, marks))) for marks in edges]
