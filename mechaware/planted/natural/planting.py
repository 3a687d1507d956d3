"""What is planted of natural text for one seed: the items of each half, and the corpora of the base and the twins."""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from mechaware.core.errors import UserError
from mechaware.core.files import atomic_write
from mechaware.core.frames import write_parquet
from mechaware.instruments.radar.prompts import QuestionAnswer
from mechaware.planted.natural.corpus import Passage
from mechaware.planted.twins.items import TWINS, VERBATIM

DOSES = (1, 4, 16, 64)
KIND = "docstring"
_PREFIX_LINES = 2  # of each prefix


class TextItem(NamedTuple):
    """A passage that one twin reads `dose` times: the twin `half`."""

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

    `corpora`: of C, A and B, as texts. `unseen` and `seen`: prefixes of texts that no model, or that both twins read.
    """

    items: Sequence[TextItem]
    corpora: dict[str, list[str]]
    unseen: list[str]
    seen: list[str]


def plant_texts(
    passages: Sequence[Passage], *, per_dose: int, base_lines: int, twin_lines: int, seed: int
) -> PlantedTexts:
    """Draw `per_dose` items of each dose for each twin, and the corpora in lines.

    Passages of one package and of neighbouring lengths form a block, one passage for each dose and half, which are
    drawn at random within it: members and non-members differ in neither. C reads all other passages but one half of
    them, as often as `base_lines` need; the twins read the other half between their items, the same at the same places.
    Raises `UserError` for corpora too short for what they hold, and for more items than there are passages.
    """
    generator = random.Random(seed)  # noqa: S311
    items = _draw_items(passages, DOSES, per_dose, generator, "radar/memorisation/natural")
    others = _texts_besides(items, passages, generator)
    unseen, others = others[:_PREFIX_LINES], others[_PREFIX_LINES:]
    filler, read_by_base = others[: len(others) // 2], others[len(others) // 2 :]

    filler = _filler_lines(
        filler, items, twin_lines, generator, "radar/memorisation/natural", "twin_steps"
    )
    corpora = {"C": _repeated(read_by_base, base_lines, generator)}
    corpora |= _twin_corpora(items, filler, generator)
    return PlantedTexts(items, corpora, unseen, filler[:_PREFIX_LINES])


def plant_new_texts(
    passages: Sequence[Passage],
    filler: Sequence[Passage],
    *,
    doses: Sequence[int],
    per_dose: int,
    twin_lines: int,
    seed: int,
) -> PlantedTexts:
    """Draw items as `plant_texts` does, for twins of a pretrained model: there is no corpus of C.

    Items and the unseen prefix are of `passages`, which are newer than the model; between its items a twin reads all of
    `filler`, as often as `twin_lines` need, which the model may have read before. Raises `UserError` as `plant_texts`
    does.
    """
    generator = random.Random(seed)  # noqa: S311
    where = "radar/memorisation/pretrained/natural"
    items = _draw_items(passages, doses, per_dose, generator, where)
    unseen = _texts_besides(items, passages, generator)[:_PREFIX_LINES]

    filler_texts = [passage.text for passage in filler]
    filler_lines = _filler_lines(filler_texts, items, twin_lines, generator, where, "steps")
    corpora: dict[str, list[str]] = {"C": []}
    corpora |= _twin_corpora(items, filler_lines, generator)
    return PlantedTexts(items, corpora, unseen, filler_lines[:_PREFIX_LINES])


def draw_unread(
    passages: Sequence[Passage], planted: PlantedTexts, n_texts: int, *, seed: int
) -> list[str]:
    """Draw `n_texts` of the passages that no model of the seed reads, neither C nor a twin, and that are no prefix.

    They are of the same source as the items and not among them: what a user has who holds a part of the control out of
    the test. Raises `UserError` if there are fewer.
    """
    read_or_planted = {item.text for item in planted.items} | {*planted.unseen, *planted.seen}
    for corpus in planted.corpora.values():
        read_or_planted.update(corpus)
    unread = [passage.text for passage in passages if passage.text not in read_or_planted]

    if len(unread) < n_texts:
        raise UserError(
            f"radar/memorisation/natural: a fine-tuning needs {n_texts} passages that no model reads, and there are "
            f"{len(unread)}; lower items_per_dose, base_steps or twin_steps"
        )
    return random.Random(seed).sample(unread, n_texts)  # noqa: S311


def _draw_items(
    passages: Sequence[Passage],
    doses: Sequence[int],
    per_dose: int,
    generator: random.Random,
    where: str,
) -> list[TextItem]:
    """`per_dose` items of each dose and half. Raises `UserError`, naming the config's section, for too few passages."""
    block_size = len(doses) * len(TWINS)
    blocks = _blocks(passages, block_size)
    if per_dose > len(blocks) // 2:
        raise UserError(
            f"{where}: {per_dose} items per dose need twice as many blocks of "
            f"{block_size} passages, and there are {len(blocks)}; lower items_per_dose"
        )
    return [
        item
        for number, block in enumerate(generator.sample(blocks, per_dose))
        for item in _items_of_block(block, doses, number, generator)
    ]


