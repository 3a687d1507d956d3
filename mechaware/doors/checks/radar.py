"""The section `radar` of a config: its models, detectors and prompt sets."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mechaware.core.errors import UserError
from mechaware.core.own_package import check_object
from mechaware.doors.checks.entries import ListedEntries
from mechaware.doors.checks.files import shown_path
from mechaware.doors.checks.models import check_trained
from mechaware.doors.checks.names import check_distinct_folders, check_not_reserved
from mechaware.doors.checks.suspected import check_suspected
from mechaware.instruments.radar.prompts import check_disjoint, check_folds, read_prompts

# Names that no model may have: results/radar has folders of these names for something else.
_RESERVED = {
    "suspected": "names the results of suspected benchmarks",
    "memorisation": "names the results of planted memorisation",
}


def check_radar(config: Mapping[str, Any], models: ListedEntries, repository: Path) -> None:
    """Refuse what the RADAR study cannot use.

    Args:
        config: The whole config, after its numbers are parsed.
        models: The models that it may name.
        repository: The folder of config/.

    Raises:
        UserError: A model is not listed or has no trained weights; a detector's dotted name leads
            to nothing; a name is reserved or two names are one folder; a prompt set has a bad row
            or too few prompts; a set to evaluate is the training set or holds one of its prompts;
            or a suspected benchmark cannot be used.
    """
    radar = config["radar"]
    check_not_reserved(radar["models"], _RESERVED, "config, radar/models")
    check_distinct_folders([radar["train"], *radar["evaluate"]], "config, radar/evaluate")
    for name in radar["models"]:
        check_trained(name, models, "config, radar/models")
    for name in radar["memorisation"]["pretrained"]["models"]:
        check_trained(name, models, "config, radar/memorisation/pretrained/models")
    for name in radar["detectors"]:
        check_object(name, "config, radar/detectors")

    _check_prompt_sets(radar, repository)
    for name in radar["suspected"]:
        check_suspected(name, config, models)


def _check_prompt_sets(radar: Mapping[str, Any], repository: Path) -> None:
    """Refuse a prompt set with a bad row or too few prompts, and evaluation on training prompts."""
    training_path = shown_path(f"config/prompts/{radar['train']}.csv", repository)
    training = read_prompts(training_path)
    check_folds(training, radar["folds"], training_path, needs_both_classes=True)

    for name in radar["evaluate"]:
        if name == radar["train"]:
            raise UserError(f"config, radar/evaluate: '{name}' is the training set; remove it")
        path = shown_path(f"config/prompts/{name}.csv", repository)
        evaluation = read_prompts(path)
        check_folds(evaluation, radar["folds"], path, needs_both_classes=False)
        check_disjoint(training, evaluation, training_path, path)
