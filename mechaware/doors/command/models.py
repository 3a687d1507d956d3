"""A model as a user names it on the command line:
a folder, a name on the hub, or an entry of a config.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from mechaware.core.errors import UserError, first_line
from mechaware.core.files import file_name, name_key
from mechaware.core.run_module import source
from mechaware.core.yaml_files import read_yaml

_ON_THE_HUB = re.compile(r"([\w.-]+/[\w.-]+)(?:@([\w./-]+))?")
_COMMIT = re.compile(r"[0-9a-f]{40}")


class FoundModel(NamedTuple):
    """A model's name in the config, and the entry to add to the config's `models`.

    `entry` maps the name to the model's settings; it is empty for a model that is already listed.
    """

    name: str
    entry: dict[str, dict[str, Any]]


def find_model(text: str, configs: Sequence[Path] = ()) -> FoundModel:
    """The model that `text` names: a folder, else an entry of config/models.yaml, else owner/name
    on the hub.

    A name on the hub may have a commit, branch or tag after `@`; by default the newest commit of
    the branch `main` is taken.

    Args:
        text: As the user typed it.
        configs: The user's configs; their key `models` has further entries.

    Raises:
        UserError: The text names no model, or the hub cannot be asked for the commit of a revision.
    """
    listed = read_yaml(source("config/models.yaml"), "config/models.yaml")
    for config in configs:
        content = read_yaml(config, str(config))
        # A config that is no mapping is refused where the workflow reads it.
        if isinstance(content, dict):
            listed = listed | (content.get("models") or {})

    folder = Path(text).expanduser()
    if folder.is_dir():
        label = folder.resolve().name
        name = _free_name(label, listed)
        return FoundModel(name, {name: {"kind": "local", "label": label, "folder": text}})

    if text in listed:
        return FoundModel(text, {})

    is_path = text.startswith((".", "/", "~"))
    on_the_hub = None if is_path else _ON_THE_HUB.fullmatch(text)
    if on_the_hub is not None:
        repo, revision = on_the_hub.groups()
        label = repo.partition("/")[2]
        name = _free_name(label, listed)
        commit = _commit(repo, revision or "main")
        return FoundModel(
            name, {name: {"kind": "hub", "label": label, "repo": repo, "revision": commit}}
        )

    raise UserError(
        f"model {text}: no such folder (from {Path.cwd()}), and no name on the hub; give a folder, owner/name of the "
        f"hub, or one of {', '.join(listed)}"
    )


def _free_name(label: str, listed: dict[str, Any]) -> str:
    """A name for the config made from `label`; `-own` is added while a listed model has the name.

    Names that differ only in case count as equal.
    """
    name = file_name(label) or "model"
    taken = {name_key(other) for other in listed}
    while name_key(name) in taken:
        name += "-own"
    return name


def _commit(repo: str, revision: str) -> str:
    """The commit of a revision on the hub, which is not asked if the revision is a commit already.

    Raises `UserError` if the hub does not give the commit.
    """
    if _COMMIT.fullmatch(revision):
        return revision
    from httpx import HTTPError
    from huggingface_hub import HfApi

    try:
        commit = HfApi().model_info(repo, revision=revision).sha
    except (OSError, HTTPError, ValueError) as error:
        raise UserError(
            f"model {repo}: no such folder (from {Path.cwd()}), and the hub does not give its commit "
            f"({first_line(error)}); correct the name, connect to the hub, or write {repo}@ and the 40 digits "
            "of a commit"
        ) from error
    return str(commit)
