"""Draw the planted docstrings of one seed, and train their clean base and its twins."""

from dataclasses import asdict
from pathlib import Path

from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.models.registry import device_named
from mechaware.models.training import LineRecipe
from mechaware.planted.natural.corpus import read_passages
from mechaware.planted.natural.planting import plant_texts, write_planted_texts
from mechaware.planted.twins.items import TWINS
from mechaware.planted.twins.training import train_base, train_twin
from scripts.command import Output


def main(
    *,
    passages: Path,
    items_per_dose: int,
    base_steps: int,
    twin_steps: int,
    batch_size: int,
    plant_seed: int,
    n_layers: int,
    d_model: int,
    n_heads: int,
    vocabulary: int,
    context_length: int,
    learning_rate: float,
    twin_learning_rate: float,
    warmup_steps: int,
    weight_decay: float,
    seed: int,
    planted: Output,
    model: Output,
    twins: list[Output],
) -> list[dict[str, object]]:
    """Write what was planted, the base C to the folder `model`, and A and B to those of `twins`."""
    drawn = plant_texts(
        read_passages(passages),
        per_dose=items_per_dose,
        base_lines=base_steps * batch_size,
        twin_lines=twin_steps * batch_size,
        seed=plant_seed,
    )
    write_planted_texts(drawn, planted)

    lines = {}
    for name, texts in drawn.corpora.items():
        lines[name] = [QuestionAnswer("", text) for text in texts]

    base_recipe = LineRecipe(batch_size, learning_rate, warmup_steps, weight_decay)
    base = train_base(
        lines["C"],
        {},
        base_recipe,
        model,
        vocabulary=vocabulary,
        context_length=context_length,
        least_answered=0,
        seed=seed,
        n_layers=n_layers,
        d_model=d_model,
        n_heads=n_heads,
    )

    trained = [asdict(base)]
    twin_recipe = LineRecipe(batch_size, twin_learning_rate, warmup_steps, weight_decay)
    for twin, out in zip(TWINS, twins, strict=True):
        manifest = train_twin(
            model, lines[twin], twin_recipe, out, device=device_named("cpu"), frozen_share=0
        )
        trained.append(asdict(manifest))
    return trained
