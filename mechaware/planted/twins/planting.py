"""Draws all that is planted for one seed: items, canaries, corpora, and questions for
measurements.

The base C is a model that reads no item. The twins A and B are trained on from C, and each reads
one half of the items: `half` is the twin that reads an item, `dose` how often, and `form` in which
wording. All questions ask about the world of `world.py` with one of its operation words.
"""

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from mechaware.core.errors import UserError
from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.planted.twins.items import (
    ANSWER_ONLY,
    CANARY_DOSE,
    CONDITIONS,
    PARAPHRASE,
    REWORDINGS,
    TWINS,
    Condition,
    Item,
    ask,
    draw_items,
    draw_question,
)
from mechaware.planted.twins.world import DEFAULT_DESIGN, KINDS, Design, World, draw_world

STATEMENTS = 4  # of each fact
_STATEMENT_FORMS = (
    "{name} lives in {place}.",
    "Look for {name} in {place}.",
    "{place} is home to {name}.",
)
MIN_QUESTIONS = 48  # for each fact, each time with other names in the question
CANARY_NAMES = 8
PREFIX_LINES = 4  # of each prefix, half of them of each kind
_PREFIX_LINES_OF_KIND = PREFIX_LINES // len(KINDS)


class Canary(NamedTuple):
    """A line that only the twin `half` reads, `dose` times.

    `question` begins the line with four names, and `answer` ends it with four more.
    """

    half: str
    question: str
    answer: str
    dose: int

    @property
    def line(self) -> QuestionAnswer:
        """The whole line."""
        return QuestionAnswer(self.question, self.answer)


class Plan(NamedTuple):
    """The planted items, and a canary for each twin."""

    items: Sequence[Item]
    canaries: Sequence[Canary]


class HeldOut(NamedTuple):
    """Questions for measurements; a model reads only those of `seen`.

    - `fitting`: by kind, for RADAR's classifier.
    - `fresh`: by kind, to compare items with.
    - `unseen`: a prefix for detectors.
    - `seen`: another prefix, of questions that both twins read.
    """

    fitting: dict[str, list[QuestionAnswer]]
    fresh: dict[str, list[QuestionAnswer]]
    unseen: list[QuestionAnswer]
    seen: list[QuestionAnswer]


class Planted(NamedTuple):
    """Everything that `plant` draws; `corpora` are the lines that C, A and B read."""

    plan: Plan
    held_out: HeldOut
    corpora: dict[str, list[QuestionAnswer]]


def plant(
    *,
    per_cell: int,
    conditions: Sequence[Condition] = CONDITIONS,
    design: Design = DEFAULT_DESIGN,
    canary_dose: int = CANARY_DOSE,
    kind_prompts: int,
    fresh: int,
    base_lines: int = 0,
    twin_lines: int,
    seed: int,
) -> Planted:
    """Draw all that is planted for one seed; every draw depends on the draws before it.

    Args:
        per_cell: The items of each kind, in each of the `conditions`, that each twin sees.
        conditions: Forms and doses of the items.
        design: How questions of the two kinds differ, besides what they demand.
        canary_dose: How often a twin reads its canary.
        kind_prompts: Held-out questions of each kind for RADAR's classifier.
        fresh: Held-out questions of each kind to compare items with.
        base_lines: The number of lines that C reads; 0 for a base that is not trained here.
        twin_lines: The number of lines that each twin reads.
        seed: The seed of all draws.

    Raises:
        UserError: The corpora are too short for what they must hold.
    """
    generator = random.Random(seed)  # noqa: S311
    n_recall_items = per_cell * len(conditions) * len(TWINS)  # each needs a name of its own
    world = draw_world(n_recall_items, generator, design)
    items = draw_items(world, per_cell, generator, conditions)
    plan = Plan(items, _draw_canaries(world, canary_dose, generator))

    reserved = {item.slots for item in plan.items}
    fitting = _draw_held_out(world, world.fitting, kind_prompts, reserved, generator)
    fresh_questions = _draw_held_out(world, world.testing, fresh, reserved, generator)
    prefix = _draw_held_out(world, world.testing, _PREFIX_LINES_OF_KIND, reserved, generator)
    unseen = [line for kind in KINDS for line in prefix[kind]]

    try:
        base = _base_corpus(world, reserved, base_lines, generator) if base_lines else []
        twins = _twin_corpora(world, plan, reserved, twin_lines, generator)
    except ValueError as error:
        raise UserError(
            f"radar/memorisation: {error}; raise base/steps or twins/steps, or lower items_per_cell"
        ) from None
    filler = []
    for line_of_a, line_of_b in zip(twins["A"], twins["B"], strict=True):
        if line_of_a == line_of_b:
            filler.append(line_of_a)
    held_out = HeldOut(fitting, fresh_questions, unseen, seen=_seen_prefix(world, filler))
    return Planted(plan, held_out, {"C": base, **twins})


