"""Train a model on stories, or on NL-to-SQL rows with or without the schema in its context."""

from dataclasses import asdict
from pathlib import Path
from typing import Literal

from mechaware.models.registry import Device, device_named
from mechaware.planted.sql.training import Recipe, train
from scripts.command import Output, SideOutput


def main(
    *,
    base: Path,
    training: Path,
    held_out: Path,
    condition: Literal["base", "schema", "no_schema"],
    steps: int,
    batch_size: int,
    learning_rate: float,
    warmup_steps: int,
    weight_decay: float,
    evaluate_every: int,
    seed: int,
    device: Device,
    checkpoints: SideOutput,
    model: Output,
) -> dict[str, object]:
    """Write the trained model and its losses (history.csv) to the folder `model`; a killed run goes on."""
    recipe = Recipe(
        steps=steps,
        batch_size=batch_size,
        learning_rate=learning_rate,
        warmup_steps=warmup_steps,
        weight_decay=weight_decay,
        evaluate_every=evaluate_every,
        seed=seed,
    )
    return asdict(
        train(
            base,
            training,
            held_out,
            model,
            checkpoints,
            condition=condition,
            recipe=recipe,
            device=device_named(device),
        )
    )
