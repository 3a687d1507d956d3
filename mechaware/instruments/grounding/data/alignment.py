"""Learns from training rows which phrase of a request names which column.

`align` is the main function. `_parses` lists the parses of a request, `_certain_names` and
`_neighbours` show where lists begin and end, and `_choose` takes the best parse of each request.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from mechaware.core.errors import UserError
from mechaware.instruments.grounding.data.rows import Row

# A word, or a punctuation mark.
PART = re.compile(r"\w+(?:['-]\w+)*|[^\w\s]")
# In place of the word before a list that starts the request, or after a list that ends it.
_EDGE = ""
# A word borders a list only if it is next to at least this many different columns.
_MIN_COLUMNS = 3
# A phrase names a column only if it does so in at least this many rows: one row may be misaligned.
_MIN_ROWS = 2


class Carrier(NamedTuple):
    """A row that selects one column, with the text around the phrase that names the column.

    The request is `before`, then the phrase, then `after`.
    """

    row: Row
    before: str
    after: str


class Alignment(NamedTuple):
    """What training rows show.

    - `names`: the phrases that requests use for each column, other than the column itself.
    - `carriers`: the rows that select one column and whose request has the column or a name for it.
    """

    names: dict[str, frozenset[str]]
    carriers: list[Carrier]


class _Part(NamedTuple):
    """A word or punctuation mark of a request, at the characters `start` to `end`, exclusive."""

    text: str
    start: int
    end: int


class _RequestParse(NamedTuple):
    """A list of phrases in a request that may name the selected columns.

    - `start` and `end`: the list's characters, the end exclusive.
    - `phrases`: one phrase for each selected column, in order.
    - `before` and `after`: the words or punctuation marks next to the list, "" where there is none.
    """

    start: int
    end: int
    phrases: list[str]
    before: str
    after: str


def align(rows: Sequence[Row]) -> Alignment:
    """The phrases of every column.

    A request lists its columns in the order of the SQL, as `a`, `a and b` or `a, b and c`. Where a
    list begins and ends is learned in two steps:

    1. A list of phrases that are known to name the selected columns (the columns themselves, and
       phrases between two separators of a list) shows which words are next to a list.
    2. A request's possible parses are those that lie between two such words. The parse whose
       phrases name their columns in the most rows is chosen; on a tie, the longest.

    A phrase is a name of a column if it names the column in 2 or more of the chosen parses. Raises
    `UserError` if no row shows where its list is.
    """
    known = _certain_names(rows)
    words_before, words_after = _neighbours(rows, known)

    parses = []
    for row in rows:
        possible = []
        for parse in _parses(row):
            if parse.before in words_before and parse.after in words_after:
                possible.append(parse)
        parses.append(possible)
    if not any(parses):
        raise UserError(
            f"grounding/data: none of {len(rows)} training rows shows "
            "which words of its request name its columns; "
            "take more rows, or requests that list the columns in the order of the SQL, "
            "as 'a, b and c'"
        )

    chosen = _choose(rows, parses)
    # Counted in the chosen parses only, unlike the votes in `_choose`.
    counts = Counter[tuple[str, str]]()
    for row, parse in chosen:
        counts.update(_links(row, parse))

    names: dict[str, set[str]] = {}
    for row in rows:
        names |= {column: set() for column in row.table_fields}
    for (column, phrase), count in counts.items():
        if count >= _MIN_ROWS and phrase != column:
            names[column].add(phrase)

    carriers = []
    for row, parse in chosen:
        if len(row.select) == 1:
            column = row.select[0]
            if parse.phrases[0] in {column, *names[column]}:
                before_phrase = row.english_prompt[: parse.start]
                after_phrase = row.english_prompt[parse.end :]
                carriers.append(Carrier(row, before_phrase, after_phrase))
    return Alignment({column: frozenset(phrases) for column, phrases in names.items()}, carriers)


def _links(row: Row, parse: _RequestParse) -> Iterator[tuple[str, str]]:
    """Each selected column with its phrase."""
    return zip(row.select, parse.phrases, strict=True)


def _certain_names(rows: Iterable[Row]) -> dict[str, set[str]]:
    """By selected column, its certain names: itself, and phrases between two separators.

    In `list name, age and city of customers`, `age` lies between the separators `,` and `and`, so
    no other word can be part of the phrase.
    """
    names: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        for column in row.select:
            names[column].add(column)
        if len(row.select) < 3:
            continue
        # The first and the last phrase are bounded by a separator on one side only: on the other
        # side they may end anywhere, so they differ between parses. If all parses agree in their
        # inner phrases, these are certain.
        inner_phrases = {tuple(parse.phrases[1:-1]) for parse in _parses(row)}
        if len(inner_phrases) == 1:
            (certain_phrases,) = inner_phrases
            for column, phrase in zip(row.select[1:-1], certain_phrases, strict=True):
                names[column].add(phrase)
    return names


def _neighbours(rows: Iterable[Row], known: Mapping[str, set[str]]) -> tuple[set[str], set[str]]:
    """The words that come right before lists of known names, and the words that come right after.

    `from` is next to any column, but `phone` in `phone number` is next to few. So a word counts
    only if it is next to many different columns:

        different columns next to it >= max(3, min(known lists next to it, columns) / 5)

    where `columns` is the number of columns that any row selects: at least three columns, and a
    fifth of the columns that could be next to the word.
    """
    # By word, the column that is next to it in each known list.
    before: dict[str, list[str]] = defaultdict(list)
    after: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        for parse in _parses(row):
            if all(phrase in known[column] for column, phrase in _links(row, parse)):
                before[parse.before].append(row.select[0])
                after[parse.after].append(row.select[-1])

    def with_many_columns(columns_by_word: Mapping[str, list[str]]) -> set[str]:
        """The words that are next to enough different columns."""
        words = set()
        for word, columns in columns_by_word.items():
            least = max(_MIN_COLUMNS, min(len(columns), len(known)) / 5)
            if len(set(columns)) >= least:
                words.add(word)
        return words

    return with_many_columns(before), with_many_columns(after)


def _choose(
    rows: Sequence[Row], parses: Sequence[Sequence[_RequestParse]]
) -> list[tuple[Row, _RequestParse]]:
    """The rows that have a parse, each with its best parse.

    A row votes for each pair of a column and a phrase that one of its parses links. The best parse
    is the one whose pairs have the most votes in sum; on a tie, the longest, then the first.
    """
    votes = Counter[tuple[str, str]]()
    for row, possible in zip(rows, parses, strict=True):
        # Once for each pair, however many of the row's parses have it.
        links_of_row: set[tuple[str, str]] = set()
        for parse in possible:
            links_of_row |= set(_links(row, parse))
        votes.update(links_of_row)

    def support(row: Row, parse: _RequestParse) -> tuple[int, int]:
        """The votes for a parse, then its length in characters."""
        return sum(votes[link] for link in _links(row, parse)), parse.end - parse.start

    chosen = []
    for row, possible in zip(rows, parses, strict=True):
        if possible:
            scores = [support(row, parse) for parse in possible]
            best = possible[scores.index(max(scores))]
            chosen.append((row, best))
    return chosen


def _parses(row: Row) -> Iterator[_RequestParse]:
    """Every possible list with as many phrases as the SQL has columns, in order of the request.

    The phrases of a list are separated by commas, the last two by `and`. Take the request `list
    name, age and city of customers.` and SQL that selects three columns. The second phrase is
    `age`. The first phrase begins at `list` or `name`, and the third phrase ends at `city`, `of` or
    `customers`: six parses.
    """
    request = row.english_prompt
    parts = [_Part(part[0], part.start(), part.end()) for part in PART.finditer(request)]

    def text(first: int, last: int) -> str:
        """The text of the request from the part `first` to the part `last`, both included."""
        return request[parts[first].start : parts[last].end]

    for region in _list_regions(parts, len(row.select)):
        separators = region.separators
        # A list without separators is a single phrase, both the first and the last.
        first_phrase_ends = separators[0] if separators else region.end
        for first in range(region.first, first_phrase_ends):
            last_phrase_starts = separators[-1] + 1 if separators else first
            for last in range(last_phrase_starts, region.end):
                bounds = [first - 1, *separators, last + 1]
                phrases = [text(left + 1, right - 1) for left, right in pairwise(bounds)]
                yield _RequestParse(
                    start=parts[first].start,
                    end=parts[last].end,
                    phrases=phrases,
                    before=parts[first - 1].text if first else _EDGE,
                    after=parts[last + 1].text if last + 1 < len(parts) else _EDGE,
                )


class _ListRegion(NamedTuple):
    """The parts of a request among which one list lies, as indices.

    - `first`: the first part that may belong to the list.
    - `separators`: the commas and the `and` between the list's phrases.
    - `end`: the part after the last one that may belong to the list.
    """

    first: int
    separators: list[int]
    end: int


def _list_regions(parts: Sequence[_Part], length: int) -> Iterator[_ListRegion]:
    """The regions for lists of `length` phrases, which have `length` - 1 separators between them.

    Every punctuation mark and every `and` is a border, and so are the request's start and end. A
    list has consecutive borders as its separators (commas, and `and` as the last), and lies between
    the border before them and the border after them. For a list of two phrases in

        In  t  ,  list  a  and  b  .
        0   1  2  3     4  5    6  7

    the borders are -1, 2, 5, 7 and 8. Border 5 is the separator: the list lies between 2 and 7.
    """
    borders = []
    for index, part in enumerate(parts):
        if part.text == "and" or not re.match(r"\w", part.text):
            borders.append(index)
    expected = [","] * (length - 2)
    if length > 1:
        expected.append("and")

    n_separators = len(expected)
    # The request's start and end are also borders.
    all_borders = [-1, *borders, len(parts)]
    for first in range(len(borders) - n_separators + 1):
        before, *separators, after = all_borders[first : first + n_separators + 2]
        if [parts[index].text for index in separators] == expected:
            yield _ListRegion(before + 1, separators, after)
