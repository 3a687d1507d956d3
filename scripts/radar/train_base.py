"""Draw the planted items of one seed, and train the clean base of its twins from random weights."""

from dataclasses import asdict

from mechaware.models.training import LineRecipe
from mechaware.planted.twins.base import BaseSizes
from mechaware.planted.twins.planted_files import write_planted
from mechaware.planted.twins.planting import plant
from mechaware.planted.twins.training import train_base
from mechaware.planted.twins.world import DESIGNS
from scripts.command import Flags, Output


def main(
    *,
    design: str,
    items_per_cell: int,
    kind_prompts: int,
    fresh_questions: int,
    base_lines: int,
    twin_lines: int,
    plant_seed: int,
    sizes: Flags[BaseSizes],
    recipe: Flags[LineRecipe],
    least_answered: float,
    seed: int,
    planted: Output,
    truth: Output,
    model: Output,
) -> dict[str, object]:
    """Write the planted items and the clean base C; return the model's description for its record.

    The folder `planted` has the items, the corpora and the questions for measurements, and the CSV
    `truth` has how often each item occurs in each corpus (`planted_files.write_planted`). The
    folder `model` has C, its tokenizer and its losses.
    """
    drawn = plant(
        per_cell=items_per_cell,
        design=DESIGNS[design],
        kind_prompts=kind_prompts,
        fresh=fresh_questions,
        base_lines=base_lines,
        twin_lines=twin_lines,
        seed=plant_seed,
    )
    write_planted(drawn, planted, truth)

    trained = train_base(
        drawn.corpora["C"],
        drawn.held_out.fresh,
        sizes,
        recipe,
        model,
        least_answered=least_answered,
        seed=seed,
    )
    return asdict(trained)
