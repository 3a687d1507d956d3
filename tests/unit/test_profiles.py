"""Each profile moves Snakemake's cache out of a home folder that cannot have it."""

import os
from pathlib import Path

import pytest
import yte

from tests.checkout import REPOSITORY

PROFILES = sorted((REPOSITORY / "profiles").glob("*/config.yaml"))


@pytest.mark.parametrize("profile", PROFILES, ids=lambda path: path.parent.name)
@pytest.mark.parametrize(
    ("home", "moved"),
    [("file", True), ("missing", True), ("with-a-file", True), ("empty", False), ("used", False)],
)
def test_the_cache_is_moved_where_home_is_no_folder_that_can_have_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, profile: Path, home: str, moved: bool
) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "with-a-file").mkdir()
    (tmp_path / "with-a-file/.cache").touch()
    (tmp_path / "empty").mkdir()
    (tmp_path / "used/.cache").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / home))
    monkeypatch.setenv("XDG_CACHE_HOME", "")  # so that it is restored afterwards
    monkeypatch.delenv("XDG_CACHE_HOME")
    yte.process_yaml(profile.read_text(encoding="utf-8"))
    expected = str(tmp_path / ".snakemake/cache") if moved else None
    assert os.environ.get("XDG_CACHE_HOME") == expected
