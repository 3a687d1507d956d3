"""Docstrings of packages newer than a pretrained model: no model of 2024 can have read them.

`config/new_packages.csv` lists the packages with pinned versions, the SHA-256 of their wheels, and
a day before which the package index has no file of theirs.
"""

import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from mechaware.core.errors import UserError
from mechaware.core.files import sha256
from mechaware.models.sources import download_wheel
from mechaware.planted.natural.corpus import (
    Passage,
    is_source,
    passages_of,
    without_near_duplicates,
)


class NewPackage(NamedTuple):
    """A package of the list.

    `sha256`: of its wheel, which is the same on every platform. `none_before`: the package index
    has no file of the package that was uploaded before this day, such as 2025-03-01.
    """

    package: str
    version: str
    sha256: str
    none_before: str


def read_new_packages(path: Path) -> list[NewPackage]:
    """The packages of the list, in its order."""
    rows = pd.read_csv(path, dtype=str)[list(NewPackage._fields)]
    return [NewPackage(*row) for row in rows.itertuples(index=False, name=None)]


def fetch_new_passages(packages: Sequence[NewPackage], known: Sequence[Passage]) -> list[Passage]:
    """Download the packages and read their passages.

    Near-duplicates of each other and of `known` passages are left out. No package may also be one
    of the packages of `known`. Raises `UserError` for a package that cannot be downloaded, and for
    a wheel whose SHA-256 differs from the list's.
    """
    passages = list(known)
    for package in packages:
        with tempfile.TemporaryDirectory() as folder:
            wheel = download_wheel(package.package, package.version, Path(folder))
            passages += _passages_of_wheel(wheel, package)

    # Of two near-duplicates the first is kept: known passages come first.
    known_packages = {passage.package for passage in known}
    kept = without_near_duplicates(passages)
    return [passage for passage in kept if passage.package not in known_packages]


def _passages_of_wheel(wheel: Path, package: NewPackage) -> list[Passage]:
    """The passages of a wheel; raises `UserError` if its SHA-256 differs from the list's."""
    actual = sha256(wheel)
    if actual != package.sha256:
        raise UserError(
            f"{package.package}=={package.version}: SHA-256 of the wheel is {actual}, "
            f"expected {package.sha256}; the file is not the one of config/new_packages.csv"
        )
    return passages_of(package.package, _source_texts(wheel))


def _source_texts(wheel: Path) -> Iterator[str]:
    """The texts of a wheel's Python files, without its tests."""
    with zipfile.ZipFile(wheel) as archive:
        for file in sorted(archive.namelist()):
            if is_source(file):
                yield archive.read(file).decode("utf-8")
