"""The working directory in which a config is checked."""

import shutil
from pathlib import Path

import pytest

from tests.unit.doors.checks.checked_configs import REPOSITORY


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with a copy of config/,
    in which a test may change lists and prompt sets.
    """
    shutil.copytree(REPOSITORY / "config", tmp_path / "config")
    monkeypatch.chdir(tmp_path)
    return tmp_path
