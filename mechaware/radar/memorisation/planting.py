"""Draws and writes all that is planted for one seed: items, canaries, corpora and questions that nobody reads."""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from mechaware.errors import UserError
from mechaware.files import read_json_lines, replacing, write_json_lines
from mechaware.frames import write_csv
from mechaware.radar.evidence.line import Line
from mechaware.radar.memorisation.corpus import (
    Canary,
    Plan,
    base_corpus,
    count_truth,
    draw_canaries,
    draw_held_out,
    read_corpus,
    twin_corpora,
    write_corpus,
)
from mechaware.radar.memorisation.items import TWINS, Condition, draw_items, read_items, recall_items, write_items
from mechaware.radar.memorisation.world import KINDS, World, draw_world

PREFIX_LINES = 4  # of each kind of prefix


class HeldOut(NamedTuple):
    """Questions that no model reads, by kind: `fitting` for RADAR's classifier, `fresh` to compare items with.

    `unseen` are a prefix of such questions; `seen` one of questions that both twins are trained on.
    """

    fitting: dict[str, list[Line]]
    fresh: dict[str, list[Line]]
    unseen: list[Line]
    seen: list[Line]


class Planted(NamedTuple):
    """What `plant` draws."""

    plan: Plan
    held_out: HeldOut
    corpora: dict[str, list[Line]]  # of C, A and B


def plant(
    *,
    per_cell: int,
    conditions: Sequence[Condition],
    canary_dose: int,
    kind_prompts: int,
    fresh: int,
    base_lines: int,
    twin_lines: int,
    seed: int,
) -> Planted:
    """All that is planted for one seed.

    `per_cell`: items of each kind and of each of the `conditions` that each twin sees. `kind_prompts`, `fresh`:
    held-out questions of each kind. `base_lines`, `twin_lines`: lengths of the corpora; a base that is not trained here
    has none. Raises `UserError` for corpora too short for what they hold.
    """
    generator = random.Random(seed)  # noqa: S311
    world = draw_world(recall_items(per_cell, conditions), generator)
    plan = Plan(draw_items(world, per_cell, generator, conditions), draw_canaries(world, canary_dose, generator))
    reserved = {item.slots for item in plan.items}
    held_out = HeldOut(
        fitting={
            kind: draw_held_out(world, kind, world.fitting[kind], kind_prompts, reserved, generator) for kind in KINDS
        },
        fresh={kind: draw_held_out(world, kind, world.testing[kind], fresh, reserved, generator) for kind in KINDS},
        unseen=[
            line
            for kind in KINDS
            for line in draw_held_out(world, kind, world.testing[kind], PREFIX_LINES // len(KINDS), reserved, generator)
        ],
        seen=[],
    )
    try:
        base = base_corpus(world, reserved, base_lines, generator) if base_lines else []
        twins = twin_corpora(world, plan, reserved, twin_lines, generator)
    except ValueError as error:
        raise UserError(
            f"radar/memorisation: {error}; raise base/steps or twins/steps, or lower items_per_cell"
        ) from None
    filler = [line for line, other in zip(*twins.values(), strict=True) if line == other]
    return Planted(plan, held_out._replace(seen=_seen_prefix(world, filler)), {"C": base, **twins})


def _seen_prefix(world: World, filler: Sequence[Line]) -> list[Line]:
    """Questions that both twins are trained on, as many of each kind as the unseen prefix has."""
    by_kind = {
        kind: [line for line in filler if line.question.rpartition(" ")[2].removesuffix(":") in world.words(kind)]
        for kind in KINDS
    }
    return [line for kind in KINDS for line in by_kind[kind][: PREFIX_LINES // len(KINDS)]]


def write_planted(planted: Planted, folder: Path, truth: Path) -> None:
    """Write what was planted to `folder`, and the counts of every item in the corpora to the CSV `truth`."""
    counts = count_truth(planted.plan, planted.corpora)
    with replacing(folder) as partial:
        partial.mkdir()
        write_items(planted.plan.items, partial / "items.jsonl")
        write_json_lines((canary._asdict() for canary in planted.plan.canaries), partial / "canaries.jsonl")
        for name, lines in planted.corpora.items():
            write_corpus(lines, partial / f"{name}.parquet")
        for name, held in _flat(planted.held_out).items():
            write_corpus(held, partial / f"{name}.parquet")
    write_csv(counts, truth)


def read_plan(folder: Path) -> Plan:
    """The items and canaries of a folder."""
    canaries = [Canary(**row) for row in read_json_lines(folder / "canaries.jsonl")]
    return Plan(read_items(folder / "items.jsonl"), canaries)


def read_held_out(folder: Path) -> HeldOut:
    """The held-out questions of a folder."""
    by_kind = {
        name: {kind: read_corpus(folder / f"{name}-{kind}.parquet") for kind in KINDS} for name in ("fitting", "fresh")
    }
    return HeldOut(**by_kind, unseen=read_corpus(folder / "unseen.parquet"), seen=read_corpus(folder / "seen.parquet"))


def read_lines(folder: Path, corpus: str) -> list[Line]:
    """The corpus of C, A or B."""
    if corpus not in ("C", *TWINS):
        raise ValueError(f"no corpus '{corpus}'")
    return read_corpus(folder / f"{corpus}.parquet")


def _flat(held_out: HeldOut) -> dict[str, Sequence[Line]]:
    by_kind = {f"{name}-{kind}": getattr(held_out, name)[kind] for name in ("fitting", "fresh") for kind in KINDS}
    return {**by_kind, "unseen": held_out.unseen, "seen": held_out.seen}
