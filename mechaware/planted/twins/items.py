"""The planted items, crossed by kind, form, dose and seeing twin, and the invented world that they ask about.

The world has names, a home for each name (the facts), and operation words, which ask for a fact or for a rule.
"""

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple, Protocol, runtime_checkable

from mechaware.instruments.radar.question_answer import QuestionAnswer

KINDS = ("recall", "reasoning")
SLOTS = 4  # names in a question
RULE_SLOT = 2  # the index of the rule's answer among the names: the third name
WORDS_PER_KIND = 16
PLACES = 32
SPARE_NAMES = 16
TWINS = ("A", "B")
# The letters of made-up words: syllables of a consonant and a vowel, then an ending.
_CONSONANTS = "bdfgklmnprstvz"
_VOWELS = "aeiou"
_ENDINGS = "nrslt"
# The forms of items.
VERBATIM = "verbatim"
PARAPHRASE = "paraphrase"
ANSWER_ONLY = "answer_only"
CONTRADICTED = "contradicted"
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
# The wordings of a paraphrased item, each with any operation word of its kind except the item's own.
REWORDINGS = (
    "{word} of {names} is:",
    "Of {names} {word} is:",
    "For {names} it is {word}:",
    "{word}, asked of {names}:",
)
CANARY_DOSE = 256

Condition = tuple[str, int]  # form, dose


class Design(NamedTuple):
    """How recall and reasoning questions differ, besides what they demand.

    - `words`: how frequent the operation words are in the corpora. With `balanced` all are equally frequent. With
      `crossed`, recall words are rarer than reasoning words among the words that RADAR is fitted on, and more frequent
      among those of the items.
    - `answers`: what a fact is. With `places` it is a place, which is never among the names of a question. With `names`
      it is a name, as the answers of the rule are.
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
# In a crossed design, how many times more often a frequent word occurs than a rare one.
FREQUENT = 2


class World(NamedTuple):
    """The names, facts and words of which all texts are made.

    - `home`: the fact of each name, which follows from no rule: a place, or in some designs another name.
    - `spare`: names that are in no question, for canaries.
    - `fitting`, `testing`: operation words by kind. Items have `testing` words, and RADAR is fitted on prompts with
      `fitting` words: otherwise it could learn the words instead of what they demand.
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
        """The operation words of a kind, endlessly, in rounds that have each word once or `FREQUENT` times."""
        fitting = self.fitting[kind]
        testing = self.testing[kind]
        if self.design.words == "crossed":
            # The words of a tuple times `FREQUENT` occur that often in a round.
            if kind == "recall":
                testing *= FREQUENT
            else:
                fitting *= FREQUENT

        words = [*fitting, *testing]
        while True:
            yield from generator.sample(words, len(words))


def draw_world(names: int, generator: random.Random, design: Design = DEFAULT_DESIGN) -> World:
    """A world of `names` names; no word is drawn twice."""
    used: set[str] = set()
    people = _draw_names(names, used, generator)
    places = _draw_names(PLACES, used, generator)
    spare = _draw_names(SPARE_NAMES, used, generator)
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
    """The fact of each name: a place, or in a design whose answers are names, the next name in a random circle."""
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
    """What all planted items have, whether questions or docstrings."""

    @property
    def id(self) -> str:
        """The item's name."""
        ...

    @property
    def kind(self) -> str:
        """What it asks for, or what kind of text it is."""
        ...

    @property
    def form(self) -> str:
        """The wording in which it is read."""
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

    - `half`: the twin that sees it.
    - `form`, `dose`: in which wording the twin sees the item, and how often.
    - `operation`: the word that asks for the fact or the rule.
    - `slots`: the names in the question.
    - `answer`: what the twin reads as the answer; in a contradicted item, a wrong one that follows neither from fact
      nor from rule.
    - `foil`: a wrong answer of the same sort; in a contradicted item, the right one.
    - `counterfactual`: the slots of a question to which the wrong answer is the right one.
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


class Question(NamedTuple):
    """A question: its operation word, its names, and its answer."""

    operation: str
    slots: tuple[str, ...]
    answer: str


def draw_question(
    world: World,
    kind: str,
    words: Sequence[str],
    taken: Collection[tuple[str, ...]],
    generator: random.Random,
    first: str | None = None,
) -> Question:
    """A question of a kind, with an operation word from `words`.

    The fact of the first name is not among the names, so that fact and rule give different answers.

    Args:
        world: The names and facts.
        kind: One of `KINDS`.
        words: The operation words to draw from.
        taken: The lists of names, in order, that other questions have.
        generator: The source of the draws.
        first: The first name; None for a random one.
    """
    while True:
        slots = _draw_slots(world, first, generator)
        operation = generator.choice(words)
        if slots not in taken:
            return Question(operation, slots, _answer_of(world, kind, slots))


def _draw_slots(world: World, first: str | None, generator: random.Random) -> tuple[str, ...]:
    """The names of a question (`draw_question`)."""
    while True:
        slots = generator.sample(world.names, SLOTS)
        if first is not None:
            others = [name for name in slots if name != first]
            slots = [first, *others[: SLOTS - 1]]
        if world.home[slots[0]] not in slots:
            return tuple(slots)


def draw_items(
    world: World,
    per_cell: int,
    generator: random.Random,
    conditions: Sequence[Condition] = CONDITIONS,
) -> list[Item]:
    """`per_cell` items of each kind, form and dose for each twin; no two have the same names in the same order.

    No two recall items ask for the fact of the same name, so that no item teaches the answer of another. The world
    needs as many names as there are recall items.
    """
    first_names = iter(generator.sample(world.names, len(world.names)))
    items = []
    # Items are counted in the corpora by their names, so no two may have the same.
    taken = set[tuple[str, ...]]()
    for kind, (form, dose), number, half in product(KINDS, conditions, range(per_cell), TWINS):
        first = next(first_names) if kind == "recall" else None
        question = draw_question(world, kind, world.testing[kind], taken, generator, first)
        taken.add(question.slots)
        counterfactual = _counterfactual(world, kind, question, generator)

        right = question.answer
        wrong = _answer_of(world, kind, counterfactual)
        is_contradicted = form == CONTRADICTED
        item = Item(
            id=f"{kind}-{form}-{dose}-{number:03d}{half}",
            kind=kind,
            half=half,
            form=form,
            dose=dose,
            operation=question.operation,
            slots=question.slots,
            answer=wrong if is_contradicted else right,
            foil=right if is_contradicted else wrong,
            counterfactual=counterfactual,
        )
        items.append(item)
    return items


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


def _counterfactual(
    world: World, kind: str, question: Question, generator: random.Random
) -> tuple[str, ...]:
    """The slots of a question with the decisive name, the first or the third, replaced so that the answer changes.

    The changed answer follows neither from fact nor from rule in the original question.
    """
    slots = question.slots
    decisive = 0 if kind == "recall" else RULE_SLOT
    by_fact = world.home[slots[0]]
    by_rule = slots[RULE_SLOT]
    while True:
        name = generator.choice(world.names)
        changed = (*slots[:decisive], name, *slots[decisive + 1 :])
        if name not in slots and _answer_of(world, kind, changed) not in (by_fact, by_rule):
            return changed
