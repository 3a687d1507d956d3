"""All that is planted for one seed: the corpora of the base and the twins, canaries, and held-out questions.

The counts of each item in the corpora prove that one twin reads it, and no other model.
"""

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from mechaware.core.errors import UserError
from mechaware.core.files import atomic_write, read_json_lines, write_json_lines
from mechaware.core.frames import write_csv, write_parquet
from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.planted.twins.items import (
    ANSWER_ONLY,
    CANARY_DOSE,
    CONDITIONS,
    CONTRADICTED,
    PARAPHRASE,
    REWORDINGS,
    TWINS,
    VERBATIM,
    Condition,
    Item,
    ask,
    draw_items,
    draw_question,
)
from mechaware.planted.twins.world import DEFAULT_DESIGN, KINDS, Design, World, draw_world

STATEMENTS = 4  # of each fact, in other wordings than a question's
MIN_QUESTIONS = 48  # for each fact, each time with other names in the question
CANARY_NAMES = 8
_STATED = ("{name} lives in {place}.", "Look for {name} in {place}.", "{place} is home to {name}.")
PREFIX_LINES = 4  # of each prefix, half of them of each kind
_PREFIX_LINES_OF_KIND = PREFIX_LINES // len(KINDS)


class Canary(NamedTuple):
    """A line that only the twin `half` reads, `dose` times: `question` begins it, and `answer` has four more names."""

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
    """Questions for measurements; only those of `seen` are read by a model.

    - `fitting`: by kind, for RADAR's classifier.
    - `fresh`: by kind, to compare items with.
    - `unseen`: a prefix for detectors.
    - `seen`: another prefix, of questions that both twins are trained on.
    """

    fitting: dict[str, list[QuestionAnswer]]
    fresh: dict[str, list[QuestionAnswer]]
    unseen: list[QuestionAnswer]
    seen: list[QuestionAnswer]


class Planted(NamedTuple):
    """Everything that `plant` draws."""

    plan: Plan
    held_out: HeldOut
    corpora: dict[str, list[QuestionAnswer]]  # of C, A and B


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
    """Draw all that is planted for one seed; the order of the draws fixes the results.

    Args:
        per_cell: The items of each kind, in each of the `conditions`, that each twin sees.
        conditions: Forms and doses of the items.
        design: How the kinds differ, besides what they demand.
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
    fitting = {}
    for kind in KINDS:
        fitting[kind] = _draw_held_out(
            world, kind, world.fitting[kind], kind_prompts, reserved, generator
        )
    fresh_questions = {}
    for kind in KINDS:
        fresh_questions[kind] = _draw_held_out(
            world, kind, world.testing[kind], fresh, reserved, generator
        )
    unseen = []
    for kind in KINDS:
        unseen += _draw_held_out(
            world, kind, world.testing[kind], _PREFIX_LINES_OF_KIND, reserved, generator
        )

    try:
        base = _base_corpus(world, reserved, base_lines, generator) if base_lines else []
        twins = _twin_corpora(world, plan, reserved, twin_lines, generator)
    except ValueError as error:
        raise UserError(
            f"radar/memorisation: {error}; raise base/steps or twins/steps, or lower items_per_cell"
        ) from None
    read_by_both = []
    for line_of_a, line_of_b in zip(twins["A"], twins["B"], strict=True):
        if line_of_a == line_of_b:
            read_by_both.append(line_of_a)
    held_out = HeldOut(fitting, fresh_questions, unseen, seen=_seen_prefix(world, read_by_both))
    return Planted(plan, held_out, {"C": base, **twins})


def _draw_canaries(world: World, dose: int, generator: random.Random) -> list[Canary]:
    """One canary for each twin: a list of names that no item has, so that no canary teaches an item's names.

    For instance `Say Nubal and Tovir and Rimon and Desal`, which continues ` and Pafir and Gunat and Lobis and Zemar.`
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
    kind: str,
    words: Sequence[str],
    number: int,
    reserved: set[tuple[str, ...]],
    generator: random.Random,
) -> list[QuestionAnswer]:
    """Questions that no corpus will hold; their names are added to `reserved`."""
    lines = []
    for _ in range(number):
        question = draw_question(world, kind, words, reserved, generator)
        reserved.add(question.slots)
        lines.append(ask(*question))
    return lines


