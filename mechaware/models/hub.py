"""Downloads models from the Hugging Face hub, as safetensors only, and explains failures."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mechaware.core.errors import UserError

if TYPE_CHECKING:
    from huggingface_hub import HfApi

_WEIGHTS = ["*.safetensors", "*.safetensors.index.json"]
_MODEL_FILES = ["*.json", "*.safetensors", "*.txt", "*.model", "*.jinja"]
# The hub's bot offers the conversion of a model with pickled weights as a pull request.
_CONVERSION_AUTHOR = "SFconvertbot"
_CONVERSION_TITLE = "Adding `safetensors` variant of this model"


class Download(NamedTuple):
    """The folder of a downloaded model, and where its weights come from."""

    folder: Path
    weights_revision: str | None  # None for the newest commit


def download_from_hub(repo: str, revision: str | None, folder: Path | None = None) -> Download:
    """Download a model into `folder`, or by default into the hub's own cache.

    If the model has only pickled weights, the weights come from the hub's own conversion.

    Raises:
        UserError: The weights are pickled, and the hub offers no conversion.
        OSError, httpx.HTTPError: The download failed (`hub_message` explains it).
        ValueError: `repo` is no name that the hub can have.
    """
    from huggingface_hub import HfApi, snapshot_download

    # Not the subfolders: some repositories keep other formats and checkpoints there.
    download = partial(snapshot_download, repo, local_dir=folder, ignore_patterns=["*/*"])
    downloaded = Path(download(revision=revision, allow_patterns=_MODEL_FILES))
    if list(downloaded.glob("*.safetensors")):
        return Download(downloaded, revision)

    conversion = _conversion_commit(HfApi(), repo, revision or "main")
    # `folder` already has the other files. The cache has a folder for each revision, and the
    # conversion's folder needs them all.
    needed = _MODEL_FILES if folder is None else _WEIGHTS
    converted = Path(download(revision=conversion, allow_patterns=needed))
    return Download(converted, conversion)


def _conversion_commit(api: "HfApi", repo: str, revision: str) -> str:
    """The newest commit of the open pull request in which the hub offers `repo` as safetensors.

    Raises `UserError` if there is none.
    """
    pull_requests = api.get_repo_discussions(
        repo, author=_CONVERSION_AUTHOR, discussion_type="pull_request", discussion_status="open"
    )
    offered = []
    for pull_request in pull_requests:
        if pull_request.title == _CONVERSION_TITLE and pull_request.git_reference:
            offered.append(pull_request.git_reference)
    if not offered:
        raise UserError(
            f"{repo} at {revision}: no safetensors, and the hub offers no conversion; "
            "pickled weights are never loaded: convert the model yourself "
            "and enter its folder with `kind: local` in config/models.yaml"
        )
    return api.list_repo_commits(repo, revision=offered[0])[0].commit_id


def hub_message(name: str, repo: str, revision: str, error: Exception) -> str:
    """The message for an error in the download of a model: what failed, and what a user can do.

    `name` is the model's name in the config, `repo` its name on the hub.
    """
    from huggingface_hub.errors import (
        GatedRepoError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    if isinstance(error, GatedRepoError):
        return (
            f"model {name}: {repo} asks for its licence to be accepted on the hub; "
            "accept it, then set HF_TOKEN"
        )
    if isinstance(error, RepositoryNotFoundError | RevisionNotFoundError):
        return (
            f"model {name}: the hub has no {repo} at {revision}; "
            "correct `repo` or `revision` in config/models.yaml"
        )
    # An `errno` comes from the file system, or from a failed connection (`ConnectionError`). The
    # hub's own errors have none.
    if isinstance(error, OSError) and error.errno and not isinstance(error, ConnectionError):
        return (
            f"model {name}: {error.strerror} while writing {repo} below results/models; "
            "free the disk and run again"
        )
    reason = type(error.__cause__ or error).__name__
    return (
        f"model {name}: the hub cannot be reached ({reason}); "
        f"either run where it can be and copy results/models/{name} here as a `kind: local` model, "
        f"or remove {name} from radar/models in the config"
    )
