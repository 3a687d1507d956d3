"""The invented world of the planted items: its names, its facts, and the words that ask for them.

The fact of a name is its home. Operation words ask for a fact (recall) or for a rule (reasoning).
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

KINDS = ("recall", "reasoning")
WORDS_PER_KIND = 16  # operation words; half for the items, half for the fitting prompts
N_PLACES = 32  # places that can be a name's home
N_SPARE_NAMES = 16  # names for canaries
# The letters of made-up words: syllables of a consonant and a vowel, then an ending.
_CONSONANTS = "bdfgklmnprstvz"
_VOWELS = "aeiou"
_ENDINGS = "nrslt"


class Design(NamedTuple):
    """How recall and reasoning questions differ, besides what they demand.

    - `frequencies`: how frequent the operation words are in the corpora. With `balanced` all are
      equally frequent. With `crossed`, recall words are rarer than reasoning words among the words
      that RADAR is fitted on, and more frequent among the words of the items.
    - `answers`: what a fact is. With `places` it is a place, which is never among the names of a
      question. With `names` it is a name, as the answers of the rule are.
    """

    frequencies: str = "balanced"
    answers: str = "places"


DEFAULT_DESIGN = Design()
# By their names in `radar/memorisation/designs`.
DESIGNS = {
    "": DEFAULT_DESIGN,
    "crossed": Design(frequencies="crossed"),
    "names": Design(answers="names"),
}
# In a crossed design a frequent operation word occurs this many times as often as a rare one.
FREQUENCY_RATIO = 2


class World(NamedTuple):
    """The names, facts and words of which all texts are made.

    - `home`: the fact of each name, which follows from no rule: a place, or in some designs another
      name.
    - `spare`: names that are in no question, for canaries.
    - `fitting`, `testing`: operation words by kind. Items have `testing` words, and RADAR is fitted
      on prompts with `fitting` words: otherwise it could learn the words instead of what they
      demand.
    - `design`: how frequent the words are in the corpora, and what a fact is.
    """

    home: Mapping[str, str]
    spare: tuple[str, ...]
    fitting: Mapping[str, tuple[str, ...]]
    testing: Mapping[str, tuple[str, ...]]
    design: Design = DEFAULT_DESIGN

    @property
    def names(self) -> tuple[str, ...]:
        """All names, in the order in which they were drawn."""
        return tuple(self.home)

    def words(self, kind: str) -> tuple[str, ...]:
        """All operation words of a kind."""
        return (*self.fitting[kind], *self.testing[kind])

    def deal_words(self, kind: str, generator: random.Random) -> Iterator[str]:
        """The operation words of a kind, endlessly, in rounds in random order.

        A round has each word once; in a crossed design, each frequent word `FREQUENCY_RATIO` times.
        """
        fitting = self.fitting[kind]
        testing = self.testing[kind]
        if self.design.frequencies == "crossed":
            # (a, b) * 2 is (a, b, a, b): each word is twice in a round.
            if kind == "recall":
                testing *= FREQUENCY_RATIO
            else:
                fitting *= FREQUENCY_RATIO

        words = [*fitting, *testing]
        while True:
            yield from generator.sample(words, len(words))


def draw_world(n_names: int, generator: random.Random, design: Design = DEFAULT_DESIGN) -> World:
    """A world of `n_names` names; no word is drawn twice."""
    used: set[str] = set()
    people = _draw_names(n_names, used, generator)
    places = _draw_names(N_PLACES, used, generator)
    spare = _draw_names(N_SPARE_NAMES, used, generator)
    words = {}
    for kind in KINDS:
        words[kind] = [_word(1, used, generator) for _ in range(WORDS_PER_KIND)]
    half = WORDS_PER_KIND // 2
    return World(
        home=_draw_homes(people, places, design, generator),
        spare=tuple(spare),
        fitting={kind: tuple(words[kind][:half]) for kind in KINDS},
        testing={kind: tuple(words[kind][half:]) for kind in KINDS},
        design=design,
    )


def _draw_homes(
    people: Sequence[str], places: Sequence[str], design: Design, generator: random.Random
) -> dict[str, str]:
    """The fact of each name: a place, or in the design `names` the next name in a random circle."""
    if design.answers == "places":
        return {name: generator.choice(places) for name in people}
    # In a circle every name is the answer of exactly one fact, so the answers of facts and the
    # answers of the rule have the same distribution.
    circle = generator.sample(people, len(people))
    following = dict(zip(circle, [*circle[1:], circle[0]], strict=True))
    return {name: following[name] for name in people}


def _draw_names(count: int, used: set[str], generator: random.Random) -> list[str]:
    """Words of two syllables with a capital letter, none of them drawn before."""
    return [_word(2, used, generator).capitalize() for _ in range(count)]


def _word(syllables: int, used: set[str], generator: random.Random) -> str:
    """A pronounceable word that was not drawn before."""
    while True:
        word = ""
        for _ in range(syllables):
            word += generator.choice(_CONSONANTS) + generator.choice(_VOWELS)
        word += generator.choice(_ENDINGS)
        if word not in used:
            used.add(word)
            return word
