"""Runs the checks on the smallest run's config with a few keys changed, for tests."""

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


def checked(folder: Path, config: str) -> Catalog:
    """The catalog that `check_config` returns for the smallest run's config, overridden by the
    YAML text `config`.
    """
    merged: dict[str, Any] = {}
    for text in (
        (folder / "config/config.yaml").read_text(),
        (folder / "config/test.yaml").read_text(),
        config,
    ):
        update_config(merged, yaml.safe_load(text))
    return check_config(merged, declared_schema(), folder)


def refusal(folder: Path, config: str) -> str:
    with pytest.raises(UserError) as caught:
        checked(folder, config)
    return str(caught.value)


def add_line(folder: Path, file: str, line: str) -> None:
    path = folder / "config" / file
    path.write_text(f"{path.read_text()}\n{line}\n")
