"""Passages of packages that are newer than a model, from wheels written here."""

import hashlib
import re
import zipfile
from pathlib import Path

import pandas as pd
import pytest

from mechaware.core.errors import UserError
from mechaware.planted.natural import new_packages
from mechaware.planted.natural.corpus import PACKAGES, Passage
from mechaware.planted.natural.new_packages import (
    NewPackage,
    fetch_new_passages,
    read_new_packages,
)

REPOSITORY = Path(__file__).resolve().parents[4]
LISTED = read_new_packages(REPOSITORY / "config/new_packages.csv")
# 50 words of four characters, 249 with the spaces: a passage is the first words that fit into 250
# (`MAX_LENGTH`). " the rest." makes each docstring longer than that.
OWN = " ".join(f"a{number:03d}" for number in range(50))
SHARED = " ".join(f"b{number:03d}" for number in range(50))
OF_TESTS = " ".join(f"c{number:03d}" for number in range(50))


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> NewPackage:
    """A package with three docstrings: one of its own, one that numpy has as well,
    and one in the package's tests.
    """
    wheel = tmp_path / "fresh-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("fresh/__init__.py", f'"""{OWN} the rest."""\n')
        archive.writestr("fresh/shared.py", f'def copied():\n    """{SHARED} the rest."""\n')
        archive.writestr("fresh/tests/test_it.py", f'"""{OF_TESTS} the rest."""\n')
        archive.writestr("fresh/data.txt", OF_TESTS)

    def download(name: str, version: str, _folder: Path) -> Path:
        assert (name, version) == ("fresh", "1.0")
        return wheel

    monkeypatch.setattr(new_packages, "download_wheel", download)
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    return NewPackage("fresh", "1.0", digest, "2025-03-01")


def test_new_passages_are_neither_of_tests_nor_near_duplicates_of_known_ones(
    package: NewPackage,
) -> None:
    copied = Passage("numpy", SHARED)
    unrelated = Passage("numpy", "one two three four five six")
    assert fetch_new_passages([package], [copied, unrelated]) == [Passage("fresh", OWN)]
    assert fetch_new_passages([package], [unrelated]) == [
        Passage("fresh", OWN),
        Passage("fresh", SHARED),
    ]


def test_another_wheel_is_refused(package: NewPackage) -> None:
    with pytest.raises(UserError, match=r"^fresh==1\.0: SHA-256 of the wheel is .* expected 00;"):
        fetch_new_passages([package._replace(sha256="00")], [])


def test_every_listed_package_is_pinned_and_newer_than_models_of_2024() -> None:
    assert len({package.package for package in LISTED}) == len(LISTED) > 4
    for package in LISTED:
        assert package.version
        assert re.fullmatch("[0-9a-f]{64}", package.sha256)
        assert pd.Timestamp(package.none_before) >= pd.Timestamp("2025-01-01")
    # A package of the filler would be read by every twin.
    assert not {package.package for package in LISTED} & set(PACKAGES)
