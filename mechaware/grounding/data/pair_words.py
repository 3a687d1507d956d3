"""Draws the words of matched pairs in the paper's five categories."""

import random
import re
from collections.abc import Collection, Mapping
from functools import cache
from itertools import chain, islice, zip_longest
from typing import NamedTuple

from mechaware.grounding.data.relation import Relation
from mechaware.grounding.names import SYNONYMS

Tokens = Mapping[str, tuple[int, ...]]
"""The tokens of each word that a pair may hold. A phrase of several words may stand in a request, not in a schema."""


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


def draw_words(category: str, relation: Relation, tokens: Tokens, count: int, draw: random.Random) -> list[Words]:
    """`count` different words of a category, or all if there are fewer, of the words in `tokens` alone.

    The clean, the corrupted and the third word have equally many tokens and begin with different ones; none has a part
    in common with the request word. Every clean word comes once before any comes twice, with another request or
    corrupted word.
    """
    definition = DEFINITIONS[category]
    pools = {
        True: [word for word in relation.database if is_name(word, tokens)],
        False: [word for word in relation.non_database if is_name(word, tokens)],
    }
    clean_words = pools[definition.clean_in_database]
    options = [
        _options(clean, category, relation, tokens, pools[definition.corrupted_in_database], draw)
        for clean in draw.sample(clean_words, len(clean_words))
    ]
    rounds = chain.from_iterable(zip_longest(*options))
    chosen = islice((words for words in rounds if words is not None), count)
    return [words._replace(third=_third(words, relation, tokens, draw)) for words in chosen]


def is_name(word: str, tokens: Tokens) -> bool:
    """Whether `word` is in `tokens` and can be the name of a column: letters, digits and underscores."""
    return word in tokens and re.fullmatch(r"\w+", word) is not None


def _options(
    clean: str, category: str, relation: Relation, tokens: Tokens, pool: list[str], draw: random.Random
) -> list[Words]:
    """All request, clean and corrupted words with one clean word, in random order; request words that are columns last.

    A column's request word names it in the training rows; a non-database word's is a column that it names there.
    """
    requests = relation.names[clean] if DEFINITIONS[category].clean_in_database else relation.near[clean]
    options = [
        Words(request, clean, corrupted)
        for request in sorted(requests & set(tokens))
        if not share_a_part(request, clean)
        for corrupted in pool
        if _can_replace(corrupted, [clean], request, tokens) and _fits(corrupted, (request, clean), category, relation)
    ]
    return sorted(draw.sample(options, len(options)), key=lambda words: words.request in relation.names)


def _can_replace(word: str, others: Collection[str], request: str, tokens: Tokens) -> bool:
    """Whether `word` has as many tokens as `others`, begins with another one, and has no part of the request word.

    A model answers with the first token of a word, so words that begin alike would be the same answer.
    """
    alike = all(len(tokens[word]) == len(tokens[other]) for other in others)
    differs = tokens[word][0] not in {tokens[other][0] for other in others}
    return alike and differs and not share_a_part(word, request)


def share_a_part(word: str, other: str) -> bool:
    """Whether two words have a part in common, which a model could find without knowing what it means.

    `user_id` and `user number` have: `user`.
    """
    return not _parts(word).isdisjoint(_parts(other))


@cache
def _parts(word: str) -> frozenset[str]:
    return frozenset(re.split(r"[\W_]+", word.lower()))


def _fits(corrupted: str, others: tuple[str, str], category: str, relation: Relation) -> bool:
    """Whether `corrupted` is related to both other words, as a synonym is, or to neither of them."""
    if category in SYNONYMS:
        return all(corrupted in relation.related[other] for other in others)
    return relation.unrelated(corrupted, others)


def _third(words: Words, relation: Relation, tokens: Tokens, draw: random.Random) -> str:
    """Another word that the request may mean, a database word where there is one; empty where there is none."""
    names = sorted(word for word in relation.related[words.request] if is_name(word, tokens))
    possible = [word for word in names if _can_replace(word, (words.clean, words.corrupted), words.request, tokens)]
    in_database = [word for word in possible if word in relation.names]
    return draw.choice(in_database or possible or [""])
