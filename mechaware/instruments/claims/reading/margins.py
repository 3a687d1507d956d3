"""Takes out of a paper's text what its margins hold, so that a sentence goes on across the end of a line or page.

Running heads and feet are lines at the top or the foot of a page that other pages have, too, but for a number that goes
up by one from page to page. They are put at the end of the text as they are, so that nothing is lost; the first head
stays, for it may be the title. Page numbers alone, and the line numbers of a review copy, are dropped. A document has
line numbers if most of its pages have one on nearly every line; the rows of a table are fewer.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise, takewhile

EDGE = 3  # lines at the top, and as many at the foot, that may be a running head or foot
# That have the line: left and right pages may differ, and first ones have none.
FEWEST_PAGES, LEAST_SHARE = (
    2,
    1 / 3,
)
PAGE_NUMBER = re.compile(r"\W*\d{1,4}(?:\s*/\s*\d{1,4})?\W*")
# A line number alone, before the line's text, and behind it.
LINE_NUMBERS = tuple(
    re.compile(pattern)
    for pattern in (
        r"\s*(?P<number>\d{1,4})(?P<rest>\s*)",
        r"\s*(?P<number>\d{1,4})\s+(?P<rest>\S.*)",
        r"(?P<rest>.*[^\d\s])\s*(?P<number>\d{1,4})\s*",
    )
)
LEAST_NUMBERED = 0.8  # share of a page's lines
LEAST_PAGES = 0.6  # share of the pages that have so many
# Share of another page's lines in such a document: its captions and tables have no numbers.
LEAST_BESIDE = 0.4

_Mark = tuple[int, str]


def without_margins(pages: Sequence[str]) -> list[str]:
    """The text of each page without page numbers and line numbers; running heads and feet are behind the last page."""
    lines = _without_line_numbers(
        [[line for line in page.split("\n") if line.strip()] for page in pages]
    )
    heads = _marginal([page[:EDGE] for page in lines])
    feet = _marginal([page[: -EDGE - 1 : -1] for page in lines])
    bodies, margins = [], []
    for number, (page, head, foot) in enumerate(zip(lines, heads, feet, strict=True)):
        start = head if number else 0
        end = max(start, len(page) - foot)
        bodies.append(page[start:end])
        margins += [
            line.strip() for line in page[:start] + page[end:] if not PAGE_NUMBER.fullmatch(line)
        ]
    if margins:
        bodies[-1] += ["", *margins]
    return ["\n".join(body) for body in bodies]


def _without_line_numbers(pages: list[list[str]]) -> list[list[str]]:
    found = [_numbered(lines) for lines in pages]
    shares = [
        len(rests) / max(1, len(lines) - list(rests.values()).count(""))
        for rests, lines in zip(found, pages, strict=True)
    ]
    if sum(share >= LEAST_NUMBERED for share in shares) < max(1, LEAST_PAGES * len(pages)):
        return pages
    replaced = (
        [
            rests.get(index, line) if share >= LEAST_BESIDE else line
            for index, line in enumerate(lines)
        ]
        for rests, lines, share in zip(found, pages, shares, strict=True)
    )
    return [[line for line in lines if line.strip()] for lines in replaced]


def _numbered(lines: Sequence[str]) -> dict[int, str]:
    """What is left of each line whose number is one more than the one before, or one less than the next."""
    found: dict[int, str] = {}
    for pattern in reversed(LINE_NUMBERS):
        matches = [
            (index, match) for index, line in enumerate(lines) if (match := pattern.fullmatch(line))
        ]
        for (i, first), (j, second) in pairwise(matches):
            if int(second["number"]) == int(first["number"]) + 1:
                found |= {i: first["rest"].strip(), j: second["rest"].strip()}
    return found


def _marginal(edges: Sequence[Sequence[str]]) -> list[int]:
    """How many lines of each page's edge, from the outermost on, are on other pages at the same place."""
    marks = [
        [_marks(line, place, page) for place, line in enumerate(lines)]
        for page, lines in enumerate(edges)
    ]
    counts = Counter(mark for page in marks for line in page for mark in line)
    fewest = max(FEWEST_PAGES, len(edges) * LEAST_SHARE)
    return [
        len(list(takewhile(lambda line: any(counts[mark] >= fewest for mark in line), page)))
        for page in marks
    ]


def _marks(line: str, place: int, page: int) -> set[_Mark]:
    """What a head shares with those of other pages: its words, or these with a number that goes up with the page."""
    words = " ".join(line.casefold().split())
    numbers = list(re.finditer(r"\d{1,4}", words))
    marks = {words} if any(map(str.isalpha, words)) else set()
    for number in numbers[:1] + numbers[-1:]:
        marks.add(
            f"{words[: number.start()]}<page{int(number[0]) - page:+}>{words[number.end() :]}"
        )
    return (
        {(place, mark) for mark in marks}
        if marks and (len(words) > 2 or PAGE_NUMBER.fullmatch(line))
        else set()
    )
