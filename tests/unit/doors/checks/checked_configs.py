"""Checks a config for tests: config/test.yaml, the smallest run's, with a few keys changed.

The argument `folder` is a working directory with a copy of config/.
"""

import functools
from pathlib import Path
from typing import Any

import pytest
import yaml
from snakemake.utils import update_config

from exhibits.report.results import config_schema, find_results
from mechaware.core.errors import UserError
from mechaware.doors.checks.config import Catalog, check_config

REPOSITORY = Path(__file__).resolve().parents[4]
# Six items of a benchmark, as a CSV file.
ITEMS = "id,question,answer\n" + "".join(f"{name},What is {name}?,It.\n" for name in "abcdef")


@functools.cache
def declared_schema() -> dict[str, Any]:
    return config_schema(REPOSITORY, find_results(REPOSITORY))


def checked(folder: Path, changes: str) -> Catalog:
    """The catalog that `check_config` returns for the smallest run's config with `changes`.

    `changes` is YAML text. Its keys replace those of config/test.yaml, as the keys of
    config/test.yaml replace those of config/config.yaml.
    """
    defaults = (folder / "config/config.yaml").read_text()
    smallest_run = (folder / "config/test.yaml").read_text()
    config: dict[str, Any] = {}
    for text in (defaults, smallest_run, changes):
        update_config(config, yaml.safe_load(text))
    return check_config(config, declared_schema(), folder)


def refusal(folder: Path, changes: str) -> str:
    """The message with which `checked` refuses the config."""
    with pytest.raises(UserError) as caught:
        checked(folder, changes)
    return str(caught.value)


def add_line(folder: Path, file: str, line: str) -> None:
    """Add a line at the end of a file of the folder's config/."""
    path = folder / "config" / file
    path.write_text(f"{path.read_text()}\n{line}\n")
