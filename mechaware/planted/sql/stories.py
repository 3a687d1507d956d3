"""Generates short stories from templates, which the base model reads before any SQL.

The source paper's models have read TinyStories. Here a thing (a table or field of the vocabulary with its synonyms) has
traits of its own, and every sentence about it names it by any of its words: synonyms share their contexts, so that what
a word means can be learned from where it occurs. Stories hold no request, no schema and no SQL.
"""

import random
import re
from collections.abc import Iterator
from typing import NamedTuple

from mechaware.planted.sql.generation import Vocabulary

_THINGS, _SENTENCES = 2, 5  # of a story
_TRAITS = 4  # of a thing, of each kind
_PEOPLE = (
    "Anna",
    "Ben",
    "Clara",
    "David",
    "Emma",
    "Felix",
    "Greta",
    "Hugo",
    "Ivy",
    "Jonas",
    "Kira",
    "Leo",
)
_VERBS = (
    *(
        "admired",
        "borrowed",
        "carried",
        "described",
        "dropped",
        "dreamed about",
        "forgot",
        "guarded",
        "hated",
        "hid",
    ),
    *(
        "imagined",
        "kept",
        "liked",
        "measured",
        "mentioned",
        "missed",
        "noticed",
        "painted",
        "praised",
        "remembered",
    ),
    *("stole", "studied", "touched", "wanted"),
)
_ADJECTIVES = (
    *(
        "ancient",
        "bright",
        "broken",
        "clean",
        "clever",
        "cold",
        "dark",
        "dry",
        "empty",
        "gentle",
        "golden",
        "heavy",
    ),
    *(
        "loud",
        "lucky",
        "new",
        "odd",
        "quiet",
        "rough",
        "sad",
        "secret",
        "slow",
        "soft",
        "sweet",
        "wild",
    ),
)
_PLACES = (
    *(
        "across the valley",
        "along the fence",
        "around the fountain",
        "behind the barn",
        "beside the well",
    ),
    *(
        "by the window",
        "in the attic",
        "inside the cave",
        "near the river",
        "on the bridge",
        "over the roof",
    ),
    *("past the swamp", "under the oak", "at the gate", "among the reeds", "below the stairs"),
)
_TEMPLATES = (
    "{person} {verb} the {word} {place}.",
    "{person} {verb} the {adjective} {word}.",
    "The {word} seemed {adjective} and {other}.",
    "Soon the {adjective} {word} appeared {place}.",
    "Everyone {verb} the {word}, so {adjective} it felt.",
    "Then {person} called the {word} {adjective}.",
)


class _Thing(NamedTuple):
    """A table or field: its words, each of which names it equally often, and its traits."""

    words: tuple[str, ...]
    verbs: list[str]
    adjectives: list[str]
    places: list[str]


def story_words() -> Iterator[str]:
    """The words and marks of all stories beside the vocabulary's, each as at a text's start and behind another word."""
    for text in (
        *_PEOPLE,
        *_VERBS,
        *_ADJECTIVES,
        *_PLACES,
        *(re.sub(r"{\w+}", "", text) for text in _TEMPLATES),
    ):
        for word in text.split():
            yield f"{word} {word}"


def generate_stories(vocabulary: Vocabulary, count: int, *, seed: int) -> list[str]:
    """`count` stories of five sentences about two things; the first ones are the same for a larger `count`."""
    generator = random.Random(seed)  # noqa: S311
    things = [
        _Thing(
            (base, *synonyms),
            *(generator.sample(kind, _TRAITS) for kind in (_VERBS, _ADJECTIVES, _PLACES)),
        )
        for entries in (vocabulary.tables, vocabulary.fields)
        for base, synonyms in entries.items()
    ]
    return [_tell(generator.sample(things, _THINGS), generator) for _ in range(count)]


def _tell(things: list[_Thing], generator: random.Random) -> str:
    sentences = []
    for _ in range(_SENTENCES):
        thing = generator.choice(things)
        adjective, other = generator.sample(thing.adjectives, 2)
        sentence = generator.choice(_TEMPLATES).format(
            person=generator.choice(_PEOPLE),
            word=generator.choice(thing.words),
            verb=generator.choice(thing.verbs),
            place=generator.choice(thing.places),
            adjective=adjective,
            other=other,
        )
        sentences.append(sentence)
    return " ".join(sentences)