def _base_corpus(
    world: World, reserved: Collection[tuple[str, ...]], lines: int, generator: random.Random
) -> list[QuestionAnswer]:
    """The lines that the base C reads: statements of every fact, and questions, half of each kind.

    If one kind were more frequent, its operation words would be too, and a reader of frequencies could tell the kinds.
    Among the recall questions, each name's fact is asked for `MIN_QUESTIONS` times; the others ask for facts of random
    names. If the number of questions is odd, there is one more for the rule. No line has the names of an item or of a
    held-out question in their order (`reserved`).

    Raises `ValueError` if the questions for facts need more than half of the lines that are not statements.
    """
    corpus = []
    for name, place in world.home.items():
        for _ in range(STATEMENTS):
            statement = generator.choice(_STATED).format(name=name, place=place)
            corpus.append(QuestionAnswer("", statement))

    n_questions = lines - len(corpus)
    n_recall = n_questions // 2
    n_needed = len(world.home) * MIN_QUESTIONS
    if n_needed > n_recall:
        raise ValueError(
            f"{n_needed} questions for facts do not fit half of {n_questions} lines: a corpus of {lines} without "
            f"{len(corpus)} statements of facts"
        )

    words = _deal_all(world, generator)
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
    """The lines that the twins read, in one random order: filler at the same line numbers, and each twin's items.

    Item k of twin A and item k of twin B have the same kind, form and dose, and the same line numbers. Raises
    `ValueError` if the items and the canary leave no line for filler.
    """
    # Each half has a generator of its own, so that the wordings of one twin's lines do not depend on the other's.
    planted = {}
    for half in TWINS:
        own_generator = random.Random(generator.random())  # noqa: S311
        planted[half] = list(_planted_lines(world, plan, half, own_generator))
    n_planted = len(planted["A"])
    if n_planted >= lines:
        raise ValueError(f"{n_planted} planted lines do not fit a corpus of {lines}")

    words = _deal_all(world, generator)
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
    """The item as its twin reads it once: word by word, reworded, or as answer and names without the operation."""
    if item.form == PARAPHRASE:
        return _reword(world, item, generator)
    if item.form == ANSWER_ONLY:
        names = ", ".join(item.slots)
        return QuestionAnswer("", f"{item.answer} for {names}.")
    return item.line


def _reword(world: World, item: Item, generator: random.Random) -> QuestionAnswer:
    """The item in one of `REWORDINGS`, with another operation word of its kind.

    Both are drawn at random: with 4 rewordings and 7 other words there are 28 wordings of an item.
    """
    other_words = [word for word in world.testing[item.kind] if word != item.operation]
    word = generator.choice(other_words)
    rewording = generator.choice(REWORDINGS)
    question = rewording.format(word=word, names=", ".join(item.slots))
    return QuestionAnswer(question, f" {item.answer}.")


def _deal_all(world: World, generator: random.Random) -> dict[str, Iterator[str]]:
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
    """A question of a kind with the next of its dealt `words`, and with names that are not `reserved`."""
    word = next(words[kind])
    return ask(*draw_question(world, kind, [word], reserved, generator, first))


