"""Refuses a config of the grounding study that cannot be used, before anything runs."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mechaware.configuration.own_package import check_package
from mechaware.configuration.schema import check_choice
from mechaware.errors import UserError
from mechaware.grounding.data.generation import read_vocabulary
from mechaware.grounding.data.tasks import read_task


def check_grounding(grounding: Mapping[str, Any], models: Mapping[str, Any], vocabulary: Path) -> None:
    """Refuse an unlisted model, a rule of no package, a faulty vocabulary or task, and steps without a last evaluation.

    `grounding` is that section of the config, `models` the entries of config/models.yaml, `vocabulary` a file of words.
    """
    for name in grounding["rules"]:
        check_package(name, "config, grounding/rules")
    check_choice(grounding["base"], models, "config, grounding/base", "config/models.yaml")
    for name in grounding["pretrained"]["models"]:
        check_choice(name, models, "config, grounding/pretrained/models", "config/models.yaml")
    for name, task in grounding["pairs"].items():
        where, table = f"config, grounding/pairs/{name}", Path(task["table"]).expanduser()
        check_choice(task["model"], models, f"{where}/model", "config/models.yaml")
        if not table.is_file():
            raise UserError(f"{where}/table: no file {table} (from {Path.cwd()}); correct the path")
        read_task(table)
    data, training = grounding["data"], grounding["training"]
    read_vocabulary(vocabulary, tables=data["tables"], fields=data["fields"])
    if training["steps"] % training["evaluate_every"]:
        raise UserError(
            f"config, grounding/training: evaluate_every {training['evaluate_every']} does not divide steps "
            f"{training['steps']}; the last step must be evaluated"
        )
