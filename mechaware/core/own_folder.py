"""The user's folder: where the relative paths of a config begin, and where packages of the user's
own may lie.

Without the command `mechaware`, it is the working directory. With the command, it is the folder in
which the command was typed; Snakemake and all jobs then work in another folder, that of the
command's results:

    user's folder        /home/me                      items.csv
    working directory    /home/me/mechaware-results    ../items.csv
"""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mechaware.core.errors import UserError

VARIABLE = "MECHAWARE_FOLDER"  # the folder in which `mechaware` was typed
# The folder, inside the folder of results, that holds copies of the user's tables in which the
# columns have our names.
RENAMED = "renamed"

# The keys of a config that name a file or a folder to read; a star matches every name or entry.
_PATHS = (
    "radar/suspected/*/items",
    "radar/suspected/*/control",
    "radar/suspected/*/unseen",
    "radar/suspected/*/seen",
    "radar/suspected/*/corpus",
    "radar/suspected/*/calibration",
    "grounding/pairs/*/table",
    "grounding/passages/*/log",
    "grounding/data/path",
    "claims/own_paper",
    "claims/own_rubric",
    "claims/measured/*",
    "claims/judge_cards/*/items",
    "claims/judge_cards/*/rubric",
    "claims/judge_cards/*/replies",
    "models/*/folder",
    "models/*/adapter",
)


def own_folder() -> Path:
    """The user's folder."""
    return Path(os.environ.get(VARIABLE) or Path.cwd())


def missing_file(path: Path, remedy: str = "correct the path") -> UserError:
    """The error for a path that leads to no file, which names the folder where relative paths begin
    and the remedy.
    """
    return UserError(f"{path}: no such file (from {own_folder()}); {remedy}")


def read_from_own_folder(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """The config with its relative paths, which begin in the user's folder, turned into paths from
    the working directory: `items.csv` becomes `../items.csv`.

    A path that leads to nothing in the user's folder stays as it is: it may name a result, an
    address, or no file.
    """
    if not os.environ.get(VARIABLE):
        return config
    for keys in _PATHS:
        config = _with_paths(config, keys.split("/"))
    return config


def name_own_files(message: str) -> str:
    """A message with the paths in it as the user typed them: `../items.csv` becomes `items.csv`.

    A renamed copy of a table has the name and the rows of the user's file, and the message names
    that file: `renamed/items/items.csv` becomes `items.csv`.
    """
    message = re.sub(rf"\b{RENAMED}/(?:items|control)/", "", message)
    if not os.environ.get(VARIABLE):
        return message
    folder = re.escape(f"{os.path.relpath(own_folder())}/")
    return re.sub(rf"(?<!\S){folder}", "", message)


def _with_paths(value: Any, keys: Sequence[str]) -> Any:
    """A part of the config in which the paths that `keys` lead to are paths from the working
    directory.
    """
    if not keys:
        return _from_here(value) if isinstance(value, str) else value

    key, *inner = keys
    if isinstance(value, list):
        return [_with_paths(entry, inner) for entry in value]
    if isinstance(value, Mapping):
        changed = dict(value)
        for name in value:
            if key in ("*", name):
                changed[name] = _with_paths(value[name], inner)
        return changed
    return value


def _from_here(path: str) -> str:
    """A relative path that leads somewhere in the user's folder, turned into a path from the
    working directory; any other text as it is.
    """
    expanded = Path(path).expanduser()
    if not path or expanded.is_absolute():
        return path
    whole_path = own_folder() / expanded
    return os.path.relpath(whole_path) if whole_path.exists() else path
