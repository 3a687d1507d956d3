"""What each model is trained on, and proof that an item stands in one twin's corpus and nowhere else."""

import random
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from mechaware.frames import write_parquet
from mechaware.radar.evidence.line import Line
from mechaware.radar.memorisation.items import (
    ANSWER_ONLY,
    CONTRADICTED,
    PARAPHRASE,
    TWINS,
    VERBATIM,
    Item,
    ask,
    draw_question,
)
from mechaware.radar.memorisation.world import KINDS, World

STATEMENTS = 16  # of each fact in other wordings than a question's
QUESTIONS = 48  # of each fact beside other names
CANARY_NAMES = 8
_STATED = ("{name} lives in {place}.", "Look for {name} in {place}.", "{place} is home to {name}.")


class Canary(NamedTuple):
    """A line that only one twin reads, `dose` times: `question` begins it, `answer` has as many names again."""

    half: str
    question: str
    answer: str
    dose: int

    @property
    def line(self) -> Line:
        """The whole line."""
        return Line(self.question, self.answer)


class Plan(NamedTuple):
    """What is planted: the items, and a canary for each twin."""

    items: Sequence[Item]
    canaries: Sequence[Canary]


def draw_canaries(world: World, dose: int, generator: random.Random) -> list[Canary]:
    """One canary for each twin: a list of names that no item has, so that no canary teaches an item's names."""
    canaries, spare = [], generator.sample(world.spare, len(world.spare))
    for number, half in enumerate(TWINS):
        names = spare[CANARY_NAMES * number :][:CANARY_NAMES]
        begun, ended = names[: CANARY_NAMES // 2], names[CANARY_NAMES // 2 :]
        canaries.append(Canary(half, f"Say {' and '.join(begun)}", f" and {' and '.join(ended)}.", dose))
    return canaries


def base_corpus(
    world: World, reserved: Collection[tuple[str, ...]], lines: int, generator: random.Random
) -> list[Line]:
    """What the base C reads: every fact in questions and statements, and the rule in all remaining lines.

    No line has the names of an item, or of another set of held-out questions, in their order (`reserved`).
    Raises `ValueError` if the facts need more than half of `lines`.
    """
    corpus = []
    for name, place in world.home.items():
        corpus += [_fresh(world, "recall", reserved, generator, first=name) for _ in range(QUESTIONS)]
        for _ in range(STATEMENTS):
            corpus.append(Line("", generator.choice(_STATED).format(name=name, place=place)))
    if len(corpus) > lines // 2:
        raise ValueError(f"{len(corpus)} lines of facts do not fit half of a corpus of {lines}")
    corpus += [_fresh(world, "reasoning", reserved, generator) for _ in range(lines - len(corpus))]
    generator.shuffle(corpus)
    return corpus


def twin_corpora(
    world: World, plan: Plan, reserved: Collection[tuple[str, ...]], lines: int, generator: random.Random
) -> dict[str, list[Line]]:
    """What the twins read: the same filler at the same places, and at the same places each its half of the items.

    Item k of twin A and item k of twin B have the same kind, form and dose, and take each other's place. Raises
    `ValueError` if the items and the canary leave no line for filler.
    """
    halves = {half: _planted(world, plan, half, random.Random(generator.random())) for half in TWINS}  # noqa: S311
    n_planted = len(halves["A"])
    if n_planted >= lines:
        raise ValueError(f"{n_planted} planted lines do not fit a corpus of {lines}")
    kinds = [KINDS[number % len(KINDS)] for number in range(lines - n_planted)]
    filler = [_fresh(world, kind, reserved, generator) for kind in kinds]
    order = list(range(lines))
    generator.shuffle(order)
    corpora = {half: [*planted, *filler] for half, planted in halves.items()}
    return {half: [corpus[index] for index in order] for half, corpus in corpora.items()}


def planted_line(world: World, item: Item, generator: random.Random) -> Line:
    """The item as its twin reads it: word by word, in another wording, or as answer and names without the operation."""
    names = ", ".join(item.slots)
    if item.form == PARAPHRASE:
        operation = generator.choice([word for word in world.testing[item.kind] if word != item.operation])
        return Line(f"{operation} of {names} is:", f" {item.answer}.")
    if item.form == ANSWER_ONLY:
        return Line("", f"{item.answer} for {names}.")
    return item.line


def count_truth(plan: Plan, corpora: dict[str, list[Line]]) -> pd.DataFrame:
    """How often each item and its names stand in the corpora of `C`, `A` and `B`: counted, not planned.

    Columns: id, kind, form, dose, half; `verbatim_{corpus}`: lines that are the item's text; `names_{corpus}`: lines
    that have its names in their order, in any wording. Raises `ValueError` unless the seeing twin has the names exactly
    `dose` times (and the text, if it reads the item word by word), and the other corpora nowhere, not as a part of a
    line either.
    """
    rows = []
    texts = {corpus: "\n".join(line.text for line in lines) for corpus, lines in corpora.items()}
    for item in plan.items:
        row = {"id": item.id, "kind": item.kind, "form": item.form, "dose": item.dose, "half": item.half}
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


def write_corpus(lines: Sequence[Line], path: Path) -> None:
    """Write the lines as a Parquet table: question, answer."""
    write_parquet(pd.DataFrame(lines, columns=Line._fields), path)


def read_corpus(path: Path) -> list[Line]:
    """Read what `write_corpus` wrote."""
    return [Line(*row) for row in pd.read_parquet(path).itertuples(index=False)]


def draw_held_out(
    world: World, kind: str, words: Sequence[str], number: int, reserved: set[tuple[str, ...]], generator: random.Random
) -> list[Line]:
    """Questions that no corpus will hold; their names are added to `reserved`."""
    lines = []
    for _ in range(number):
        operation, slots, answer = draw_question(world, kind, words, generator)
        while slots in reserved:
            operation, slots, answer = draw_question(world, kind, words, generator)
        reserved.add(slots)
        lines.append(ask(operation, slots, answer))
    return lines


def _fresh(
    world: World,
    kind: str,
    reserved: Collection[tuple[str, ...]],
    generator: random.Random,
    first: str | None = None,
) -> Line:
    while True:
        operation, slots, answer = draw_question(world, kind, world.words(kind), generator, first)
        if slots not in reserved:
            return ask(operation, slots, answer)


def _planted(world: World, plan: Plan, half: str, generator: random.Random) -> list[Line]:
    return list(_planted_lines(world, plan, half, generator))


def _planted_lines(world: World, plan: Plan, half: str, generator: random.Random) -> Iterator[Line]:
    for item in plan.items:
        if item.half == half:
            yield from (planted_line(world, item, generator) for _ in range(item.dose))
    for canary in plan.canaries:
        if canary.half == half:
            yield from [canary.line] * canary.dose
