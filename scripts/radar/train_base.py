"""Draw the planted items of one seed, and train the clean base of its twins from random weights."""

from dataclasses import asdict

from mechaware.models.training import LineRecipe
from mechaware.planted.twins.items import DESIGNS
from mechaware.planted.twins.planting import plant, write_planted
from mechaware.planted.twins.training import train_base
from scripts.command import Output


def main(
    *,
    design: str,
    items_per_cell: int,
    kind_prompts: int,
    fresh_questions: int,
    base_lines: int,
    twin_lines: int,
    plant_seed: int,
    n_layers: int,
    d_model: int,
    n_heads: int,
    vocabulary: int,
    context_length: int,
    batch_size: int,
    learning_rate: float,
    warmup_steps: int,
    weight_decay: float,
    least_answered: float,
    seed: int,
    planted: Output,
    truth: Output,
    model: Output,
) -> dict[str, object]:
    """Write what `plant_items` writes, and the model C, its tokenizer and its losses to the folder `model`."""
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
    lines = drawn.corpora["C"]
    questions = drawn.held_out.fresh
    recipe = LineRecipe(batch_size, learning_rate, warmup_steps, weight_decay)
    sizes = {
        "n_layers": n_layers,
        "d_model": d_model,
        "n_heads": n_heads,
        "context_length": context_length,
    }
    trained = train_base(
        lines,
        questions,
        recipe,
        model,
        vocabulary=vocabulary,
        least_answered=least_answered,
        seed=seed,
        **sizes,
    )
    return asdict(trained)
