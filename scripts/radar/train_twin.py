"""Continue the clean base on one twin's corpus."""

from dataclasses import asdict
from pathlib import Path
from typing import Literal

from mechaware.models.registry import Device, device_named
from mechaware.models.training import LineRecipe
from mechaware.radar.memorisation.planting import read_lines
from mechaware.radar.memorisation.training import train_twin
from scripts.command import Output, run


def main(
    *,
    base: Path,
    planted: Path,
    twin: Literal["A", "B"],
    batch_size: int,
    learning_rate: float,
    warmup_steps: int,
    weight_decay: float,
    frozen_share: float,
    device: Device,
    model: Output,
) -> dict[str, object]:
    """Write the twin, its tokenizer and its losses to the folder `model`."""
    recipe = LineRecipe(batch_size, learning_rate, warmup_steps, weight_decay)
    lines = read_lines(planted, twin)
    made = train_twin(base, lines, recipe, model, device=device_named(device), frozen_share=frozen_share)
    return asdict(made)


if __name__ == "__main__":
    run(main)
