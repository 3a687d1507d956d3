"""Makes model folders from a GGUF file, from the Hugging Face hub and from a folder of the user's."""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from mechaware.errors import UserError
from mechaware.files import replacing
from mechaware.models.families import check_model_type
from mechaware.models.registry import MANIFEST, Manifest, tokenizer_files, weight_files, write_manifest

if TYPE_CHECKING:
    from huggingface_hub import HfApi

HUB_FILES = ["*.json", "*.safetensors", "*.txt", "*.model", "*.jinja"]
CONVERSION_AUTHOR = "SFconvertbot"
CONVERSION_TITLE = "Adding `safetensors` variant of this model"


def convert_gguf(gguf: Path, out: Path, *, name: str, source: str, revision: str) -> Manifest:
    """Write the model and tokenizer of a GGUF file as a folder of float32 safetensors with a manifest.

    `source` and `revision` go into the manifest. Raises `UserError` for an unsupported family of models.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    options = {"gguf_file": gguf.name, "local_files_only": True}
    quantised = AutoModelForCausalLM.from_pretrained(gguf.parent, dtype=torch.float32, **options)
    # transformers does not save a model that it read from GGUF: copy the weights into one that was never quantised.
    config = quantised.config
    del config.quantization_config
    model = AutoModelForCausalLM.from_config(config, dtype=torch.float32)  # type: ignore[no-untyped-call]
    model.load_state_dict(quantised.state_dict())
    with replacing(out) as folder:
        model.save_pretrained(folder)
        AutoTokenizer.from_pretrained(gguf.parent, **options).save_pretrained(folder)
        check_model_folder(folder)
        return write_manifest(folder, name=name, kind="wheel", source=source, revision=revision)


def fetch_from_hub(repo: str, revision: str, out: Path, *, name: str) -> Manifest:
    """Download config, tokenizer and safetensors of `repo` at `revision` into a folder with a manifest.

    If that revision holds pickled weights only, the weights come from the open pull request in which the hub offers a
    conversion to safetensors, and the manifest's `weights_revision` is its commit. Raises `UserError` if the hub cannot
    be reached, does not know the model, asks for a licence to be accepted, or has no safetensors, and for an
    unsupported family of models.
    """
    from httpx import HTTPError
    from huggingface_hub import HfApi, snapshot_download

    with replacing(out) as folder, _errors_naming(f"{repo} at {revision}", folder):
        try:
            snapshot_download(
                repo, revision=revision, local_dir=folder, allow_patterns=HUB_FILES, ignore_patterns=["*/*"]
            )
            weights_revision = revision
            if not list(folder.glob("*.safetensors")):
                weights_revision = _conversion_commit(HfApi(), repo, revision)
                patterns = ["*.safetensors", "*.safetensors.index.json"]
                snapshot_download(
                    repo,
                    revision=weights_revision,
                    local_dir=folder,
                    allow_patterns=patterns,
                    ignore_patterns=["*/*"],
                )
        except (OSError, HTTPError) as error:  # the hub's errors are both, network errors either
            raise UserError(_hub_message(name, repo, revision, error)) from error
        shutil.rmtree(folder / ".cache", ignore_errors=True)
        check_model_folder(folder)
        return write_manifest(
            folder, name=name, kind="hub", source=repo, revision=revision, weights_revision=weights_revision
        )


def link_local_model(source: Path, out: Path, *, name: str) -> Manifest:
    """Make a folder of links to the files in `source`, with a manifest; `source` itself is not changed.

    Raises `UserError`, naming `source`, for a folder without config, safetensors or tokenizer, for files that cannot be
    read, and for an unsupported family of models.
    """
    source = source.expanduser()
    weight_files(source)
    with replacing(out) as folder, _errors_naming(str(source), folder):
        folder.mkdir()
        for path in sorted(source.iterdir()):
            if path.is_file() and path.name != MANIFEST:
                (folder / path.name).symlink_to(os.path.relpath(source.resolve() / path.name, folder.resolve()))
        check_model_folder(folder)
        return write_manifest(folder, name=name, kind="local", source=source.name, revision="local")


def check_model_folder(folder: Path) -> None:
    """Raise `UserError` unless `folder` has a config of a supported family, safetensors and a tokenizer.

    Loads neither torch nor transformers.
    """
    weight_files(folder)
    config = folder / "config.json"
    try:
        model_type = dict(json.loads(config.read_text())).get("model_type")
    except (ValueError, TypeError) as error:
        raise UserError(f"{config}: not JSON ({error}); give the folder that `save_pretrained` wrote") from error
    try:
        check_model_type(model_type)
    except UserError as error:
        raise UserError(f"{config}: {error}") from error
    tokenizer_files(folder)


@contextmanager
def _errors_naming(name: str, folder: Path) -> Iterator[None]:
    """Replace `folder`, which is removed on failure, by `name` in the messages of user errors."""
    try:
        yield
    except UserError as error:
        raise UserError(str(error).replace(str(folder), name)) from error


def _conversion_commit(api: "HfApi", repo: str, revision: str) -> str:
    """The commit of the hub's own safetensors conversion of `repo`, which it offers as an open pull request."""
    pull_requests = api.get_repo_discussions(
        repo, author=CONVERSION_AUTHOR, discussion_type="pull_request", discussion_status="open"
    )
    offered = [pull.git_reference for pull in pull_requests if pull.title == CONVERSION_TITLE and pull.git_reference]
    if not offered:
        raise UserError(
            f"{repo} at {revision}: no safetensors, and the hub offers no conversion; pickled weights are never "
            "loaded: convert the model yourself and enter its folder with `kind: local` in config/models.yaml"
        )
    return api.list_repo_commits(repo, revision=offered[0])[0].commit_id


def _hub_message(name: str, repo: str, revision: str, error: Exception) -> str:
    from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError, RevisionNotFoundError

    if isinstance(error, GatedRepoError):
        return f"model {name}: {repo} asks for its licence to be accepted on the hub; accept it, then set HF_TOKEN"
    if isinstance(error, RepositoryNotFoundError | RevisionNotFoundError):
        return f"model {name}: the hub has no {repo} at {revision}; correct `repo` or `revision` in config/models.yaml"
    if isinstance(error, OSError) and error.errno and not isinstance(error, ConnectionError):
        return f"model {name}: {error.strerror} while writing {repo} below results/models; free the disk and run again"
    reason = type(error.__cause__ or error).__name__
    return (
        f"model {name}: the hub cannot be reached ({reason}); either run where it can be and copy "
        f"results/models/{name} here as a `kind: local` model, or take {name} out of radar/models in the config"
    )
