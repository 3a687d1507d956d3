"""The planted items, crossed by kind, form, dose and seeing twin, and the invented world that they ask about.

The world has names, a home for each name (the facts), and operation words, which ask for a fact or for a rule.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from mechaware.instruments.radar.prompts import QuestionAnswer

KINDS = ("recall", "reasoning")
SLOTS = 4
RULE_SLOT = 2  # the rule's answer, counted from 0: the third name
WORDS_PER_KIND = 16
PLACES = 32
SPARE_NAMES = 16
_CONSONANTS, _VOWELS, _ENDINGS = "bdfgklmnprstvz", "aeiou", "nrslt"
TWINS = ("A", "B")
VERBATIM, PARAPHRASE, ANSWER_ONLY, CONTRADICTED = (
    "verbatim",
    "paraphrase",
    "answer_only",
    "contradicted",
)
# Form and dose of the items; the dose is how often the seeing twin reads the item.
CONDITIONS = (
    (VERBATIM, 1),
    (VERBATIM, 4),
    (VERBATIM, 16),
    (VERBATIM, 64),
    (PARAPHRASE, 4),
    (PARAPHRASE, 16),
    (PARAPHRASE, 64),
    (ANSWER_ONLY, 16),
    (CONTRADICTED, 64),
)
# In which a paraphrased item is read, each with any of its kind's operation words but the item's own.
REWORDINGS = (
    "{word} of {names} is:",
    "Of {names} {word} is:",
    "For {names} it is {word}:",
    "{word}, asked of {names}:",
)
CANARY_DOSE = 256

Condition = tuple[str, int]  # form, dose


class Design(NamedTuple):
    """What tells the kinds apart beside what they demand.

    `words`: `balanced`, where every operation word is equally frequent in what is drawn for the corpora, or `crossed`,
    where the recall words are the rarer ones among those that RADAR is fitted on and the more frequent ones among those
    of the items; the reasoning words are the reverse. `answers`: facts are `places`, which no question has among its
    names, or `names`, as the answers of the rule are.
    """

    words: str = "balanced"
    answers: str = "places"


DEFAULT_DESIGN = Design()
# By their names in `radar/memorisation/designs`.
DESIGNS = {
    "": DEFAULT_DESIGN,
    "crossed": Design(words="crossed"),
    "names": Design(answers="names"),
}
FREQUENT = (
    2  # a frequent word of a crossed design stands so often for each time that a rare one does
)


class World(NamedTuple):
    """What all texts are made of.

    `home`: the place of each name, a fact that no rule gives; in some designs it is called by another name. `spare`:
    names that no question has, for canaries. `fitting` and `testing`: operation words by kind. Items have `testing`
    words, and RADAR is fitted on prompts with `fitting` words: otherwise it could learn the words instead of what they
    demand. `design`: how often the words stand in the corpora, and what a fact is.
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
        """The operation words of a kind, without end: in rounds, each with every word as often as the design says."""
        fitting, testing = self.fitting[kind], self.testing[kind]
        if self.design.words == "crossed":
            if kind == "recall":
                testing *= FREQUENT
            else:
                fitting *= FREQUENT

        words = [*fitting, *testing]
        while True:
            yield from generator.sample(words, len(words))


def draw_world(names: int, generator: random.Random, design: Design = DEFAULT_DESIGN) -> World:
    """A world of so many names; all its words differ."""
    used: set[str] = set()
    people = [_word(2, used, generator).capitalize() for _ in range(names)]
    places = [_word(2, used, generator).capitalize() for _ in range(PLACES)]
    spare = [_word(2, used, generator).capitalize() for _ in range(SPARE_NAMES)]
    words = {kind: [_word(1, used, generator) for _ in range(WORDS_PER_KIND)] for kind in KINDS}
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
    """The fact of each name: a place, or in a design whose answers are names the next name in a random circle."""
    if design.answers == "places":
        return {name: generator.choice(places) for name in people}
    # In a circle every name is the answer of one fact: answers of facts and of the rule have one distribution.
    circle = generator.sample(people, len(people))
    following = dict(zip(circle, [*circle[1:], circle[0]], strict=True))
    return {name: following[name] for name in people}


def _answer_of(world: World, kind: str, slots: tuple[str, ...]) -> str:
    """The answer of a question: the home of the first name (recall), or the third name (reasoning)."""
    return world.home[slots[0]] if kind == "recall" else slots[RULE_SLOT]


