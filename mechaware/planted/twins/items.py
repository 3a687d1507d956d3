"""The planted items, crossed by kind, form, dose and seeing twin.

An item is a question about the world of `world.py`, for a fact or for a rule.
"""

import random
from collections.abc import Collection, Sequence
from itertools import product
from typing import NamedTuple, Protocol, runtime_checkable

from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.planted.twins.world import KINDS, World

SLOTS = 4  # names in a question
RULE_SLOT = 2  # the index of the rule's answer among the names: the third name
TWINS = ("A", "B")
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
# The wordings of a paraphrased item, each with any operation word of its kind except the item's
# own.
REWORDINGS = (
    "{word} of {names} is:",
    "Of {names} {word} is:",
    "For {names} it is {word}:",
    "{word}, asked of {names}:",
)
CANARY_DOSE = 256  # how often a twin reads its canary

Condition = tuple[str, int]  # form, dose


def _answer_of(world: World, kind: str, slots: tuple[str, ...]) -> str:
    """The answer: the home of the first name (recall), or the third name (reasoning)."""
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
    - `answer`: what the twin reads as the answer; in a contradicted item, a wrong one that follows
      neither from fact nor from rule.
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
            # `first` goes to the front: in place of itself if it was drawn, else of the last name.
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
    """`per_cell` items of each kind, form and dose for each twin.

    No two items have the same names in the same order: items are counted in the corpora by them.
    No two recall items ask for the fact of the same name, so that no item teaches the answer of
    another. The world needs as many names as there are recall items.
    """
    first_names = iter(generator.sample(world.names, len(world.names)))
    items = []
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


def _counterfactual(
    world: World, kind: str, question: Question, generator: random.Random
) -> tuple[str, ...]:
    """The slots of a question with the decisive name replaced so that the answer changes.

    The first name is decisive in recall, the third in reasoning. The changed answer follows neither
    from fact nor from rule in the original question.
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
