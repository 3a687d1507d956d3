"""Draws, writes and reads all natural text that is planted for one seed: items and corpora.

An item is a docstring that one of the twins, A or B, reads among its filler; `half` is this twin.
The twins are trained on from a base: C, or a pretrained model.
"""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from mechaware.core.errors import UserError
from mechaware.core.files import atomic_write
from mechaware.core.frames import write_parquet
from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.planted.natural.corpus import Passage
from mechaware.planted.twins.items import TWINS, VERBATIM

DOSES = (1, 4, 16, 64)  # how often a twin reads an item
# The kind of every item here; an item with a question has another kind, recall or reasoning.
KIND = "docstring"
_PREFIX_LINES = 2  # of each prefix


class TextItem(NamedTuple):
    """A passage that the twin `half` reads `dose` times, and the other twin never."""

    id: str
    package: str
    half: str
    dose: int
    text: str
    kind: str = KIND
    form: str = VERBATIM

    @property
    def line(self) -> QuestionAnswer:
        """The passage as a line without a question."""
        return QuestionAnswer("", self.text)


class PlantedTexts(NamedTuple):
    """All that is planted for one seed.

    - `items`: of both twins.
    - `corpora`: for each of the models C, A and B, the texts that it reads, in order. C reads none
      if the base is a pretrained model.
    - `unseen`: texts that no model reads, a prefix for detectors.
    - `seen`: texts that both twins read, another prefix.
    """

    items: Sequence[TextItem]
    corpora: dict[str, list[str]]
    unseen: list[str]
    seen: list[str]


def plant_texts(
    passages: Sequence[Passage], *, per_dose: int, base_lines: int, twin_lines: int, seed: int
) -> PlantedTexts:
    """Draw `per_dose` items of each dose for each twin, and the corpora.

    Passages of one package and of neighbouring lengths form a block. Each combination of a dose and
    a twin gets one passage of the block, at random. So seen and unseen items differ neither in
    package nor in length.

    Two of the other passages are the unseen prefix. C reads 50% of the rest. The other 50% are
    filler, which both twins read among their items, the same lines at the same line numbers.

    Args:
        passages: The corpus of docstrings.
        per_dose: Items of each dose for each twin.
        base_lines: The number of texts that C reads.
        twin_lines: The number of texts that each twin reads.
        seed: The seed of all draws; their order fixes the results.

    Raises:
        UserError: The corpora are too short for the items, or there are too few passages.
    """
    generator = random.Random(seed)  # noqa: S311
    section = "radar/memorisation/natural"
    items = _draw_items(passages, DOSES, per_dose, generator, section)
    others = _other_texts(items, passages, generator)
    unseen = others[:_PREFIX_LINES]
    read = others[_PREFIX_LINES:]
    middle = len(read) // 2
    read_by_twins = read[:middle]
    read_by_base = read[middle:]

    filler = _filler_lines(
        read_by_twins, items, twin_lines, generator, section=section, steps_key="twin_steps"
    )
    corpora = {"C": _repeated(read_by_base, base_lines, generator)}
    corpora |= _twin_corpora(items, filler, generator)
    return PlantedTexts(items, corpora, unseen, seen=filler[:_PREFIX_LINES])


def plant_new_texts(
    passages: Sequence[Passage],
    filler: Sequence[Passage],
    *,
    doses: Sequence[int],
    per_dose: int,
    twin_lines: int,
    seed: int,
) -> PlantedTexts:
    """Draw items as `plant_texts` does, for twins of a pretrained model: C's corpus is empty.

    Args:
        passages: Newer than the model; items and the unseen prefix are drawn from these.
        filler: What both twins read among their items, as often as `twin_lines` needs. The
            pretrained model may have read it.
        doses: How often a twin reads an item.
        per_dose: Items of each dose for each twin.
        twin_lines: The number of texts that each twin reads.
        seed: The seed of all draws; their order fixes the results.

    Raises:
        UserError: `twin_lines` are too few for the items, or there are too few passages.
    """
    generator = random.Random(seed)  # noqa: S311
    section = "radar/memorisation/pretrained/natural"
    items = _draw_items(passages, doses, per_dose, generator, section)
    unseen = _other_texts(items, passages, generator)[:_PREFIX_LINES]

    filler_texts = [passage.text for passage in filler]
    filler_lines = _filler_lines(
        filler_texts, items, twin_lines, generator, section=section, steps_key="steps"
    )
    corpora: dict[str, list[str]] = {"C": []}
    corpora |= _twin_corpora(items, filler_lines, generator)
    return PlantedTexts(items, corpora, unseen, seen=filler_lines[:_PREFIX_LINES])


def draw_unread(
    passages: Sequence[Passage], planted: PlantedTexts, n_texts: int, *, seed: int
) -> list[str]:
    """Draw `n_texts` passages that no model of this seed reads, and that are in no prefix.

    The models are C and the twins. The passages come from the same source as the items. A user can
    get such texts by keeping a part of the control texts out of the test. Raises `UserError` if
    there are fewer.
    """
    read_or_planted = {item.text for item in planted.items} | {*planted.unseen, *planted.seen}
    for corpus in planted.corpora.values():
        read_or_planted.update(corpus)
    unread = [passage.text for passage in passages if passage.text not in read_or_planted]

    if len(unread) < n_texts:
        raise UserError(
            f"radar/memorisation/natural: a fine-tuning needs {n_texts} passages that no model "
            f"reads, and there are {len(unread)}; lower items_per_dose, base_steps or twin_steps"
        )
    return random.Random(seed).sample(unread, n_texts)  # noqa: S311