@runtime_checkable
class PlantedItem(Protocol):
    """What is known of any planted item: its name, its kind and form, how often it is read, and by which twin."""

    @property
    def id(self) -> str:
        """The item's name."""
        ...

    @property
    def kind(self) -> str:
        """What it asks for, or what sort of text it is."""
        ...

    @property
    def form(self) -> str:
        """In which wording it is read."""
        ...

    @property
    def dose(self) -> int:
        """How often its twin reads it."""
        ...

    @property
    def half(self) -> str:
        """The twin that reads it."""
        ...


class Item(NamedTuple):
    """A test item: a question that asks for a fact or for a rule.

    `half`: the twin that sees it. `form` and `dose`: in which wording and how often. `slots`: the names in the
    question. `foil`: a wrong answer of the same sort; `counterfactual`: the slots of a question whose answer it is.
    A contradicted item is planted with a wrong answer: `answer`, which its twin reads, follows from neither fact nor
    rule; `foil` is the right answer.
    """

    id: str
    kind: str
    half: str
    form: str
    dose: int
    operation: str
    slots: tuple[str, ...]
    answer: str
    foil: str
    counterfactual: tuple[str, ...]

    @property
    def line(self) -> QuestionAnswer:
        """The item verbatim."""
        return ask(self.operation, self.slots, self.answer)


def ask(operation: str, slots: Sequence[str], answer: str) -> QuestionAnswer:
    """The form of all questions."""
    return QuestionAnswer(f"{', '.join(slots)} {operation}:", f" {answer}.")


def draw_question(
    world: World,
    kind: str,
    words: Sequence[str],
    generator: random.Random,
    first: str | None = None,
) -> tuple[str, tuple[str, ...], str]:
    """A question of a kind: its operation word from `words`, its names (the first is `first`, if given), its answer.

    The fact of the first name is none of the names, so that fact and rule give different answers.
    """
    while True:
        slots = generator.sample(world.names, SLOTS)
        if first is not None:
            slots = [first, *[name for name in slots if name != first][: SLOTS - 1]]
        if world.home[slots[0]] not in slots:
            break
    return generator.choice(words), tuple(slots), _answer_of(world, kind, tuple(slots))


def draw_items(
    world: World,
    per_cell: int,
    generator: random.Random,
    conditions: Sequence[Condition] = CONDITIONS,
) -> list[Item]:
    """`per_cell` items of each kind, form and dose for each twin; no two have the same names in the same order.

    Each recall item asks for the fact of another name, so that no item teaches the answer of another. Needs as many
    names as there are recall items.
    """
    firsts = iter(generator.sample(world.names, len(world.names)))
    items, used = [], set[tuple[str, ...]]()
    for kind in KINDS:
        for form, dose in conditions:
            for number in range(per_cell):
                for half in TWINS:
                    first = next(firsts) if kind == "recall" else None
                    operation, slots, answer = draw_question(
                        world, kind, world.testing[kind], generator, first
                    )
                    while slots in used:  # items are counted in the corpora by their names
                        operation, slots, answer = draw_question(
                            world, kind, world.testing[kind], generator, first
                        )
                    used.add(slots)
                    counterfactual = _counterfactual(world, kind, slots, answer, generator)
                    foil = _answer_of(world, kind, counterfactual)
                    if form == CONTRADICTED:
                        answer, foil = foil, answer
                    items.append(
                        Item(
                            id=f"{kind}-{form}-{dose}-{number:03d}{half}",
                            kind=kind,
                            half=half,
                            form=form,
                            dose=dose,
                            operation=operation,
                            slots=slots,
                            answer=answer,
                            foil=foil,
                            counterfactual=counterfactual,
                        )
                    )
    return items


def _word(syllables: int, used: set[str], generator: random.Random) -> str:
    """A pronounceable word that was not drawn before."""
    while True:
        word = "".join(
            generator.choice(_CONSONANTS) + generator.choice(_VOWELS) for _ in range(syllables)
        )
        word += generator.choice(_ENDINGS)
        if word not in used:
            used.add(word)
            return word


def _counterfactual(
    world: World, kind: str, slots: tuple[str, ...], answer: str, generator: random.Random
) -> tuple[str, ...]:
    """The slots with the decisive name, the first or the third, replaced so that the answer changes.

    Neither fact nor rule gives the changed answer to the question as it was.
    """
    slot = 0 if kind == "recall" else RULE_SLOT
    given = {answer, world.home[slots[0]], slots[RULE_SLOT]}
    while True:
        name = generator.choice(world.names)
        changed = (*slots[:slot], name, *slots[slot + 1 :])
        if name not in slots and _answer_of(world, kind, changed) not in given:
            return changed
