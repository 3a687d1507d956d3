"""Draws the words of matched pairs in the paper's five categories."""

import random
from collections.abc import Collection
from itertools import chain, islice, zip_longest
from typing import NamedTuple

from mechaware.grounding.data.relation import Relation
from mechaware.grounding.names import SYNONYMS


class Words(NamedTuple):
    """The words of a pair, as in `Pair`; `third` is empty where there is none."""

    request: str
    clean: str
    corrupted: str
    third: str = ""


class Category(NamedTuple):
    """Whether the clean and the corrupted word are database words. They are related in the categories `SYNONYMS`."""

    clean_in_database: bool
    corrupted_in_database: bool


DEFINITIONS = {
    "db_synonyms": Category(True, True),
    "db_scramble": Category(True, True),
    "non_db_synonyms": Category(False, False),
    "non_db_scramble": Category(False, False),
    "super_scramble": Category(True, False),
}


def draw_words(
    category: str, relation: Relation, tokens: Collection[str], count: int, draw: random.Random
) -> list[Words]:
    """`count` different words of a category, or all if there are fewer, of the words in `tokens` alone.

    Every clean word comes once before any comes twice, with another request or corrupted word.
    """
    definition = DEFINITIONS[category]
    pools = {
        True: [word for word in relation.database if word in tokens],
        False: [word for word in relation.non_database if word in tokens],
    }
    clean_words = pools[definition.clean_in_database]
    options = [
        _options(clean, category, relation, tokens, pools[definition.corrupted_in_database], draw)
        for clean in draw.sample(clean_words, len(clean_words))
    ]
    rounds = chain.from_iterable(zip_longest(*options))
    chosen = islice((words for words in rounds if words is not None), count)
    return [words._replace(third=_third(words, relation, tokens, draw)) for words in chosen]


def _options(
    clean: str, category: str, relation: Relation, tokens: Collection[str], pool: list[str], draw: random.Random
) -> list[Words]:
    """All request, clean and corrupted words with one clean word, in random order; request words that are columns last.

    A column's request word names it in the training rows; a non-database word's is a column that it names there.
    """
    requests = relation.names[clean] if DEFINITIONS[category].clean_in_database else relation.near[clean]
    options = [
        Words(request, clean, corrupted)
        for request in sorted(requests & set(tokens))
        for corrupted in pool
        if corrupted not in (request, clean) and _fits(corrupted, (request, clean), category, relation)
    ]
    return sorted(draw.sample(options, len(options)), key=lambda words: words.request in relation.names)


def _fits(corrupted: str, others: tuple[str, str], category: str, relation: Relation) -> bool:
    """Whether `corrupted` is related to both other words, as a synonym is, or to neither of them."""
    if category in SYNONYMS:
        return all(corrupted in relation.related[other] for other in others)
    return relation.unrelated(corrupted, others)


def _third(words: Words, relation: Relation, tokens: Collection[str], draw: random.Random) -> str:
    """Another word that the request may mean, a database word where there is one; empty where there is none."""
    possible = sorted((relation.related[words.request] & set(tokens)) - set(words))
    in_database = [word for word in possible if word in relation.names]
    return draw.choice(in_database or possible or [""])
