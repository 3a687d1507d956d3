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
from mechaware.instruments.radar.prompts import QuestionAnswer
from mechaware.planted.twins.items import (
    ANSWER_ONLY,
    CANARY_DOSE,
    CONDITIONS,
    CONTRADICTED,
    DEFAULT_DESIGN,
    KINDS,
    PARAPHRASE,
    REWORDINGS,
    TWINS,
    VERBATIM,
    Condition,
    Design,
    Item,
    World,
    ask,
    draw_items,
    draw_question,
    draw_world,
)

STATEMENTS = 4  # per fact, in other wordings than a question's
QUESTIONS = 48  # per fact at least, each time beside other names
CANARY_NAMES = 8
_STATED = ("{name} lives in {place}.", "Look for {name} in {place}.", "{place} is home to {name}.")
PREFIX_LINES = 4  # of each kind of prefix


class Canary(NamedTuple):
    """A line that only one twin reads, `dose` times: `question` begins it, `answer` has as many names again."""

    half: str
    question: str
    answer: str
    dose: int

    @property
    def line(self) -> QuestionAnswer:
        """The whole line."""
        return QuestionAnswer(self.question, self.answer)


class Plan(NamedTuple):
    """What is planted: the items, and a canary for each twin."""

    items: Sequence[Item]
    canaries: Sequence[Canary]


class HeldOut(NamedTuple):
    """Questions that no model reads, by kind: `fitting` for RADAR's classifier, `fresh` to compare items with.

    `unseen` are a prefix of such questions; `seen` one of questions that both twins are trained on.
    """

    fitting: dict[str, list[QuestionAnswer]]
    fresh: dict[str, list[QuestionAnswer]]
    unseen: list[QuestionAnswer]
    seen: list[QuestionAnswer]


