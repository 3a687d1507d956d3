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
    """Write the trained model and its losses (history.csv) to the folder `model`.

    A killed run, started again, continues from its last whole checkpoint.

    Args:
        base: The folder of the model that is trained.
        training: The rows to train on; with the condition `base`, stories.
        held_out: Rows for the evaluations during training.
        as_long_as: The folder of a trained model, whose number of steps this model takes as well;
            or no folder, and then training takes at most the steps of the `recipe`.
        condition: What the model reads: stories (`base`), or requests for SQL with the schema in
            their context or without it.
        recipe: How the model is trained.
        device: Where the model is trained.
        checkpoints: The folder of checkpoints, which are removed at the end.
        model: The folder of the trained model.

    Returns:
        The model's description for the provenance record, with two keys added: steps, the number
        of steps that were taken, and met_criterion, whether the exact match on the held-out rows
        met the recipe's criterion.
    """
    ends_at = None
    if as_long_as:
        (folder,) = as_long_as
        ends_at = _steps_taken(folder)
    trained = train(
        base,
        training,
        held_out,
        model,
        checkpoints,
        condition=condition,
        recipe=recipe,
        ends_at=ends_at,
        device=device_named(device),
    )
    last = read_history(model).iloc[-1]
    met = meets(recipe.criterion, float(last["held_out_exact_match"]))
    return asdict(trained) | {"steps": _steps_taken(model), "met_criterion": met}


def _steps_taken(model: Path) -> int:
    """The number of steps after which the training of a model ended."""
    return int(read_history(model)["step"].iloc[-1])
