"""Continue the base on each twin's corpus, one after the other."""

from dataclasses import asdict
from pathlib import Path

from mechaware.models.devices import Device, device_named
from mechaware.models.training import LineRecipe
from mechaware.planted.twins.items import TWINS
from mechaware.planted.twins.planted_files import read_lines
from mechaware.planted.twins.training import train_twin
from scripts.command import Flags, Output


def main(
    *,
    base: Path,
    planted: Path,
    recipe: Flags[LineRecipe],
    frozen_share: float,
    device: Device,
    twins: list[Output],
) -> list[dict[str, object]]:
    """Write each twin, its tokenizer and its losses to its folder of `twins`, those of A and B."""
    trained = []
    for twin, out in zip(TWINS, twins, strict=True):
        lines = read_lines(planted, twin)
        manifest = train_twin(
            base, lines, recipe, out, device=device_named(device), frozen_share=frozen_share
        )
        trained.append(asdict(manifest))
    return trained