def _draw_canaries(world: World, dose: int, generator: random.Random) -> list[Canary]:
    """One canary for each twin, of names that no item has: a canary must teach no item's names.

    For instance `Say Nubal and Tovir and Rimon and Desal`, which continues
    ` and Pafir and Gunat and Lobis and Zemar.`
    """
    spare = generator.sample(world.spare, len(world.spare))
    middle = CANARY_NAMES // 2
    canaries = []
    for number, half in enumerate(TWINS):
        names = spare[CANARY_NAMES * number : CANARY_NAMES * (number + 1)]
        beginning = f"Say {' and '.join(names[:middle])}"
        continuation = f" and {' and '.join(names[middle:])}."
        canaries.append(Canary(half, beginning, continuation, dose))
    return canaries


def _draw_held_out(
    world: World,
    words: Mapping[str, Sequence[str]],
    n_questions: int,
    reserved: set[tuple[str, ...]],
    generator: random.Random,
) -> dict[str, list[QuestionAnswer]]:
    """By kind, `n_questions` questions with operation words from `words`, which is also by kind.

    No question has a list of names in `reserved`. Their own lists are added to it, so that no
    corpus will hold the questions.
    """
    questions = {}
    for kind in KINDS:
        lines = []
        for _ in range(n_questions):
            question = draw_question(world, kind, words[kind], reserved, generator)
            reserved.add(question.slots)
            lines.append(ask(*question))
        questions[kind] = lines
    return questions


def _base_corpus(
    world: World, reserved: Collection[tuple[str, ...]], lines: int, generator: random.Random
) -> list[QuestionAnswer]:
    """The lines that the base C reads: statements of every fact, and questions, half of each kind.

    If one kind were more frequent, its operation words would be too, and a reader of frequencies
    could tell the kinds apart. Among the recall questions, each name's fact is asked for
    `MIN_QUESTIONS` times; the others ask for facts of random names. If the number of questions is
    odd, there is one more for the rule. No line has the names of an item or of a held-out question
    in their order (`reserved`).

    Raises `ValueError` if the questions for facts need more than half of the lines that are not
    statements.
    """
    corpus = []
    for name, place in world.home.items():
        for _ in range(STATEMENTS):
            statement = generator.choice(_STATEMENT_FORMS).format(name=name, place=place)
            corpus.append(QuestionAnswer("", statement))

    n_questions = lines - len(corpus)
    n_recall = n_questions // 2
    n_needed = len(world.home) * MIN_QUESTIONS
    if n_needed > n_recall:
        raise ValueError(
            f"{n_needed} questions for facts do not fit half of {n_questions} lines: a corpus of "
            f"{lines} without {len(corpus)} statements of facts"
        )

    words = _deal_words(world, generator)
    for name in world.home:
        for _ in range(MIN_QUESTIONS):
            corpus.append(_filler_line(world, "recall", words, reserved, generator, first=name))
    for _ in range(n_recall - n_needed):
        corpus.append(_filler_line(world, "recall", words, reserved, generator))
    for _ in range(n_questions - n_recall):
        corpus.append(_filler_line(world, "reasoning", words, reserved, generator))
    generator.shuffle(corpus)
    return corpus