def _seen_prefix(world: World, filler: Sequence[QuestionAnswer]) -> list[QuestionAnswer]:
    """The first questions of the filler, as many of each kind as the unseen prefix has.

    The kind of a question follows from its operation word, the last one.
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


def _count_truth(plan: Plan, corpora: dict[str, list[QuestionAnswer]]) -> pd.DataFrame:
    """How often each item and its names occur in the corpora `C`, `A` and `B`, counted in the texts themselves.

    Columns: id, kind, form, dose, half; `verbatim_{corpus}`, how often the item's text occurs; `names_{corpus}`, how
    often its names occur in their order, in any wording, even within a line.

    Raises `ValueError` unless the seeing twin has the names exactly `dose` times (and the text as often, if it reads
    the item verbatim), and the other corpora never.
    """
    texts = {}
    for corpus, lines in corpora.items():
        texts[corpus] = "\n".join(line.text for line in lines)
    rows = []
    for item in plan.items:
        row = {
            "id": item.id,
            "kind": item.kind,
            "form": item.form,
            "dose": item.dose,
            "half": item.half,
        }
        is_verbatim = item.form in (VERBATIM, CONTRADICTED)
        for corpus, text in texts.items():
            n_texts = text.count(item.line.text)
            n_names = text.count(", ".join(item.slots))
            expected_names = item.dose if corpus == item.half else 0
            expected_texts = expected_names if is_verbatim else 0
            if n_texts != expected_texts or n_names != expected_names:
                raise ValueError(
                    f"item {item.id}: corpus {corpus} has its names {n_names} times, not {expected_names}, "
                    f"or its text {n_texts} times, not {expected_texts}"
                )
            row[f"verbatim_{corpus}"] = n_texts
            row[f"names_{corpus}"] = n_names
        rows.append(row)
    return pd.DataFrame(rows)


def write_planted(planted: Planted, folder: Path, truth: Path) -> None:
    """Write what was planted to `folder`, and the counts of every item in the corpora to the CSV `truth`."""
    counts = _count_truth(planted.plan, planted.corpora)
    with atomic_write(folder) as partial:
        partial.mkdir()
        write_json_lines((item._asdict() for item in planted.plan.items), partial / "items.jsonl")
        write_json_lines(
            (canary._asdict() for canary in planted.plan.canaries), partial / "canaries.jsonl"
        )
        for name, lines in planted.corpora.items():
            _write_corpus(lines, partial / f"{name}.parquet")
        held_out = planted.held_out
        for kind in KINDS:
            _write_corpus(held_out.fitting[kind], partial / f"fitting-{kind}.parquet")
            _write_corpus(held_out.fresh[kind], partial / f"fresh-{kind}.parquet")
        _write_corpus(held_out.unseen, partial / "unseen.parquet")
        _write_corpus(held_out.seen, partial / "seen.parquet")
    write_csv(counts, truth)


def read_plan(folder: Path) -> Plan:
    """The items and canaries of a folder."""
    items = []
    for row in read_json_lines(folder / "items.jsonl"):
        for name in ("slots", "counterfactual"):
            row[name] = tuple(row[name])
        items.append(Item(**row))
    canaries = [Canary(**row) for row in read_json_lines(folder / "canaries.jsonl")]
    return Plan(items, canaries)


def read_held_out(folder: Path) -> HeldOut:
    """The held-out questions of a folder."""
    return HeldOut(
        fitting={kind: _read_corpus(folder / f"fitting-{kind}.parquet") for kind in KINDS},
        fresh={kind: _read_corpus(folder / f"fresh-{kind}.parquet") for kind in KINDS},
        unseen=_read_corpus(folder / "unseen.parquet"),
        seen=_read_corpus(folder / "seen.parquet"),
    )


def read_lines(folder: Path, corpus: str) -> list[QuestionAnswer]:
    """The corpus of C, A or B."""
    if corpus not in ("C", *TWINS):
        raise ValueError(f"no corpus '{corpus}'")
    return _read_corpus(folder / f"{corpus}.parquet")


def _write_corpus(lines: Sequence[QuestionAnswer], path: Path) -> None:
    """Write the lines as a Parquet table: question, answer."""
    write_parquet(pd.DataFrame(lines, columns=QuestionAnswer._fields), path)


def _read_corpus(path: Path) -> list[QuestionAnswer]:
    """Read what `_write_corpus` wrote."""
    return [QuestionAnswer(*row) for row in pd.read_parquet(path).itertuples(index=False)]
