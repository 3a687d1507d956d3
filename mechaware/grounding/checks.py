"""Refuses a config of the grounding study that cannot be used, before anything runs."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mechaware.configuration.own_package import check_package
from mechaware.configuration.schema import check_choice
from mechaware.errors import UserError
from mechaware.grounding.data.generation import read_vocabulary


def check_grounding(grounding: Mapping[str, Any], models: Mapping[str, Any], vocabulary: Path) -> None:
    """Refuse an unlisted base model, a rule of no package, a faulty vocabulary, and steps without a last evaluation.

    `grounding` is that section of the config, `models` the entries of config/models.yaml, `vocabulary` a file of words.
    """
    for name in grounding["rules"]:
        check_package(name, "config, grounding/rules")
    check_choice(grounding["base"], models, "config, grounding/base", "config/models.yaml")
    for name in grounding["pretrained"]["models"]:
        check_choice(name, models, "config, grounding/pretrained/models", "config/models.yaml")
    data, training = grounding["data"], grounding["training"]
    read_vocabulary(vocabulary, tables=data["tables"], fields=data["fields"])
    if training["steps"] % training["evaluate_every"]:
        raise UserError(
            f"config, grounding/training: evaluate_every {training['evaluate_every']} does not divide steps "
            f"{training['steps']}; the last step must be evaluated"
        )
