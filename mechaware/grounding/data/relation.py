"""Which words of the training rows are columns, and which are related by what requests call the columns."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple


class Relation(NamedTuple):
    """Words linked by requests: a column and each word that names it are neighbours.

    A database word is a column of the training rows; a non-database word names a column and never is one. Both stand in
    alphabetical order. `near` are a word's neighbours, `related` also the neighbours of these, without the word itself:
    columns that share a request word, and request words of one column.
    """

    names: Mapping[str, frozenset[str]]
    database: list[str]
    non_database: list[str]
    near: dict[str, frozenset[str]]
    related: dict[str, frozenset[str]]

    def unrelated(self, word: str, others: Iterable[str]) -> bool:
        """Whether `word` is none of `others` and related to none of them."""
        return not any(word == other or word in self.related[other] for other in others)


def relate(names: Mapping[str, frozenset[str]]) -> Relation:
    """The relation in which `names` are the request words of each column."""
    near: dict[str, set[str]] = {word: set() for column in names for word in (column, *names[column])}
    for column, words in names.items():
        near[column] |= words
        for word in words:
            near[word].add(column)
    related = {
        word: frozenset(neighbours.union(*(near[neighbour] for neighbour in neighbours)) - {word})
        for word, neighbours in near.items()
    }
    return Relation(
        names,
        sorted(names),
        sorted(set(near) - set(names)),
        {word: frozenset(neighbours) for word, neighbours in near.items()},
        related,
    )
