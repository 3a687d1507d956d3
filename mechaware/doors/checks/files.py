"""Files that a config names: whether they exist, or a job will make them."""

import os
from pathlib import Path

from mechaware.core.errors import UserError
from mechaware.core.own_folder import own_folder


def shown_path(file: str, repository: Path) -> Path:
    """A file of the repository as messages name it: relative to the working directory."""
    return Path(os.path.relpath(repository / file))


def existing_file(location: str, where: str) -> Path:
    """The file of a path in the config. Refuses a missing one;
    `where` is the key that has the path.
    """
    path = Path(location).expanduser()
    if not path.is_file():
        raise UserError(f"{where}: no file {path} (from {own_folder()}); correct the path")
    return path


def existing_folder(location: str, where: str) -> Path:
    """The folder of a path in the config. Refuses a missing one;
    `where` is the key that has the path.
    """
    path = Path(location).expanduser()
    if not path.is_dir():
        raise UserError(f"{where}: no folder {path} (from {own_folder()}); correct the path")
    return path


def check_exists_or_is_result(location: str, where: str) -> None:
    """Refuse a missing file, unless a job makes it; `where` is the key that has the path."""
    if not is_result(Path(location).expanduser()):
        existing_file(location, where)


def is_result(path: Path) -> bool:
    """Whether a file or folder is under results/ of the working directory.

    Such a path needs no check here: a job makes it, or Snakemake reports it as missing.
    """
    return path.absolute().is_relative_to(Path.cwd() / "results")
