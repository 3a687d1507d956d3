"""Draw the planted docstrings of one seed, and train their clean base and its twins."""

from dataclasses import asdict, replace
from pathlib import Path

from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.models.registry import device_named
from mechaware.models.training import LineRecipe
from mechaware.planted.natural.corpus import read_passages
from mechaware.planted.natural.planting import plant_texts, write_planted_texts
from mechaware.planted.twins.base import BaseSizes
from mechaware.planted.twins.items import TWINS
from mechaware.planted.twins.training import train_base, train_twin
from scripts.command import Flags, Output


def main(
    *,
    passages: Path,
    items_per_dose: int,
    base_steps: int,
    twin_steps: int,
    plant_seed: int,
    sizes: Flags[BaseSizes],
    recipe: Flags[LineRecipe],
    twin_learning_rate: float,
    seed: int,
    planted: Output,
    model: Output,
    twins: list[Output],
) -> list[dict[str, object]]:
    """Write what was planted, the base C to the folder `model`, and A and B to those of `twins`.

    The `recipe` is that of C; the twins differ from it in their learning rate.
    """
    drawn = plant_texts(
        read_passages(passages),
        per_dose=items_per_dose,
        base_lines=base_steps * recipe.batch_size,
        twin_lines=twin_steps * recipe.batch_size,
        seed=plant_seed,
    )
    write_planted_texts(drawn, planted)

    lines = {}
    for name, texts in drawn.corpora.items():
        lines[name] = [QuestionAnswer("", text) for text in texts]

    no_questions: dict[str, list[QuestionAnswer]] = {}
    base = train_base(lines["C"], no_questions, sizes, recipe, model, least_answered=0, seed=seed)

    trained = [asdict(base)]
    twin_recipe = replace(recipe, learning_rate=twin_learning_rate)
    for twin, out in zip(TWINS, twins, strict=True):
        manifest = train_twin(
            model, lines[twin], twin_recipe, out, device=device_named("cpu"), frozen_share=0
        )
        trained.append(asdict(manifest))
    return trained
