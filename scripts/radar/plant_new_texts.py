"""Draw the planted docstrings of one seed of a pretrained base, and the corpora of its twins."""

from pathlib import Path

from mechaware.planted.natural.corpus import read_passages
from mechaware.planted.natural.planting import plant_new_texts, write_planted_texts
from scripts.command import Output


def main(
    *,
    passages: Path,
    filler: Path,
    doses: list[int],
    items_per_dose: int,
    twin_lines: int,
    seed: int,
    planted: Output,
) -> None:
    """Write items, corpora and prefixes to the folder `planted`.

    Items are of `passages`, the rest is of `filler`.
    """
    drawn = plant_new_texts(
        read_passages(passages),
        read_passages(filler),
        doses=doses,
        per_dose=items_per_dose,
        twin_lines=twin_lines,
        seed=seed,
    )
    write_planted_texts(drawn, planted)