def _draw_items(
    passages: Sequence[Passage],
    doses: Sequence[int],
    per_dose: int,
    generator: random.Random,
    section: str,
) -> list[TextItem]:
    """`per_dose` items of each dose for each twin, one of each from each of `per_dose` blocks.

    Raises `UserError`, with the `section` of the config, if `per_dose` exceeds half of all blocks.
    """
    block_size = len(doses) * len(TWINS)
    blocks = _blocks(passages, block_size)
    if per_dose > len(blocks) // 2:
        raise UserError(
            f"{section}: {per_dose} items per dose need twice as many blocks of "
            f"{block_size} passages, and there are {len(blocks)}; lower items_per_dose"
        )
    items: list[TextItem] = []
    for number, block in enumerate(generator.sample(blocks, per_dose)):
        items += _items_of_block(block, doses, number, generator)
    return items


def _other_texts(
    items: Sequence[TextItem], passages: Sequence[Passage], generator: random.Random
) -> list[str]:
    """The texts of all passages that are not items, shuffled."""
    planted = {item.text for item in items}
    others = [passage.text for passage in passages if passage.text not in planted]
    generator.shuffle(others)
    return others


def _filler_lines(
    filler: Sequence[str],
    items: Sequence[TextItem],
    twin_lines: int,
    generator: random.Random,
    *,
    section: str,
    steps_key: str,
) -> list[str]:
    """The texts that both twins read among their items, which fill up `twin_lines` lines.

    Raises `UserError` if the items leave fewer lines than a prefix has. Its message names the
    `section` of the config and the key there, `steps_key`, that sets the number of lines.
    """
    n_planted = sum(item.dose for item in items if item.half == TWINS[0])
    if twin_lines < n_planted + _PREFIX_LINES:
        raise UserError(
            f"{section}: {n_planted} planted lines do not fit a corpus of {twin_lines}; raise "
            f"{steps_key}, or lower items_per_dose"
        )
    return _repeated(filler, twin_lines - n_planted, generator)


def _twin_corpora(
    items: Sequence[TextItem], filler: Sequence[str], generator: random.Random
) -> dict[str, list[str]]:
    """By twin, the texts that it reads: its items and the filler, both twins in one random order.

    The filler has the same line numbers in both. An item of A has the line numbers of the item of B
    with the same dose and block. With the items a and b of dose 2, the filler f, g and the order
    2, 0, 3, 1:

        before shuffling    A  a a f g    B  b b f g
        shuffled            A  f a g a    B  f b g b
    """
    corpora = {}
    for twin in TWINS:
        lines: list[str] = []
        for item in items:
            if item.half == twin:
                lines += [item.text] * item.dose
        corpora[twin] = [*lines, *filler]

    n_lines = len(corpora[TWINS[0]])
    order = generator.sample(range(n_lines), n_lines)
    shuffled = {}
    for twin, lines in corpora.items():
        shuffled[twin] = [lines[index] for index in order]
    return shuffled


def _blocks(passages: Sequence[Passage], size: int) -> list[list[Passage]]:
    """The passages of each package, sorted by length and cut into blocks of `size`.

    The last passages of a package, too few for a block, are left out.
    """
    blocks = []
    for package in sorted({passage.package for passage in passages}):
        package_passages = [passage for passage in passages if passage.package == package]
        package_passages.sort(key=lambda passage: (len(passage.text), passage.text))
        n_blocks = len(package_passages) // size
        for number in range(n_blocks):
            start = number * size
            blocks.append(package_passages[start : start + size])
    return blocks


def _items_of_block(
    block: Sequence[Passage], doses: Sequence[int], number: int, generator: random.Random
) -> list[TextItem]:
    """An item of each dose for each twin, in the order of the doses.

    Each is a random passage of the block, which has as many passages. `number` is the block's, for
    the items' ids.
    """
    conditions = [(dose, half) for dose in doses for half in TWINS]
    in_random_order = generator.sample(block, len(block))
    items = []
    for (dose, half), passage in zip(conditions, in_random_order, strict=True):
        item_id = f"{dose}-{number:03d}{half}"
        item = TextItem(
            id=item_id, package=passage.package, half=half, dose=dose, text=passage.text
        )
        items.append(item)
    return items


def _repeated(texts: Sequence[str], n_lines: int, generator: random.Random) -> list[str]:
    """`n_lines` lines: all texts in random order, then all of them in another order, and so on."""
    lines: list[str] = []
    while len(lines) < n_lines:
        lines += generator.sample(texts, len(texts))
    return lines[:n_lines]


def write_planted_texts(planted: PlantedTexts, folder: Path) -> None:
    """Write what was planted to `folder`, whole or not at all."""
    texts_by_name = planted.corpora | {"unseen": planted.unseen, "seen": planted.seen}
    with atomic_write(folder) as partial:
        partial.mkdir()
        write_parquet(pd.DataFrame(planted.items), partial / "items.parquet")
        for name, texts in texts_by_name.items():
            write_parquet(pd.DataFrame({"text": texts}), partial / f"{name}.parquet")


def read_planted_texts(folder: Path) -> PlantedTexts:
    """Read what `write_planted_texts` wrote."""

    def read_texts(name: str) -> list[str]:
        table = pd.read_parquet(folder / f"{name}.parquet")
        return list(table["text"])

    rows = pd.read_parquet(folder / "items.parquet")[list(TextItem._fields)]
    items = [TextItem(*row) for row in rows.itertuples(index=False, name=None)]
    corpora = {name: read_texts(name) for name in ("C", *TWINS)}
    return PlantedTexts(items, corpora, unseen=read_texts("unseen"), seen=read_texts("seen"))
