"""Takes running heads, running feet, page numbers and line numbers out of the body of a paper's
text, where they would interrupt sentences.

Running heads and feet are lines at the top or the foot of a page that recur on other pages; a
number in them may go up by one from page to page. They are moved to the end of the text, so that
nothing is lost; the head of the first page stays, for it may be the title. Lines of a head or foot
with only a page number, and the line numbers of a review copy, are dropped. A document has line
numbers if most of its pages have one on nearly every line; numbered rows of a table are a smaller
share.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

EDGE = 3  # lines at the top, and as many at the foot, that may be a running head or foot
# The fewest pages that share a running head or foot: left and right pages may differ, and first
# pages have none.
MIN_PAGES = 2
MIN_SHARE_OF_PAGES = 1 / 3
PAGE_NUMBER = re.compile(r"\W*\d{1,4}(?:\s*/\s*\d{1,4})?\W*")
# A line number by itself, before the line's text, and after it.
LINE_NUMBERS = (
    re.compile(r"\s*(?P<number>\d{1,4})(?P<rest>\s*)"),
    re.compile(r"\s*(?P<number>\d{1,4})\s+(?P<rest>\S.*)"),
    re.compile(r"(?P<rest>.*[^\d\s])\s*(?P<number>\d{1,4})\s*"),
)
MIN_NUMBERED_LINES = 0.8  # share of a page's lines
MIN_SHARE_OF_NUMBERED_PAGES = 0.6  # share of the pages with such a share of lines
# In a document with line numbers, a page with this share of numbered lines loses its numbers. The
# share is smaller than `MIN_NUMBERED_LINES`, for a page's captions and tables have no numbers.
MIN_SHARE_BESIDE = 0.4

# How far a line is from the edge, and what it shares with the same line of other pages.
_Mark = tuple[int, str]


def without_margins(pages: Sequence[str]) -> list[str]:
    """The text of each page without page numbers and line numbers;
    running heads and feet are after the last page.
    """
    lines = _without_line_numbers([_filled_lines(page) for page in pages])
    heads = _marginal([page[:EDGE] for page in lines])
    # From the last line up.
    feet = _marginal([page[: -EDGE - 1 : -1] for page in lines])

    bodies: list[list[str]] = []
    margins: list[str] = []
    for index, (page, head, foot) in enumerate(zip(lines, heads, feet, strict=True)):
        start = head if index else 0  # the first head stays
        end = max(start, len(page) - foot)
        bodies.append(page[start:end])
        for line in page[:start] + page[end:]:
            if not PAGE_NUMBER.fullmatch(line):
                margins.append(line.strip())
    if margins:
        bodies[-1] += ["", *margins]
    return ["\n".join(body) for body in bodies]


def _filled_lines(page: str) -> list[str]:
    """The lines of a page that are not empty."""
    return [line for line in page.split("\n") if line.strip()]


def _without_line_numbers(pages: list[list[str]]) -> list[list[str]]:
    """The lines of each page without their numbers, and without lines that are only a number."""
    numbered_pages = [_numbered(lines) for lines in pages]
    shares = []
    for lines, numbered in zip(pages, numbered_pages, strict=True):
        # A line number by itself counts as a number, but not as a line.
        bare = list(numbered.values()).count("")
        shares.append(len(numbered) / max(1, len(lines) - bare))

    n_numbered_pages = sum(share >= MIN_NUMBERED_LINES for share in shares)
    if n_numbered_pages < max(1, MIN_SHARE_OF_NUMBERED_PAGES * len(pages)):
        return pages

    without_numbers = []
    for lines, numbered, share in zip(pages, numbered_pages, shares, strict=True):
        texts = lines
        if share >= MIN_SHARE_BESIDE:
            texts = [numbered.get(index, line) for index, line in enumerate(lines)]
        without_numbers.append([text for text in texts if text.strip()])
    return without_numbers


def _numbered(lines: Sequence[str]) -> dict[int, str]:
    """The text of each line that has a line number, without the number, by the line's index.

    The numbers of one position (`LINE_NUMBERS`) are compared in the order of their lines. A number
    is a line number if the next number is larger by 1, or the number before is smaller by 1. Other
    lines are left out: ["1 We patch", "2 heads", "7"] gives {0: "We patch", 1: "heads"}. Where a
    line has a line number at both ends, the number before its text counts.
    """
    text_by_index: dict[int, str] = {}
    for pattern in reversed(LINE_NUMBERS):
        matches = []
        for index, line in enumerate(lines):
            if match := pattern.fullmatch(line):
                matches.append((index, match))
        for (index, match), (next_index, next_match) in pairwise(matches):
            if int(next_match["number"]) == int(match["number"]) + 1:
                text_by_index[index] = match["rest"].strip()
                text_by_index[next_index] = next_match["rest"].strip()
    return text_by_index


def _marginal(edges: Sequence[Sequence[str]]) -> list[int]:
    """For each page, the number of lines at its edge that are part of a running head or foot.

    `edges` has the outermost lines of each page, from the edge inward. Counting stops at the first
    line that recurs too rarely: a line recurs if at least `MIN_PAGES` pages, and
    `MIN_SHARE_OF_PAGES` of all pages, have one of its marks (`_marks`), which hold its distance
    from the edge.
    """
    pages: list[list[set[_Mark]]] = []
    counts = Counter[_Mark]()
    for page, lines in enumerate(edges):
        marks = [_marks(line, place, page) for place, line in enumerate(lines)]
        pages.append(marks)
        for marks_of_line in marks:
            counts.update(marks_of_line)

    fewest = max(MIN_PAGES, len(edges) * MIN_SHARE_OF_PAGES)
    marginal = []
    for marks in pages:
        n_lines = 0
        for marks_of_line in marks:
            if not any(counts[mark] >= fewest for mark in marks_of_line):
                break
            n_lines += 1
        marginal.append(n_lines)
    return marginal


def _marks(line: str, place: int, page: int) -> set[_Mark]:
    """What a line may share with heads or feet of other pages: its words, or its words with a
    number that goes up by one from page to page.

    `place` is the line's distance from the edge, and `page` the index of its page. "Lee et al. 12"
    on page 3 has the marks "lee et al. 12" and "lee et al. <page+9>"; "Lee et al. 13" on page 4
    has the second mark as well. A line of at most two characters that is no page number is too
    short to be a head or foot, and has no marks.
    """
    words = " ".join(line.casefold().split())
    if len(words) <= 2 and not PAGE_NUMBER.fullmatch(line):
        return set()

    marks: set[str] = set()
    if any(map(str.isalpha, words)):
        marks.add(words)
    numbers = list(re.finditer(r"\d{1,4}", words))
    for number in numbers[:1] + numbers[-1:]:  # a page number comes first or last
        before_first_page = int(number[0]) - page
        marks.add(f"{words[: number.start()]}<page{before_first_page:+}>{words[number.end() :]}")
    return {(place, mark) for mark in marks}