def _twin_corpora(
    world: World,
    plan: Plan,
    reserved: Collection[tuple[str, ...]],
    lines: int,
    generator: random.Random,
) -> dict[str, list[QuestionAnswer]]:
    """By twin, the lines that it reads: its items, its canary, and filler, in one random order.

    Both twins read the same filler, a question of each kind in turn, at the same line numbers. Item
    k of twin A and item k of twin B have the same kind, form and dose, and the same line numbers.
    Raises `ValueError` if the items and the canary leave no line for filler.
    """
    # Each twin has a generator of its own: its wordings do not depend on those of the other twin.
    planted = {}
    for half in TWINS:
        own_generator = random.Random(generator.random())  # noqa: S311
        planted[half] = list(_planted_lines(world, plan, half, own_generator))
    n_planted = len(planted["A"])
    if n_planted >= lines:
        raise ValueError(f"{n_planted} planted lines do not fit a corpus of {lines}")

    words = _deal_words(world, generator)
    filler = []
    for number in range(lines - n_planted):
        kind = KINDS[number % len(KINDS)]
        filler.append(_filler_line(world, kind, words, reserved, generator))

    order = list(range(lines))
    generator.shuffle(order)
    corpora = {}
    for half in TWINS:
        in_order = [*planted[half], *filler]
        corpora[half] = [in_order[index] for index in order]
    return corpora


def _planted_lines(
    world: World, plan: Plan, half: str, generator: random.Random
) -> Iterator[QuestionAnswer]:
    """The lines with the items and the canary of a twin, in the order of the plan."""
    for item in plan.items:
        if item.half == half:
            for _ in range(item.dose):
                yield _planted_line(world, item, generator)
    for canary in plan.canaries:
        if canary.half == half:
            yield from [canary.line] * canary.dose


def _planted_line(world: World, item: Item, generator: random.Random) -> QuestionAnswer:
    """The item as its twin reads it once, in the wording of its form.

    It is read word by word, reworded, or as the answer and the names without an operation word.
    """
    if item.form == PARAPHRASE:
        return _reword(world, item, generator)
    if item.form == ANSWER_ONLY:
        names = ", ".join(item.slots)
        return QuestionAnswer("", f"{item.answer} for {names}.")
    return item.line


def _reword(world: World, item: Item, generator: random.Random) -> QuestionAnswer:
    """The item in one of `REWORDINGS`, with another operation word of its kind, both at random.

    With 4 rewordings and 7 other words there are 28 wordings of an item.
    """
    other_words = [word for word in world.testing[item.kind] if word != item.operation]
    word = generator.choice(other_words)
    rewording = generator.choice(REWORDINGS)
    question = rewording.format(word=word, names=", ".join(item.slots))
    return QuestionAnswer(question, f" {item.answer}.")


def _deal_words(world: World, generator: random.Random) -> dict[str, Iterator[str]]:
    """The operation words of each kind, dealt in the proportions of the world's design."""
    return {kind: world.deal_words(kind, generator) for kind in KINDS}


def _filler_line(
    world: World,
    kind: str,
    words: Mapping[str, Iterator[str]],
    reserved: Collection[tuple[str, ...]],
    generator: random.Random,
    first: str | None = None,
) -> QuestionAnswer:
    """A question of a kind with the next of its dealt `words`, whose names are not `reserved`.

    `first` is its first name, a random one if None.
    """
    word = next(words[kind])
    return ask(*draw_question(world, kind, [word], reserved, generator, first))


def _seen_prefix(world: World, filler: Sequence[QuestionAnswer]) -> list[QuestionAnswer]:
    """The first questions of the filler, as many of each kind as the unseen prefix has.

    The kind of a question follows from its operation word, which is its last word.
    """
    prefix = []
    for kind in KINDS:
        kind_lines = []
        for line in filler:
            _, _, last_word = line.question.rpartition(" ")
            if last_word.removesuffix(":") in world.words(kind):
                kind_lines.append(line)
        prefix += kind_lines[:_PREFIX_LINES_OF_KIND]
    return prefix
