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
_MIN_COLUMNS_BESIDE = 3  # a word borders a list only if it stands beside so many different columns
# A phrase names a column only if it does so in at least so many rows: one row may be misaligned.
_MIN_ROWS = 2


class Carrier(NamedTuple):
    """A row that selects one column; `before` and `after` are the request around the phrase that names the column."""

    row: Row
    before: str
    after: str


class _Alignment(NamedTuple):
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


def align(rows: Sequence[Row]) -> _Alignment:
    """The phrases of every column: the request lists them in the order of the SQL, as `a`, `a and b` or `a, b and c`.

    Where a list begins and ends is learned in two steps. First, a list of phrases that are known to name the selected
    columns (their own names, and those between two separators of a list) shows which words stand beside a list. Second,
    every request has one or more parses between two such words. The parse whose phrases name their columns in the
    most rows is taken; on a tie, the longest. A phrase is a name of a column if it names the column in 2 or more rows.
    Raises `UserError` if no row shows where its list is.
    """
    known = _certain_names(rows)
    before, after = _neighbours(rows, known)
    parses = [
        [parse for parse in _parses(row) if parse.before in before and parse.after in after]
        for row in rows
    ]
    if not any(parses):
        raise UserError(
            f"grounding/data: none of {len(rows)} training rows shows which words of its request name its columns; "
            "take more rows, or requests that list the columns in the order of the SQL, as 'a, b and c'"
        )
    chosen = [(row, parse) for row, parse in zip(rows, _choose(rows, parses), strict=True) if parse]
    # Counted over the chosen parses alone: the votes in `_choose` count every possible parse of a row.
    counts = Counter(link for row, parse in chosen for link in _links(row, parse))
    names: dict[str, set[str]] = {column: set() for row in rows for column in row.table_fields}
    for (column, phrase), count in counts.items():
        if count >= _MIN_ROWS and phrase != column:
            names[column].add(phrase)
    carriers = [
        Carrier(row, row.english_prompt[: parse.start], row.english_prompt[parse.end :])
        for row, parse in chosen
        if len(row.select) == 1 and parse.phrases[0] in {row.select[0], *names[row.select[0]]}
    ]
    return _Alignment({column: frozenset(phrases) for column, phrases in names.items()}, carriers)


def _links(row: Row, parse: _RequestParse) -> Iterator[tuple[str, str]]:
    """Each selected column with its phrase."""
    return zip(row.select, parse.phrases, strict=True)


def _certain_names(rows: Iterable[Row]) -> dict[str, set[str]]:
    """Each column with itself and the phrases that name it between two separators, which no other word borders."""
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
    """The words that stand before, and those that stand after, lists of known names.

    `from` stands beside any column, but `phone` in `phone number` beside few: a word needs 3 different columns, and one
    for every five rows or columns.
    """
    before: dict[str, list[str]] = defaultdict(list)
    after: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        for parse in _parses(row):
            if all(phrase in known[column] for column, phrase in _links(row, parse)):
                before[parse.before].append(row.select[0])
                after[parse.after].append(row.select[-1])

    def frequent(beside: Mapping[str, list[str]]) -> set[str]:
        least = {
            word: max(_MIN_COLUMNS_BESIDE, min(len(columns), len(known)) / 5)
            for word, columns in beside.items()
        }
        return {word for word, columns in beside.items() if len(set(columns)) >= least[word]}

    return frequent(before), frequent(after)


def _choose(
    rows: Sequence[Row], parses: Sequence[Sequence[_RequestParse]]
) -> list[_RequestParse | None]:
    """The parse of each row whose phrases name their columns in the most rows; None without one."""
    votes = Counter(
        link
        for row, possible in zip(rows, parses, strict=True)
        for link in {link for parse in possible for link in _links(row, parse)}
    )

    # On a tie of the votes the longest parse wins.
    def support(row: Row, parse: _RequestParse) -> tuple[int, int]:
        return sum(votes[link] for link in _links(row, parse)), parse.end - parse.start

    return [
        max(possible, key=lambda parse: support(row, parse), default=None)
        for row, possible in zip(rows, parses, strict=True)
    ]


def _parses(row: Row) -> Iterator[_RequestParse]:
    """Every place of a list with as many phrases as the SQL has columns; `and` precedes the last, commas the others."""
    request, length = row.english_prompt, len(row.select)
    parts = [_Part(part[0], part.start(), part.end()) for part in PART.finditer(request)]
    for low, separators, high in _lists(parts, length):
        inner = [
            request[parts[left].end : parts[right].start].strip()
            for left, right in pairwise(separators)
        ]
        for first in range(low, separators[0] if separators else high):
            for last in range(separators[-1] + 1 if separators else first, high):
                start, end = parts[first].start, parts[last].end
                outer = [request[start:end]]
                if separators:
                    outer = [
                        request[start : parts[separators[0]].start],
                        request[parts[separators[-1]].end : end],
                    ]
                phrases = [outer[0].strip(), *inner, *(phrase.strip() for phrase in outer[1:])]
                yield _RequestParse(
                    start,
                    end,
                    phrases,
                    parts[first - 1].text if first else _EDGE,
                    parts[last + 1].text if last + 1 < len(parts) else _EDGE,
                )


def _lists(parts: Sequence[_Part], length: int) -> Iterator[tuple[int, list[int], int]]:
    """The places of `length` - 1 separators: the first part that the list can have, its separators, the last part + 1.

    Any other `and` or punctuation mark ends the list.
    """
    borders = [
        index
        for index, part in enumerate(parts)
        if part.text == "and" or not re.match(r"\w", part.text)
    ]
    expected = [","] * (length - 2) + ["and"] * (length > 1)
    for first in range(len(borders) - len(expected) + 1):
        separators = borders[first : first + len(expected)]
        if [parts[index].text for index in separators] == expected:
            ends = [-1, *borders, len(parts)]
            yield ends[first] + 1, separators, ends[first + len(expected) + 1]


class Relation(NamedTuple):
    """Words linked by requests: a column and each word that names it are neighbours.

    A database word is a column of the training rows; a non-database word names a column and never is one. Both stand in
    alphabetical order. `near` are a word's neighbours, `siblings` the words that name a column which it names, too.
    `related` are the neighbours and all of theirs, without the word itself. Of these not all mean the same: `state` may
    be asked for as `province`, and `status` as `state`.
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
    near: dict[str, set[str]] = {
        word: set() for column in names for word in (column, *names[column])
    }
    siblings: dict[str, set[str]] = {word: set() for word in near}
    for column, words in names.items():
        near[column] |= words
        for word in words:
            near[word].add(column)
            siblings[word] |= words - {word}
    related = {
        word: frozenset(neighbours.union(*(near[neighbour] for neighbour in neighbours)) - {word})
        for word, neighbours in near.items()
    }
    return Relation(
        names,
        sorted(names),
        sorted(set(near) - set(names)),
        {word: frozenset(neighbours) for word, neighbours in near.items()},
        {word: frozenset(others) for word, others in siblings.items()},
        related,
    )
