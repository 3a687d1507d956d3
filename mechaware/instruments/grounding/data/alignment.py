"""Learns from training rows which phrase of a request names which column, and which words are thereby related."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from mechaware.core.errors import UserError
from mechaware.instruments.grounding.data.rows import Row

PART = re.compile(r"\w+(?:['-]\w+)*|[^\w\s]")  # a word, or a punctuation mark
_EDGE = ""  # the neighbour of a list at the start or at the end of a request
_MIN_COLUMNS_BESIDE = 3  # a word borders a list only if it is next to so many different columns
# A phrase names a column only if it does so in at least so many rows: one row may be misaligned.
_MIN_ROWS = 2


class Carrier(NamedTuple):
    """A row that selects one column; `before` and `after` are the request around the phrase that names the column."""

    row: Row
    before: str
    after: str


class Alignment(NamedTuple):
    """What training rows show: `names` are the request phrases of each column, other than the column itself."""

    names: dict[str, frozenset[str]]
    carriers: list[Carrier]


class _Part(NamedTuple):
    """A word or punctuation mark of a request, at the characters `start` to `end`."""

    text: str
    start: int
    end: int


class _RequestParse(NamedTuple):
    """A possible place of the list in a request: its characters, its phrases, and the words before and after it."""

    start: int
    end: int
    phrases: list[str]
    before: str
    after: str


def align(rows: Sequence[Row]) -> Alignment:
    """The phrases of every column: the request lists them in the order of the SQL, as `a`, `a and b` or `a, b and c`.

    Where a list begins and ends is learned in two steps. First, a list of phrases that are known to name the selected
    columns (the columns themselves, and phrases between two separators of a list) shows which words are next to a list.
    Second, every request has parses between two such words. The parse whose phrases name their columns in the most rows
    is taken; on a tie, the longest. A phrase is a name of a column if it names the column in 2 or more rows. Raises
    `UserError` if no row shows where its list is.
    """
    known = _certain_names(rows)
    before, after = _neighbours(rows, known)
    parses = []
    for row in rows:
        possible = []
        for parse in _parses(row):
            if parse.before in before and parse.after in after:
                possible.append(parse)
        parses.append(possible)
    if not any(parses):
        raise UserError(
            f"grounding/data: none of {len(rows)} training rows shows which words of its request name its columns; "
            "take more rows, or requests that list the columns in the order of the SQL, as 'a, b and c'"
        )

    chosen = _choose(rows, parses)
    # Counted over only the chosen parses: the votes in `_choose` count every possible parse of a row.
    counts = Counter[tuple[str, str]]()
    names: dict[str, set[str]] = {}
    for row in rows:
        names |= {column: set() for column in row.table_fields}
    for row, parse in chosen:
        counts.update(_links(row, parse))
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
    """By column, itself and the phrases between two separators that name it: no other word can be part of these."""
    names: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        for column in row.select:
            names[column].add(column)
        if len(row.select) < 3:
            continue
        # The first and the last phrase have no separator on their outer side, where other words may join them.
        inner = {tuple(parse.phrases[1:-1]) for parse in _parses(row)}
        if len(inner) == 1:
            for column, phrase in zip(row.select[1:-1], inner.pop(), strict=True):
                names[column].add(phrase)
    return names


def _neighbours(rows: Iterable[Row], known: Mapping[str, set[str]]) -> tuple[set[str], set[str]]:
    """The words that come right before lists of known names, and the words that come right after them.

    `from` is next to any column, but `phone` in `phone number` next to few. So a word must be next to 3 different
    columns at least, and to a fifth as many as the rows in which it is next to a list, or as all columns if these are
    fewer.
    """
    before: dict[str, list[str]] = defaultdict(list)
    after: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        for parse in _parses(row):
            if all(phrase in known[column] for column, phrase in _links(row, parse)):
                before[parse.before].append(row.select[0])
                after[parse.after].append(row.select[-1])

    def frequent(columns_next_to: Mapping[str, list[str]]) -> set[str]:
        words = set()
        for word, columns in columns_next_to.items():
            least = max(_MIN_COLUMNS_BESIDE, min(len(columns), len(known)) / 5)
            if len(set(columns)) >= least:
                words.add(word)
        return words

    return frequent(before), frequent(after)


def _choose(
    rows: Sequence[Row], parses: Sequence[Sequence[_RequestParse]]
) -> list[tuple[Row, _RequestParse]]:
    """The rows that have a parse, each with its best parse: the one whose phrases name their columns in the most rows.

    On a tie the longest parse is the best.
    """
    votes = Counter[tuple[str, str]]()
    for row, possible in zip(rows, parses, strict=True):
        # Every row votes once for a phrase of a column, however many of its parses have it.
        of_row: set[tuple[str, str]] = set()
        for parse in possible:
            of_row |= set(_links(row, parse))
        votes.update(of_row)

    def support(row: Row, parse: _RequestParse) -> tuple[int, int]:
        return sum(votes[link] for link in _links(row, parse)), parse.end - parse.start

    chosen = []
    for row, possible in zip(rows, parses, strict=True):
        if possible:
            scores = [support(row, parse) for parse in possible]
            best = possible[scores.index(max(scores))]
            chosen.append((row, best))
    return chosen


def _parses(row: Row) -> Iterator[_RequestParse]:
    """Every place of a list with as many phrases as the SQL has columns; `and` precedes the last, commas the others.

    Take `list name, age and city of customers.` and SQL of three columns. The second phrase is `age`. The first phrase
    begins at `list` or `name`, and the third phrase ends at `city`, `of` or `customers`: six parses.
    """
    request = row.english_prompt
    parts = [_Part(part[0], part.start(), part.end()) for part in PART.finditer(request)]

    def text(first: int, last: int) -> str:
        """The request from a part to another one, both included."""
        return request[parts[first].start : parts[last].end]

    for place in _lists(parts, len(row.select)):
        separators = place.separators
        inner = [text(left + 1, right - 1) for left, right in pairwise(separators)]
        first_phrase_ends = separators[0] if separators else place.end
        for first in range(place.first, first_phrase_ends):
            last_phrase_starts = separators[-1] + 1 if separators else first
            for last in range(last_phrase_starts, place.end):
                if separators:
                    first_phrase = text(first, separators[0] - 1)
                    phrases = [first_phrase, *inner, text(last_phrase_starts, last)]
                else:
                    phrases = [text(first, last)]
                yield _RequestParse(
                    parts[first].start,
                    parts[last].end,
                    phrases,
                    before=parts[first - 1].text if first else _EDGE,
                    after=parts[last + 1].text if last + 1 < len(parts) else _EDGE,
                )


class _ListPlace(NamedTuple):
    """Where a list may be, as indices of parts: its first possible part, its separators, and its end, exclusive."""

    first: int
    separators: list[int]
    end: int


def _lists(parts: Sequence[_Part], length: int) -> Iterator[_ListPlace]:
    """The places of `length` - 1 separators in a row. Any other `and` or punctuation mark ends the list.

    The parts of `In t, list a and b.` are `In` 0, `t` 1, `,` 2, `list` 3, `a` 4, `and` 5, `b` 6 and `.` 7, with the
    borders 2, 5 and 7. A list of two columns has the separator 5: it begins after the border 2, at 3, and ends at 7.
    """
    borders = []
    for index, part in enumerate(parts):
        if part.text == "and" or not re.match(r"\w", part.text):
            borders.append(index)
    expected = [","] * (length - 2)
    if length > 1:
        expected.append("and")

    n_separators = len(expected)
    ends = [-1, *borders, len(parts)]  # a text has a border at either end, too
    for number in range(len(borders) - n_separators + 1):
        before, *separators, after = ends[number : number + n_separators + 2]
        if [parts[index].text for index in separators] == expected:
            yield _ListPlace(before + 1, separators, after)


class Relation(NamedTuple):
    """Words linked by requests: a column and each word that names it are neighbours.

    - `names`: the request words of each column.
    - `database`: the columns of the training rows, in alphabetical order.
    - `non_database`: the words that name a column and never are one, in alphabetical order.
    - `near`: the neighbours of each word.
    - `siblings`: the words that name a column which the word also names.
    - `related`: the neighbours and all of their neighbours, without the word itself. They need not mean the same:
      `state` may be asked for as `province`, and `status` as `state`.
    """

    names: Mapping[str, frozenset[str]]
    database: list[str]
    non_database: list[str]
    near: dict[str, frozenset[str]]
    siblings: dict[str, frozenset[str]]
    related: dict[str, frozenset[str]]

    def unrelated(self, word: str, others: Iterable[str]) -> bool:
        """Whether `word` is none of `others` and related to none of them."""
        return not any(word == other or word in self.related[other] for other in others)


def relate(names: Mapping[str, frozenset[str]]) -> Relation:
    """The relation in which `names` are the request words of each column."""
    near: dict[str, set[str]] = {}
    siblings: dict[str, set[str]] = {}
    for column, words in names.items():
        for word in (column, *words):
            near.setdefault(word, set())
            siblings.setdefault(word, set())
        near[column] |= words
        for word in words:
            near[word].add(column)
            siblings[word] |= words - {word}

    related = {}
    for word, neighbours in near.items():
        of_neighbours = [near[neighbour] for neighbour in neighbours]
        related[word] = frozenset(neighbours.union(*of_neighbours) - {word})

    return Relation(
        names,
        database=sorted(names),
        non_database=sorted(near.keys() - names.keys()),
        near={word: frozenset(neighbours) for word, neighbours in near.items()},
        siblings={word: frozenset(others) for word, others in siblings.items()},
        related=related,
    )
