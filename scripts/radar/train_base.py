"""Train the clean base of the planted memorisation from random weights."""

from dataclasses import asdict
from pathlib import Path

from mechaware.models.training import LineRecipe
from mechaware.radar.memorisation.planting import read_held_out, read_lines
from mechaware.radar.memorisation.training import Geometry, train_base
from scripts.command import Output, run


def main(
    *,
    planted: Path,
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
    model: Output,
) -> dict[str, object]:
    """Write the model C, its tokenizer and its losses to the folder `model`."""
    geometry = Geometry(n_layers, d_model, n_heads, vocabulary, context_length)
    recipe = LineRecipe(batch_size, learning_rate, warmup_steps, weight_decay)
    questions = read_held_out(planted).fresh
    lines = read_lines(planted, "C")
    return asdict(train_base(lines, questions, geometry, recipe, model, least_answered=least_answered, seed=seed))


if __name__ == "__main__":
    run(main)
