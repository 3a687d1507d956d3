"""The section `grounding` of a config: its models, rules, tasks, passages, words and training."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mechaware.core.errors import UserError
from mechaware.core.evaluation_log.passages import read_passages
from mechaware.core.own_package import check_object
from mechaware.doors.checks.entries import ListedEntries
from mechaware.doors.checks.files import existing_file, shown_path
from mechaware.doors.checks.names import check_distinct_folders
from mechaware.instruments.grounding.data.pairs import read_pairs
from mechaware.planted.sql.generation import read_vocabulary


def check_grounding(config: Mapping[str, Any], models: ListedEntries, repository: Path) -> None:
    """Refuse what the grounding study cannot use.

    Args:
        config: The whole config; its numbers have been parsed.
        models: The models that the config may name.
        repository: The folder that contains config/.

    Raises:
        UserError: A model is not listed, a rule is in no package, the vocabulary, a task or a log
            of passages is faulty, or the last step of a training would not be evaluated.
    """
    grounding = config["grounding"]
    for name in grounding["rules"]:
        check_object(name, "config, grounding/rules")
    models.check_listed(grounding["base"], "config, grounding/base")
    for name in grounding["pretrained"]["models"]:
        models.check_listed(name, "config, grounding/pretrained/models")

    check_distinct_folders(grounding["pairs"], "config, grounding/pairs")
    for name, task in grounding["pairs"].items():
        _check_task(task, models, f"config, grounding/pairs/{name}")
    check_distinct_folders(grounding["passages"], "config, grounding/passages")
    for name, entry in grounding["passages"].items():
        _check_passages(entry, models, f"config, grounding/passages/{name}")

    data = grounding["data"]
    vocabulary = shown_path("config/sql/vocabulary.yaml", repository)
    read_vocabulary(vocabulary, tables=data["tables"], fields=data["fields"])

    training = grounding["training"]
    if training["steps"] % training["evaluate_every"]:
        raise UserError(
            f"config, grounding/training: evaluate_every {training['evaluate_every']} does not divide steps "
            f"{training['steps']}; the last step must be evaluated"
        )


def _check_task(task: Mapping[str, Any], models: ListedEntries, where: str) -> None:
    """Refuse a task with an unlisted model, a missing table, or faulty pairs in its table.

    With `skip_faulty`, faulty pairs are left out instead.
    """
    models.check_listed(task["model"], f"{where}/model")
    table = existing_file(task["table"], f"{where}/table")
    faults_by_pair: dict[str, list[str]] | None = {} if task.get("skip_faulty", False) else None
    read_pairs(table, options=task.get("options", ()), faults_by_pair=faults_by_pair)


def _check_passages(entry: Mapping[str, Any], models: ListedEntries, where: str) -> None:
    """Refuse an unlisted model, and a log from which no passages can be read."""
    models.check_listed(entry["model"], f"{where}/model")
    log = Path(entry["log"]).expanduser()
    read_passages(log, field=entry.get("field", ""), metric=entry.get("metric", ""))