def _texts_besides(
    items: Sequence[TextItem], passages: Sequence[Passage], generator: random.Random
) -> list[str]:
    """The texts of all passages that are no items, shuffled."""
    planted = {item.text for item in items}
    others = [passage.text for passage in passages if passage.text not in planted]
    generator.shuffle(others)
    return others


def _filler_lines(
    filler: Sequence[str],
    items: Sequence[TextItem],
    twin_lines: int,
    generator: random.Random,
    where: str,
    steps: str,
) -> list[str]:
    """What a twin reads between its items. Raises `UserError`, naming the config's section, for too few lines."""
    n_planted = sum(item.dose for item in items if item.half == TWINS[0])
    if twin_lines < n_planted + _PREFIX_LINES:
        raise UserError(
            f"{where}: {n_planted} planted lines do not fit a corpus of {twin_lines}; raise "
            f"{steps}, or lower items_per_dose"
        )
    return _repeated(filler, twin_lines - n_planted, generator)


def _twin_corpora(
    items: Sequence[TextItem], filler: Sequence[str], generator: random.Random
) -> dict[str, list[str]]:
    """What each twin reads: the same filler at the same places, and at the same other places its items."""
    corpora = {}
    for twin in TWINS:
        lines: list[str] = []
        for item in items:
            if item.half == twin:
                lines += [item.text] * item.dose
        corpora[twin] = [*lines, *filler]

    n_lines = len(corpora[TWINS[0]])
    order = generator.sample(range(n_lines), n_lines)
    return {twin: [lines[place] for place in order] for twin, lines in corpora.items()}


def _blocks(passages: Sequence[Passage], size: int) -> list[list[Passage]]:
    """Passages of one package, sorted by length, in blocks of `size`; a rest is left out."""
    blocks = []
    for package in sorted({passage.package for passage in passages}):
        of_package = [passage for passage in passages if passage.package == package]
        of_package.sort(key=lambda passage: (len(passage.text), passage.text))
        whole = len(of_package) // size * size
        blocks += [of_package[start : start + size] for start in range(0, whole, size)]
    return blocks


def _items_of_block(
    block: Sequence[Passage], doses: Sequence[int], number: int, generator: random.Random
) -> list[TextItem]:
    """An item of each dose and half, in the order of the doses; the halves take each other's place."""
    places = [(dose, half) for dose in doses for half in TWINS]
    drawn = generator.sample(block, len(block))
    return [
        TextItem(f"{dose}-{number:03d}{half}", passage.package, half, dose, passage.text)
        for (dose, half), passage in zip(places, drawn, strict=True)
    ]


def _repeated(texts: Sequence[str], n_lines: int, generator: random.Random) -> list[str]:
    """`n_lines` of the texts: all of them, shuffled, and again from the start."""
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
    rows = pd.read_parquet(folder / "items.parquet")[list(TextItem._fields)]
    texts = {
        name: pd.read_parquet(folder / f"{name}.parquet")["text"].tolist()
        for name in ("C", *TWINS, "unseen", "seen")
    }
    unseen, seen = texts.pop("unseen"), texts.pop("seen")
    items = [TextItem(*row) for row in rows.itertuples(index=False, name=None)]
    return PlantedTexts(items, texts, unseen, seen)
