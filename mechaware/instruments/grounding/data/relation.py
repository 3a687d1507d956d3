"""Relates words through the columns that they name in requests: words up to two names apart."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple


class Relation(NamedTuple):
    """Words linked by requests: a column and each request word that names it are neighbours.

    - `names`: the request words of each column.
    - `database`: the columns of the training rows, in alphabetical order.
    - `non_database`: the words that name a column and never are one, in alphabetical order.
    - `near`: the neighbours of each word.
    - `siblings`: the words that name a column which the word also names.
    - `related`: the neighbours and all of their neighbours, without the word itself. Related words
      need not mean the same: `province` may ask for `state`, and `state` for `status`; then
      `province` and `status` are related.
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
        two_steps_away = [near[neighbour] for neighbour in neighbours]
        related[word] = frozenset(neighbours.union(*two_steps_away) - {word})

    return Relation(
        names,
        database=sorted(names),
        non_database=sorted(near.keys() - names.keys()),
        near={word: frozenset(neighbours) for word, neighbours in near.items()},
        siblings={word: frozenset(others) for word, others in siblings.items()},
        related=related,
    )
