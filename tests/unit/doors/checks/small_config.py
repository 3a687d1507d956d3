"""The check of the smallest run's config with keys of a test on top."""

import functools
from pathlib import Path
from typing import Any

import pytest
import yaml
from snakemake.utils import update_config

from exhibits.report.results import config_schema, find_results
from mechaware.core.errors import UserError
from mechaware.doors.checks import _Catalog, checked_lists

REPOSITORY = Path(__file__).resolve().parents[4]


@functools.cache
def declared_schema() -> dict[str, Any]:
    """The schema of a config, with the settings of all figures and tables."""
    return config_schema(REPOSITORY, find_results(REPOSITORY))


def checked(folder: Path, config: str) -> _Catalog:
    """What the check makes of the smallest run's config with `config`, a text of YAML, on top."""
    texts = (
        (folder / "config/config.yaml").read_text(),
        (folder / "config/test.yaml").read_text(),
        config,
    )
    merged: dict[str, Any] = {}
    for text in texts:
        update_config(merged, yaml.safe_load(text))
    return checked_lists(merged, declared_schema(), folder)


def refusal(folder: Path, config: str) -> str:
    """The message with which the check refuses the config."""
    with pytest.raises(UserError) as caught:
        checked(folder, config)
    return str(caught.value)


def add_line(folder: Path, file: str, line: str) -> None:
    """Add a line to a list of config/, such as models.yaml."""
    path = folder / "config" / file
    path.write_text(f"{path.read_text()}\n{line}\n")


def benchmark_csv(names: str) -> str:
    """A benchmark with an item for each letter: all questions and answers are of one length."""
    lines = ["id,question,answer"]
    for name in names:
        lines.append(f"{name},What is {name}?,It.")
    return "\n".join(lines) + "\n"
