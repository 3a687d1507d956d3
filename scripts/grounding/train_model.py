"""Train a model on stories, or on NL-to-SQL rows with or without the schema in its context."""

from dataclasses import asdict
from pathlib import Path
from typing import Literal

from mechaware.models.devices import Device, device_named
from mechaware.planted.sql.history import meets, read_history
from mechaware.planted.sql.training import Recipe, train
from scripts.command import Flags, Output, SideOutput


def main(
    *,
    base: Path,
    training: Path,
    held_out: Path,
    as_long_as: list[Path],
    condition: Literal["base", "schema", "no_schema"],
    recipe: Flags[Recipe],
    device: Device,
    checkpoints: SideOutput,
    model: Output,
) -> dict[str, object]:
    """Write the trained model and its losses (history.csv) to the folder `model`; a killed run goes
    on.

    Training takes as many steps as the model in the folder `as_long_as` took; that is one folder or
    none. Without one it takes at most the steps of the `recipe`. The record has the steps that were
    taken, and whether the recipe's criterion was met.
    """
    steps_taken = [int(read_history(folder)["step"].iloc[-1]) for folder in as_long_as]
    trained = train(
        base,
        training,
        held_out,
        model,
        checkpoints,
        condition=condition,
        recipe=recipe,
        ends_at=max(steps_taken, default=None),
        device=device_named(device),
    )
    last = read_history(model).iloc[-1]
    met = meets(recipe.criterion, float(last["held_out_exact_match"]))
    return asdict(trained) | {"steps": int(last["step"]), "met_criterion": met}
