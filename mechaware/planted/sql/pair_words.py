"""Draws the words of matched pairs: a request word, its column, and the word that replaces it.

What a request may mean follows from the training rows (`Relation`). A request word names a column
there if it asks for that column. A column and the words that name it are `near` one another; words
that name the same column are `siblings`.
"""

import random
import re
from collections.abc import Collection, Mapping
from functools import cache
from itertools import chain, zip_longest
from typing import NamedTuple

from mechaware.instruments.grounding.data.relation import Relation
from mechaware.instruments.grounding.names import SYNONYMS

Tokens = Mapping[str, tuple[int, ...]]
"""The token ids of each word.

A word may be a phrase of several words, which can be in a request, but not in a schema.
"""


class PairWords(NamedTuple):
    """The words of a pair.

    - `request`: the word of the request.
    - `clean`: the column of the clean schema that the request asks for.
    - `corrupted`: the word that replaces it in the corrupted schema.
    - `third`: another column that the request may mean; "" if there is none.
    """

    request: str
    clean: str
    corrupted: str
    third: str = ""


class Category(NamedTuple):
    """What the words of a category must be.

    In the categories `SYNONYMS` the clean and the corrupted word are related, in the others not.

    - `clean_in_database`, `corrupted_in_database`: whether the word is a column of the training
      rows.
    - `needs`: what the training rows must have, for a message.
    """

    clean_in_database: bool
    corrupted_in_database: bool
    needs: str


DEFINITIONS = {
    "db_synonyms": Category(
        clean_in_database=True,
        corrupted_in_database=True,
        needs="requests that name two columns by one word",
    ),
    "db_scramble": Category(
        clean_in_database=True,
        corrupted_in_database=True,
        needs="requests that name columns by other words, and unrelated columns",
    ),
    "non_db_synonyms": Category(
        clean_in_database=False,
        corrupted_in_database=False,
        needs="columns that requests name by two words which are no columns",
    ),
    "non_db_scramble": Category(
        clean_in_database=False,
        corrupted_in_database=False,
        needs="columns that requests name by words which are no columns",
    ),
    "super_scramble": Category(
        clean_in_database=True,
        corrupted_in_database=False,
        needs="columns that requests name by two words, of which one is no column",
    ),
}


def draw_words(
    category: str, relation: Relation, tokens: Tokens, count: int, generator: random.Random
) -> list[PairWords]:
    """`count` different word sets of a category, or all of them if there are fewer.

    The words are in `tokens`. The clean, the corrupted and the third word have equally many tokens
    and begin with different ones; none shares a part with the request word. Every clean word comes
    once before any comes again, with another request word or corrupted word. Synonyms whose
    corrupted word is near the request word in the training rows come first.
    """
    definition = DEFINITIONS[category]
    columns = [word for word in relation.database if _can_be_column(word, tokens)]
    other_words = [word for word in relation.non_database if _can_be_column(word, tokens)]
    clean_words = columns if definition.clean_in_database else other_words
    corrupted_words = columns if definition.corrupted_in_database else other_words

    options_by_clean_word = []
    for clean in generator.sample(clean_words, len(clean_words)):
        options = _options(clean, category, relation, tokens, corrupted_words, generator)
        options_by_clean_word.append(options)

    # The first option of every clean word, then the second ones: [[a1, a2], [b1]] becomes
    # [a1, b1, a2].
    rounds = chain.from_iterable(zip_longest(*options_by_clean_word))
    in_order = [words for words in rounds if words is not None]
    if category in SYNONYMS:
        in_order.sort(key=lambda words: words.corrupted not in relation.near[words.request])

    drawn = []
    for words in in_order[:count]:
        third = _draw_third(words, relation, tokens, generator)
        drawn.append(words._replace(third=third))
    return drawn


def _can_be_column(word: str, tokens: Tokens) -> bool:
    """Whether `word` is in `tokens` and has a column's form: letters, digits and underscores."""
    return word in tokens and re.fullmatch(r"\w+", word) is not None


def _options(
    clean: str,
    category: str,
    relation: Relation,
    tokens: Tokens,
    corrupted_words: list[str],
    generator: random.Random,
) -> list[PairWords]:
    """All word sets with one clean word, in random order, without third words.

    Those whose request word is also a column come last. A database word is a column: its request
    words are the words that name it in the training rows. The request words of a non-database word
    are the columns that it names there.
    """
    in_database = DEFINITIONS[category].clean_in_database
    requests = relation.names[clean] if in_database else relation.near[clean]

    options = []
    for request in sorted(requests & set(tokens)):
        if share_a_part(request, clean):
            continue
        for corrupted in corrupted_words:
            can_replace = _can_replace(corrupted, [clean], request, tokens)
            if can_replace and _fits(corrupted, request, clean, category, relation):
                options.append(PairWords(request, clean, corrupted))

    in_random_order = generator.sample(options, len(options))
    return sorted(in_random_order, key=lambda words: words.request in relation.names)


def _can_replace(word: str, others: Collection[str], request: str, tokens: Tokens) -> bool:
    """Whether `word` can be in a schema in place of one of `others`, the answers so far.

    It has as many tokens as each of them, begins with a different token, and shares no part with
    the request word. A model answers with the first token of a word, so words that begin alike
    would be the same answer.
    """
    same_length = all(len(tokens[word]) == len(tokens[other]) for other in others)
    begins_differently = tokens[word][0] not in {tokens[other][0] for other in others}
    return same_length and begins_differently and not share_a_part(word, request)


def share_a_part(word: str, other: str) -> bool:
    """Whether two words have a part in common: `user_id` and `user number` share `user`.

    By a common part a model could match them without knowing their meaning.
    """
    return not _parts(word).isdisjoint(_parts(other))


@cache
def _parts(word: str) -> frozenset[str]:
    """The lower-case words of a column or phrase: `user_id` has `user` and `id`."""
    return frozenset(re.split(r"[\W_]+", word.lower()))


def _fits(corrupted: str, request: str, clean: str, category: str, relation: Relation) -> bool:
    """Whether the corrupted word suits the category.

    As a synonym it is another word that the request may mean, and related to the clean word.
    Otherwise it is related to neither the request word nor the clean word.
    """
    if category in SYNONYMS:
        meant = relation.near[request] | relation.siblings[request]
        return corrupted in meant and corrupted in relation.related[clean]
    return relation.unrelated(corrupted, (request, clean))


def _draw_third(
    words: PairWords, relation: Relation, tokens: Tokens, generator: random.Random
) -> str:
    """A random column that the request may mean, other than the clean and the corrupted word.

    It is near the request word if there is such a column, otherwise a sibling of the request word;
    "" if there is neither.
    """
    for meant in (relation.near[words.request], relation.siblings[words.request]):
        possible = []
        for word in sorted(meant & relation.names.keys()):
            if not _can_be_column(word, tokens):
                continue
            if _can_replace(word, (words.clean, words.corrupted), words.request, tokens):
                possible.append(word)
        if possible:
            return generator.choice(possible)
    return ""
