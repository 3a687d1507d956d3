"""Continue a pretrained model on each twin's corpus of docstrings, one after the other."""

from dataclasses import asdict
from pathlib import Path

from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.models.devices import Device, device_named
from mechaware.models.training import LineRecipe
from mechaware.planted.natural.planting import read_planted_texts
from mechaware.planted.twins.items import TWINS
from mechaware.planted.twins.training import train_twin
from scripts.command import Flags, Output


def main(
    *,
    base: Path,
    planted: Path,
    recipe: Flags[LineRecipe],
    frozen_share: float,
    device: Device,
    twins: list[Output],
) -> list[dict[str, object]]:
    """Write each twin, its tokenizer and its losses to its folder of `twins`, those of A and B."""
    corpora = read_planted_texts(planted).corpora
    trained = []
    for twin, out in zip(TWINS, twins, strict=True):
        lines = [QuestionAnswer("", text) for text in corpora[twin]]
        manifest = train_twin(
            base, lines, recipe, out, device=device_named(device), frozen_share=frozen_share
        )
        trained.append(asdict(manifest))
    return trained
