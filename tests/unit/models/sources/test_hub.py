"""A model of the hub is fetched whole or not at all, and never with its pickles or its code."""

import socket
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch
from huggingface_hub import constants

from mechaware.core.errors import UserError
from mechaware.models.opening import load
from mechaware.models.registry import load_tokenizer, read_manifest
from mechaware.models.sources import fetch_from_hub
from tests.tiny_models import make_tiny_model
from tests.unit.models.local_hub import (
    CONVERTED,
    PICKLE,
    PINNED,
    REPO,
    Hub,
    fetch,
    hub_at,
    serving,
)
from tests.unit.models.sources.model_files import assert_same_model, sha256_of

CONVERSION = "Adding `safetensors` variant of this model"


def pull_request(
    number: int, *, author: str = "SFconvertbot", title: str = CONVERSION, status: str = "open"
) -> Any:
    """A pull request as the hub's API gives it; by default the hub's own conversion."""
    return {
        "num": number,
        "title": title,
        "status": status,
        "author": {"name": author},
        "isPullRequest": True,
        "createdAt": "2024-01-01T00:00:00.000Z",
        "repo": {"name": REPO, "type": "model"},
    }


def failure(
    url: str, out: Path, *, repo: str = REPO, revision: str = PINNED, offline: bool = False
) -> str:
    """The message of a fetch that fails: one line, and nothing is left at `out` or beside it."""
    with hub_at(url, offline=offline), pytest.raises(UserError) as raised:
        fetch_from_hub(repo, revision, out, name=out.name)
    assert not list(out.parent.iterdir())
    assert "\n" not in str(raised.value)
    return str(raised.value)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny_model("gpt2", tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def own_files(tiny: Path) -> dict[str, bytes]:
    """The files of the model `tiny`, by name; its weights are safetensors."""
    return {path.name: path.read_bytes() for path in tiny.iterdir()}


@pytest.fixture(scope="module")
def pickled_files(own_files: dict[str, bytes]) -> dict[str, bytes]:
    """The files of `tiny` if it had been uploaded with pickled weights only."""
    files = dict(own_files)
    del files["model.safetensors"]
    return files | {"pytorch_model.bin": PICKLE}


class Fetched(NamedTuple):
    """The folder that one run of the command made, and the hub that it fetched from."""

    folder: Path
    hub: Hub


@pytest.fixture(scope="module")
def fetched(own_files: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> Fetched:
    unwanted = {
        "pytorch_model.bin": PICKLE,
        "training_args.pt": PICKLE,
        "modeling_own.py": b"raise SystemExit",
        "onnx/config.json": b"{}",
        "onnx/model.safetensors": b"not these",
    }
    out = tmp_path_factory.mktemp("fetched") / "models" / "mine"
    with serving(Hub({PINNED: own_files | unwanted})) as hub:
        run = fetch(hub.url, out)

    assert run.returncode == 0, run.stderr
    return Fetched(out, hub)


def test_a_hub_model_is_fetched_whole_without_pickles_code_and_subfolders_and_loads(
    fetched: Fetched, tiny: Path
) -> None:
    wanted = {path.name for path in tiny.iterdir()}
    assert set(fetched.hub.downloaded) == wanted
    assert {path.name for path in fetched.folder.iterdir()} == wanted | {"mechaware.json"}
    assert_same_model(fetched.folder, tiny)


def test_the_manifest_of_a_hub_model_names_what_was_fetched(fetched: Fetched, tiny: Path) -> None:
    manifest = read_manifest(fetched.folder)
    assert (manifest.name, manifest.kind, manifest.source) == ("mine", "hub", REPO)
    assert manifest.revision == manifest.weights_revision == PINNED
    assert manifest.weights_sha256 == sha256_of(tiny / "model.safetensors")
    assert manifest.tokenizer_sha256 == sha256_of(tiny / "tokenizer.json")
    assert (manifest.model_type, manifest.n_layers, manifest.n_heads) == ("gpt2", 3, 4)
    assert (manifest.d_model, manifest.vocab_size, manifest.context_length) == (32, 257, 64)


def test_pickled_weights_are_replaced_by_those_of_the_hubs_own_conversion(
    pickled_files: dict[str, bytes], tiny: Path, out: Path
) -> None:
    """The hub's pull request 3 offers the conversion; only the weights are taken from it."""
    offered = {
        "model.safetensors": (tiny / "model.safetensors").read_bytes(),
        "config.json": b"another config",
        "pytorch_model.bin": PICKLE,
        "onnx/model.safetensors": b"not these",
    }
    discussions = [
        pull_request(1, author="stranger"),
        pull_request(2, title="Update README"),
        pull_request(3),
    ]
    revisions = {PINNED: pickled_files, CONVERTED: offered}

    with serving(Hub(revisions, discussions)) as hub, hub_at(hub.url):
        fetch_from_hub(REPO, PINNED, out, name=out.name)

    manifest = read_manifest(out)
    assert (manifest.revision, manifest.weights_revision) == (PINNED, CONVERTED)
    assert manifest.weights_sha256 == sha256_of(tiny / "model.safetensors")
    assert (out / "config.json").read_bytes() == (tiny / "config.json").read_bytes()
    assert set(hub.downloaded) == {path.name for path in tiny.iterdir()}
    assert_same_model(out, tiny)


@pytest.mark.parametrize(
    "discussions",
    [
        pytest.param([], id="none"),
        pytest.param([pull_request(3, author="stranger")], id="a stranger's"),
        pytest.param([pull_request(3, title="Update README")], id="another change"),
        pytest.param([pull_request(3, status="closed")], id="withdrawn"),
    ],
)
def test_a_pickled_model_without_a_conversion_is_refused(
    pickled_files: dict[str, bytes], own_files: dict[str, bytes], discussions: list[Any], out: Path
) -> None:
    with serving(Hub({PINNED: pickled_files, CONVERTED: own_files}, discussions)) as hub:
        message = failure(hub.url, out)

    assert f"{REPO} at {PINNED}" in message
    assert "`kind: local` in config/models.yaml" in message
    assert not {"pytorch_model.bin", "model.safetensors"} & set(hub.downloaded)


@pytest.mark.parametrize(
    "wrong", [{"revision": "3" * 40}, {"repo": "owner/absent"}], ids=["revision", "repository"]
)
def test_a_repository_or_revision_that_the_hub_lacks_is_named(
    own_files: dict[str, bytes], wrong: dict[str, str], out: Path
) -> None:
    with serving(Hub({PINNED: own_files})) as hub:
        message = failure(hub.url, out, **wrong)

    asked = {"repo": REPO, "revision": PINNED} | wrong
    assert f"model mine: the hub has no {asked['repo']} at {asked['revision']}" in message
    assert "correct `repo` or `revision` in config/models.yaml" in message


def test_the_command_says_that_a_licence_has_to_be_accepted(
    own_files: dict[str, bytes], out: Path
) -> None:
    """The command's error is one line, without a traceback."""
    with serving(Hub({PINNED: own_files}, gated=True)) as hub:
        run = fetch(hub.url, out)

    assert run.returncode == 1
    assert "Traceback" not in run.stderr, run.stderr
    assert not list(out.parent.iterdir())
    message = run.stderr.splitlines()[-1]
    assert message.startswith(f"error: model mine: {REPO} asks for its licence to be accepted")
    assert "HF_TOKEN" in message


def url_without_server() -> str:
    """An address of this computer whose port is free again."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return f"http://127.0.0.1:{server.getsockname()[1]}"


@pytest.mark.parametrize("case", ["no server", "no response to a later request", "offline"])
def test_a_hub_that_cannot_be_reached_is_one_line_with_two_remedies(
    case: str, pickled_files: dict[str, bytes], out: Path
) -> None:
    with serving(Hub({PINNED: pickled_files}, drops_discussions=True)) as hub:
        url = url_without_server() if case == "no server" else hub.url
        message = failure(url, out, offline=case == "offline")

    assert message.startswith("model mine: the hub cannot be reached")
    assert "copy results/models/mine here as a `kind: local` model" in message
    assert "remove mine from radar/models in the config" in message


@pytest.mark.parametrize("pickled", [False, True], ids=["safetensors", "pickled weights"])
def test_a_notebook_opens_a_hub_model_by_name_and_again_without_the_hub(
    *,
    pickled: bool,
    own_files: dict[str, bytes],
    pickled_files: dict[str, bytes],
    tiny: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The model is kept in the cache of the hub's client. Pickled weights are not kept: the hub's
    conversion replaces them.
    """
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    revisions = {PINNED: pickled_files if pickled else own_files, CONVERTED: own_files}
    with serving(Hub(revisions, [pull_request(3)])) as hub, hub_at(hub.url):
        opened = load(REPO, revision=PINNED)
        assert not any(name.endswith(".bin") for name in hub.downloaded)

    expected = load(tiny).network.state_dict()
    for name, weights in opened.network.state_dict().items():
        assert torch.equal(expected[name], weights), name
    assert opened.tokenizer("ab").input_ids == load_tokenizer(tiny)("ab").input_ids

    with hub_at(hub.url, offline=True):
        load(REPO, revision=CONVERTED if pickled else PINNED)


def test_a_name_that_is_neither_a_folder_nor_on_the_hub_is_one_line(
    own_files: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    with serving(Hub({PINNED: own_files})) as hub, hub_at(hub.url):
        for name in ("owner/absent", "results/models/none", str(tmp_path / "none")):
            with pytest.raises(
                UserError,
                match=rf"^{name}: no such folder, and not fetched from the hub \(.*\); [^\n]*$",
            ):
                load(name, revision=PINNED)

    # The server has stopped: no hub can be reached.
    with (
        hub_at(hub.url),
        pytest.raises(UserError, match=r"connect to the hub, or give a folder$"),
    ):
        load(REPO, revision=PINNED)
