"""A made-up world: names, a place for each name, and words that ask for a fact or for a rule."""

import random
from collections.abc import Mapping
from typing import NamedTuple

KINDS = ("recall", "reasoning")
SLOTS = 4
RULE_SLOT = 2  # the rule's answer, counted from 0: the third name
WORDS_PER_KIND = 16
PLACES = 32
SPARE_NAMES = 16
_CONSONANTS, _VOWELS, _ENDINGS = "bdfgklmnprstvz", "aeiou", "nrslt"


class World(NamedTuple):
    """What all texts are made of.

    `home`: the place of each name, a fact that no rule gives. `spare`: names that no question has. `fitting` and
    `testing`: operation words by kind. The words of items are `testing`; a classifier of kinds is fitted on prompts
    with `fitting` words, since it reads the word itself.
    """

    home: Mapping[str, str]
    spare: tuple[str, ...]
    fitting: Mapping[str, tuple[str, ...]]
    testing: Mapping[str, tuple[str, ...]]

    @property
    def names(self) -> tuple[str, ...]:
        """All names, in the order in which they were drawn."""
        return tuple(self.home)

    def words(self, kind: str) -> tuple[str, ...]:
        """All operation words of a kind."""
        return (*self.fitting[kind], *self.testing[kind])


def draw_world(names: int, generator: random.Random) -> World:
    """A world of so many names; all its words differ."""
    used: set[str] = set()
    people = [_word(2, used, generator).capitalize() for _ in range(names)]
    places = [_word(2, used, generator).capitalize() for _ in range(PLACES)]
    spare = [_word(2, used, generator).capitalize() for _ in range(SPARE_NAMES)]
    words = {kind: [_word(1, used, generator) for _ in range(WORDS_PER_KIND)] for kind in KINDS}
    half = WORDS_PER_KIND // 2
    return World(
        home={name: generator.choice(places) for name in people},
        spare=tuple(spare),
        fitting={kind: tuple(words[kind][:half]) for kind in KINDS},
        testing={kind: tuple(words[kind][half:]) for kind in KINDS},
    )


def answer_of(world: World, kind: str, slots: tuple[str, ...]) -> str:
    """What a question asks for: the place of the first name (recall), or the third name (reasoning)."""
    return world.home[slots[0]] if kind == "recall" else slots[RULE_SLOT]


def _word(syllables: int, used: set[str], generator: random.Random) -> str:
    """A pronounceable word that was not drawn before."""
    while True:
        word = "".join(generator.choice(_CONSONANTS) + generator.choice(_VOWELS) for _ in range(syllables))
        word += generator.choice(_ENDINGS)
        if word not in used:
            used.add(word)
            return word
