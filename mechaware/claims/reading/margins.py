"""Takes out of a paper's text what its margins hold, so that a sentence goes on across the end of a line or page.

Running heads and feet are lines at the top or the foot of a page that many pages have, but for their digits. Page
numbers go up by one from page to page. The line numbers of a review copy go up by one at the beginning or the end of
most lines. The first page keeps its head, which may be the title.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

EDGE = 3  # lines at the top, and as many at the foot, that may be a running head or foot
FEWEST_PAGES, LEAST_SHARE = 2, 1 / 3  # that have the line: left and right pages may differ, and first ones have none
FEWEST_LETTERS = 3
PAGE_NUMBER = re.compile(r"\W*(\d{1,4})(?:\s*/\s*\d{1,4})?\W*")
SENTENCE_END = re.compile(r"[.!?:]\W*$")
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


def without_margins(pages: Sequence[str]) -> list[str]:
    """The text of each page without running heads, running feet, page numbers and line numbers."""
    lines = _without_heads(_without_line_numbers([page.split("\n") for page in pages]))
    return ["\n".join(kept) for kept in lines]


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
    found = {}
    for (i, first), (j, second) in pairwise(numbered):
        if (step := int(second["number"]) - int(first["number"])) in STEPS:
            found |= {i: (first["rest"], step), j: (second["rest"], step)}
    return found


def _without_heads(pages: list[list[str]]) -> list[list[str]]:
    """The pages' lines without running heads, running feet and page numbers; a page that would be empty stays whole."""
    fewest = max(FEWEST_PAGES, len(pages) * LEAST_SHARE)
    edges = ({_mark(line, page) for line in (*lines[:EDGE], *lines[-EDGE:])} for page, lines in enumerate(pages))
    counts = Counter(mark for marks in edges for mark in marks if mark)
    common = {mark for mark, count in counts.items() if count >= fewest}
    numbers = {mark for mark in common if mark.lstrip("-").isdecimal()}
    heads = [_marginal(lines[:EDGE], page, common if page else numbers) for page, lines in enumerate(pages)]
    feet = [_marginal(lines[: -EDGE - 1 : -1], page, common) for page, lines in enumerate(pages)]
    bodies = [lines[head : len(lines) - foot] for lines, head, foot in zip(pages, heads, feet, strict=True)]
    kept = [list(lines) for lines in pages]
    for page, (before, after) in enumerate(pairwise(bodies)):
        if before and after and not SENTENCE_END.search(before[-1]):
            del kept[page][len(kept[page]) - feet[page] :]
            del kept[page + 1][: heads[page + 1]]
    return kept


def _mark(line: str, page: int) -> str:
    """What a line shares with those of other pages: its words, or how far its number is ahead of the page's place."""
    if number := PAGE_NUMBER.fullmatch(line):
        return str(int(number[1]) - page)
    words = re.sub(r"[\W\d_]+", " ", line).strip().casefold()
    return words if len(words) >= FEWEST_LETTERS else ""


def _marginal(lines: Sequence[str], page: int, marks: set[str]) -> int:
    """How many of some lines, the outermost first, are marginal."""
    count = 0
    for index, line in enumerate(lines):
        if _mark(line, page) in marks:
            count = index + 1
        elif line.strip():
            break
    return count
