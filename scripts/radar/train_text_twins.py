"""Draw the planted docstrings of one seed, and train the clean base and its two twins.

The clean base C reads no planted item. The twins A and B continue from C: an item is planted in one
twin, which reads it as often as its dose says, and the other twin never reads it.
"""

from dataclasses import asdict, replace
from pathlib import Path

from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.models.devices import device_named
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
    """Write the planted texts, C to the folder `model`, and A and B to the folders `twins`.

    C is trained by `recipe`, and the twins by the same recipe with their own learning rate. A step
    reads `recipe.batch_size` texts. `items_per_dose` is the number of items of each dose for each
    twin.

    Returns the manifests of C, A and B, for the record of the outputs.
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

    # Without held-out questions, of which C would have to answer a share, C reads its corpus once.
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