class Planted(NamedTuple):
    """What `plant` draws."""

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

    `per_cell`: items of each kind and of each of the `conditions` that each twin sees. `design`: what tells the kinds
    apart beside what they demand. `kind_prompts`, `fresh`:
    held-out questions of each kind. `base_lines`, `twin_lines`: lengths of the corpora in lines; 0 for a base that is
    not trained here. Raises `UserError` for corpora too short for what they hold.
    """
    generator = random.Random(seed)  # noqa: S311
    # A name for each recall item.
    world = draw_world(per_cell * len(conditions) * len(TWINS), generator, design)
    plan = Plan(
        draw_items(world, per_cell, generator, conditions),
        _draw_canaries(world, canary_dose, generator),
    )
    reserved = {item.slots for item in plan.items}
    held_out = HeldOut(
        fitting={
            kind: _draw_held_out(
                world, kind, world.fitting[kind], kind_prompts, reserved, generator
            )
            for kind in KINDS
        },
        fresh={
            kind: _draw_held_out(world, kind, world.testing[kind], fresh, reserved, generator)
            for kind in KINDS
        },
        unseen=[
            line
            for kind in KINDS
            for line in _draw_held_out(
                world, kind, world.testing[kind], PREFIX_LINES // len(KINDS), reserved, generator
            )
        ],
        seen=[],
    )
    try:
        base = _base_corpus(world, reserved, base_lines, generator) if base_lines else []
        twins = _twin_corpora(world, plan, reserved, twin_lines, generator)
    except ValueError as error:
        raise UserError(
            f"radar/memorisation: {error}; raise base/steps or twins/steps, or lower items_per_cell"
        ) from None
    filler = [line for line, line_of_b in zip(*twins.values(), strict=True) if line == line_of_b]
    return Planted(plan, held_out._replace(seen=_seen_prefix(world, filler)), {"C": base, **twins})


def _draw_canaries(world: World, dose: int, generator: random.Random) -> list[Canary]:
    """One canary for each twin: a list of names that no item has, so that no canary teaches an item's names."""
    canaries, spare = [], generator.sample(world.spare, len(world.spare))
    for number, half in enumerate(TWINS):
        names = spare[CANARY_NAMES * number :][:CANARY_NAMES]
        begun, ended = names[: CANARY_NAMES // 2], names[CANARY_NAMES // 2 :]
        canaries.append(
            Canary(half, f"Say {' and '.join(begun)}", f" and {' and '.join(ended)}.", dose)
        )
    return canaries


def _base_corpus(
    world: World, reserved: Collection[tuple[str, ...]], lines: int, generator: random.Random
) -> list[QuestionAnswer]:
    """What the base C reads: every fact in statements, and in all remaining lines questions, half of each kind.

    Each name's fact is asked for `QUESTIONS` times, and those of random names fill the half; an odd question asks for
    the rule. Were one kind more frequent, so would be its operation words, and a reader of frequencies could tell the
    kinds. No line has the names of an item, or of another set of held-out questions, in their order (`reserved`).
    Raises `ValueError` if the questions for facts need more than half of the lines that are no statements.
    """
    corpus = [
        QuestionAnswer("", generator.choice(_STATED).format(name=name, place=place))
        for name, place in world.home.items()
        for _ in range(STATEMENTS)
    ]
    n_questions = lines - len(corpus)
    n_recall = n_questions // 2
    if len(world.home) * QUESTIONS > n_recall:
        raise ValueError(
            f"{len(world.home) * QUESTIONS} questions for facts do not fit half of {n_questions} lines, "
            f"those of a corpus of {lines} that state no fact"
        )

    words = _deal_all(world, generator)
    firsts = [name for name in world.home for _ in range(QUESTIONS)]
    for first in [*firsts, *[None] * (n_recall - len(firsts))]:
        corpus.append(_fresh(world, "recall", words, reserved, generator, first))
    for _ in range(n_questions - n_recall):
        corpus.append(_fresh(world, "reasoning", words, reserved, generator))
    generator.shuffle(corpus)
    return corpus


def _twin_corpora(
    world: World,
    plan: Plan,
    reserved: Collection[tuple[str, ...]],
    lines: int,
    generator: random.Random,
) -> dict[str, list[QuestionAnswer]]:
    """What the twins read: the same filler at the same places, and at the same places each its half of the items.

    Item k of twin A and item k of twin B have the same kind, form and dose, and take each other's place. Raises
    `ValueError` if the items and the canary leave no line for filler.
    """
    # Each half has a generator of its own, so that the wordings of one twin's lines do not depend on the other's.
    halves = {
        half: list(_planted_lines(world, plan, half, random.Random(generator.random())))  # noqa: S311
        for half in TWINS
    }
    n_planted = len(halves["A"])
    if n_planted >= lines:
        raise ValueError(f"{n_planted} planted lines do not fit a corpus of {lines}")
    kinds = [KINDS[number % len(KINDS)] for number in range(lines - n_planted)]
    words = _deal_all(world, generator)
    filler = [_fresh(world, kind, words, reserved, generator) for kind in kinds]
    order = list(range(lines))
    generator.shuffle(order)
    corpora = {half: [*planted, *filler] for half, planted in halves.items()}
    return {half: [corpus[index] for index in order] for half, corpus in corpora.items()}


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


def _count_truth(plan: Plan, corpora: dict[str, list[QuestionAnswer]]) -> pd.DataFrame:
    """How often each item and its names occur in the corpora `C`, `A` and `B`, counted in the texts themselves.

    Columns: id, kind, form, dose, half; `verbatim_{corpus}`: occurrences of the item's text; `names_{corpus}`:
    occurrences of its names in their order, in any wording, also as part of a line. Raises `ValueError` unless the
    seeing twin has the names exactly `dose` times (and the text, if it reads the item verbatim), and the other corpora
    never.
    """
    rows = []
    texts = {corpus: "\n".join(line.text for line in lines) for corpus, lines in corpora.items()}
    for item in plan.items:
        row = {
            "id": item.id,
            "kind": item.kind,
            "form": item.form,
            "dose": item.dose,
            "half": item.half,
        }
        for corpus, text in texts.items():
            row[f"verbatim_{corpus}"] = text.count(item.line.text)
            row[f"names_{corpus}"] = text.count(", ".join(item.slots))
            expected = item.dose if corpus == item.half else 0
            verbatim = expected if item.form in (VERBATIM, CONTRADICTED) else 0
            if (row[f"verbatim_{corpus}"], row[f"names_{corpus}"]) != (verbatim, expected):
                raise ValueError(
                    f"item {item.id}: corpus {corpus} has its names {row[f'names_{corpus}']} times, not {expected}, "
                    f"or its text {row[f'verbatim_{corpus}']} times, not {verbatim}"
                )
        rows.append(row)
    return pd.DataFrame(rows)


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
        operation, slots, answer = draw_question(world, kind, words, generator)
        while slots in reserved:
            operation, slots, answer = draw_question(world, kind, words, generator)
        reserved.add(slots)
        lines.append(ask(operation, slots, answer))
    return lines


def _seen_prefix(world: World, filler: Sequence[QuestionAnswer]) -> list[QuestionAnswer]:
    """Questions that both twins are trained on, as many of each kind as the unseen prefix has."""
    by_kind = {
        kind: [
            line
            for line in filler
            if line.question.rpartition(" ")[2].removesuffix(":") in world.words(kind)
        ]
        for kind in KINDS
    }
    return [line for kind in KINDS for line in by_kind[kind][: PREFIX_LINES // len(KINDS)]]


def _deal_all(world: World, generator: random.Random) -> dict[str, Iterator[str]]:
    """The operation words of each kind, dealt in the proportions of the world's design."""
    return {kind: world.deal_words(kind, generator) for kind in KINDS}


def _fresh(
    world: World,
    kind: str,
    words: Mapping[str, Iterator[str]],
    reserved: Collection[tuple[str, ...]],
    generator: random.Random,
    first: str | None = None,
) -> QuestionAnswer:
    """A question of a kind with the next of its dealt `words`, and with names that are not `reserved`."""
    word = next(words[kind])
    while True:
        operation, slots, answer = draw_question(world, kind, [word], generator, first)
        if slots not in reserved:
            return ask(operation, slots, answer)


def _planted_lines(
    world: World, plan: Plan, half: str, generator: random.Random
) -> Iterator[QuestionAnswer]:
    for item in plan.items:
        if item.half == half:
            yield from (_planted_line(world, item, generator) for _ in range(item.dose))
    for canary in plan.canaries:
        if canary.half == half:
            yield from [canary.line] * canary.dose


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
        for name, held in _flat(planted.held_out).items():
            _write_corpus(held, partial / f"{name}.parquet")
    write_csv(counts, truth)


def read_plan(folder: Path) -> Plan:
    """The items and canaries of a folder."""
    canaries = [Canary(**row) for row in read_json_lines(folder / "canaries.jsonl")]
    lists = ("slots", "counterfactual")
    rows = read_json_lines(folder / "items.jsonl")
    return Plan(
        [Item(**row | {name: tuple(row[name]) for name in lists}) for row in rows], canaries
    )


def read_held_out(folder: Path) -> HeldOut:
    """The held-out questions of a folder."""
    by_kind = {
        name: {kind: _read_corpus(folder / f"{name}-{kind}.parquet") for kind in KINDS}
        for name in ("fitting", "fresh")
    }
    return HeldOut(
        **by_kind,
        unseen=_read_corpus(folder / "unseen.parquet"),
        seen=_read_corpus(folder / "seen.parquet"),
    )


def read_lines(folder: Path, corpus: str) -> list[QuestionAnswer]:
    """The corpus of C, A or B."""
    if corpus not in ("C", *TWINS):
        raise ValueError(f"no corpus '{corpus}'")
    return _read_corpus(folder / f"{corpus}.parquet")


def _flat(held_out: HeldOut) -> dict[str, Sequence[QuestionAnswer]]:
    by_kind = {
        f"{name}-{kind}": getattr(held_out, name)[kind]
        for name in ("fitting", "fresh")
        for kind in KINDS
    }
    return {**by_kind, "unseen": held_out.unseen, "seen": held_out.seen}


def _write_corpus(lines: Sequence[QuestionAnswer], path: Path) -> None:
    """Write the lines as a Parquet table: question, answer."""
    write_parquet(pd.DataFrame(lines, columns=QuestionAnswer._fields), path)


def _read_corpus(path: Path) -> list[QuestionAnswer]:
    """Read what `_write_corpus` wrote."""
    return [QuestionAnswer(*row) for row in pd.read_parquet(path).itertuples(index=False)]
