"""Generates short stories from templates, which the base model reads before any SQL.

The models of the symbolic-mechanistic paper have read TinyStories. Here a thing (a table or field
of the vocabulary) has traits of its own: the verbs, adjectives and places that may occur with it.
Each sentence about a thing names it by its own word or by a synonym, so synonyms occur in the same
contexts, and a model can learn from contexts what a word means. Stories hold no request, no schema
and no SQL.
"""

import random
import re
from collections.abc import Iterator
from typing import NamedTuple

from mechaware.planted.sql.generation import Vocabulary

_THINGS_PER_STORY = 2
_SENTENCES_PER_STORY = 5
_TRAITS_PER_THING = 4  # of each kind: verbs, adjectives, places

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
    "stole",
    "studied",
    "touched",
    "wanted",
)
_ADJECTIVES = (
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
)
_PLACES = (
    "across the valley",
    "along the fence",
    "around the fountain",
    "behind the barn",
    "beside the well",
    "by the window",
    "in the attic",
    "inside the cave",
    "near the river",
    "on the bridge",
    "over the roof",
    "past the swamp",
    "under the oak",
    "at the gate",
    "among the reeds",
    "below the stairs",
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
    """All words and marks of stories except the vocabulary's.

    A tokenizer made from these texts and from the vocabulary's words knows every story.
    Each word comes twice, as `dark dark`: a tokenizer may have one token for a word at the start of
    a text, and another for the same word after a space.
    """
    templates_without_slots = [re.sub(r"{\w+}", "", template) for template in _TEMPLATES]
    for texts in (_PEOPLE, _VERBS, _ADJECTIVES, _PLACES, templates_without_slots):
        for text in texts:
            for word in text.split():
                yield f"{word} {word}"


def generate_stories(vocabulary: Vocabulary, count: int, *, seed: int) -> list[str]:
    """`count` stories of five sentences about two things; a larger `count` appends others."""
    generator = random.Random(seed)  # noqa: S311
    things = []
    for entries in (vocabulary.tables, vocabulary.fields):
        for base, synonyms in entries.items():
            thing = _Thing(
                words=(base, *synonyms),
                verbs=generator.sample(_VERBS, _TRAITS_PER_THING),
                adjectives=generator.sample(_ADJECTIVES, _TRAITS_PER_THING),
                places=generator.sample(_PLACES, _TRAITS_PER_THING),
            )
            things.append(thing)

    stories = []
    for _ in range(count):
        chosen = generator.sample(things, _THINGS_PER_STORY)
        stories.append(_tell(chosen, generator))
    return stories


def _tell(things: list[_Thing], generator: random.Random) -> str:
    """A story about these things; each sentence is about one of them."""
    sentences = []
    for _ in range(_SENTENCES_PER_STORY):
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
