"""The models that a config uses: which ones, and whether their weights exist."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mechaware.core.errors import UserError
from mechaware.doors.checks.entries import ListedEntries
from mechaware.doors.checks.files import existing_folder, is_result
from mechaware.models.adapters import check_adapter
from mechaware.models.sources import check_model_folder


def used_models(config: Mapping[str, Any]) -> list[str]:
    """The models that the config names; a model named twice is listed twice.

    The models of embedded judges are left out: they are of kind wheel.
    """
    radar = config["radar"]
    used: list[str] = [*radar["models"], *radar["memorisation"]["pretrained"]["models"]]
    for benchmark in radar["suspected"].values():
        used.append(benchmark["model"])
        if "reference" in benchmark:
            used.append(benchmark["reference"])

    grounding = config["grounding"]
    used += [grounding["base"], *grounding["pretrained"]["models"]]
    for entry in (*grounding["pairs"].values(), *grounding["passages"].values()):
        used.append(entry["model"])
    return used


def check_trained(name: str, models: ListedEntries, where: str) -> None:
    """Refuse a model that is not listed or has no trained weights;
    `where` is the key of the config that names it.
    """
    models.check_listed(name, where)
    if models.entries[name]["kind"] == "scratch":
        raise UserError(f"{where}: '{name}' has random weights; remove it")


def check_weights(name: str, models: ListedEntries) -> None:
    """Refuse a listed model if its own folder has no model, or its adapter's folder no adapter."""
    _check_local_folder(name, models)
    _check_adapter(name, models)


def _check_local_folder(name: str, models: ListedEntries) -> None:
    """Refuse a model of kind local if its folder is missing or has no model,
    unless a job makes it.
    """
    entry = models.entries[name]
    if entry["kind"] != "local" or is_result(Path(entry["folder"]).expanduser()):
        return
    where = f"{models.source(name)}/folder"
    folder = existing_folder(entry["folder"], where)
    try:
        check_model_folder(folder)
    except UserError as error:
        raise UserError(f"{where}: {error}") from error


def _check_adapter(name: str, models: ListedEntries) -> None:
    """Refuse a model if its adapter's folder has no adapter."""
    entry = models.entries[name]
    if "adapter" not in entry:
        return
    try:
        check_adapter(Path(entry["adapter"]).expanduser())
    except UserError as error:
        raise UserError(f"{models.source(name)}/adapter: {error}") from error
