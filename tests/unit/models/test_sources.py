"""Models are fetched, checked and linked whole or not at all, and without ever loading a pickle or
running code that comes with a model.

The parts of this file: models of the hub, files of wheels, folders of the user's, models with code
of their own, and models whose weights are damaged or missing.
"""

import hashlib
import json
import os
import socket
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch
from huggingface_hub import constants

from mechaware.core.errors import UserError
from mechaware.models.context import UNLIMITED
from mechaware.models.opening import load
from mechaware.models.registry import load_model, load_tokenizer, read_manifest
from mechaware.models.sources import fetch_from_hub, fetch_from_wheel, link_local_model
from tests.architectures import tiny_model
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

CPU = torch.device("cpu")


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "models" / "mine"


def sha256_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def assert_same_model(folder: Path, expected: Path) -> None:
    """Both folders load, and give the same logits for the same text."""
    text = "The capital of France is"
    ids = load_tokenizer(folder)(text, return_tensors="pt").input_ids
    assert ids.tolist() == [load_tokenizer(expected)(text).input_ids]
    with torch.inference_mode():
        logits = load_model(folder, CPU)(ids).logits
        assert torch.equal(logits, load_model(expected, CPU)(ids).logits)


# The hub

CONVERSION = "Adding `safetensors` variant of this model"


def _discussion(
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
    """The error of a fetch that must fail: one line,
    and nothing left next to `out` or in its place.
    """
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
        _discussion(1, author="stranger"),
        _discussion(2, title="Update README"),
        _discussion(3),
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
        pytest.param([_discussion(3, author="stranger")], id="a stranger's"),
        pytest.param([_discussion(3, title="Update README")], id="another change"),
        pytest.param([_discussion(3, status="closed")], id="withdrawn"),
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


@pytest.mark.parametrize("pickled", [False, True])
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
    with serving(Hub(revisions, [_discussion(3)])) as hub, hub_at(hub.url):
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


# A wheel

MEMBER = "carrier/model.gguf"
CONTENT = b"GGUF and all that follows"


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one wheel, which is the only package index that pip uses in the test."""
    folder = tmp_path / "index"
    folder.mkdir()
    info = "carrier-1.0.dist-info"
    with zipfile.ZipFile(folder / "carrier-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr(MEMBER, CONTENT)
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: carrier\nVersion: 1.0\n")
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(
            f"{info}/RECORD", f"{MEMBER},,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n"
        )
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.mark.usefixtures("index")
def test_a_file_is_taken_out_of_a_wheel(out: Path) -> None:
    fetch_from_wheel("carrier", "1.0", MEMBER, hashlib.sha256(CONTENT).hexdigest(), out)
    assert out.read_bytes() == CONTENT
    assert list(out.parent.iterdir()) == [out]


@pytest.mark.usefixtures("index")
@pytest.mark.parametrize(
    ("wrong", "claim"),
    [
        (
            {"expected_sha256": "0" * 64},
            f"{MEMBER}: SHA-256 is {hashlib.sha256(CONTENT).hexdigest()}, expected 000",
        ),
        ({"member": "carrier/absent.gguf"}, "no file carrier/absent.gguf in the wheel"),
        (
            {"package": "absent"},
            "pip could not download it (ERROR: No matching distribution found for absent==1.0)",
        ),
    ],
    ids=["another file", "no such file", "no such package"],
)
def test_a_wheel_that_is_not_the_expected_one_leaves_no_file(
    wrong: dict[str, str], claim: str, out: Path
) -> None:
    right = {
        "package": "carrier",
        "version": "1.0",
        "member": MEMBER,
        "expected_sha256": hashlib.sha256(CONTENT).hexdigest(),
    }
    asked = right | wrong
    with pytest.raises(UserError) as raised:
        fetch_from_wheel(**asked, out=out)
    assert str(raised.value).startswith(f"{asked['package']}=={asked['version']}")
    assert claim in str(raised.value)
    assert not out.parent.exists() or not list(out.parent.iterdir())


# A folder of the user's


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a model, as a user has one."""
    return make_tiny_model("llama", tmp_path / "theirs")


def test_a_local_model_loads_through_links_which_a_second_linking_replaces(
    folder: Path, out: Path
) -> None:
    links = {path.name for path in folder.iterdir()}
    (folder / "pytorch_model.bin").write_bytes(PICKLE)  # not read, since there are safetensors
    before = {path: path.read_bytes() for path in folder.iterdir()}
    link_local_model(folder, out, name="mine")
    manifest = link_local_model(folder, out, name="mine")
    assert list(out.parent.iterdir()) == [out]
    assert {path.name for path in out.iterdir() if path.is_symlink()} >= links
    assert manifest == read_manifest(out)
    assert (manifest.kind, manifest.source, manifest.revision) == ("local", "theirs", "local")
    assert manifest.weights_sha256 == sha256_of(folder / "model.safetensors")
    assert_same_model(out, folder)
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize(
    ("file", "text", "claim"),
    [
        ("model.safetensors", None, ": no *.safetensors; pickled weights are never loaded"),
        ("config.json", None, ": no config.json"),
        ("tokenizer.json", None, ": no tokenizer"),
        ("config.json", "{", "/config.json: "),
        (
            "config.json",
            '{"model": "bloom"}',
            "/config.json: no model_type; give the folder that `save_pretrained` wrote",
        ),
    ],
)
def test_an_unusable_folder_is_refused_by_its_name(
    folder: Path, file: str, text: str | None, claim: str, out: Path
) -> None:
    # Instead of the file, the folder has pickled weights, which are never read.
    (folder / file).rename(folder / "pytorch_model.bin")
    if text is not None:
        (folder / file).write_text(text)
    with pytest.raises(UserError) as raised:
        link_local_model(folder, out, name="mine")
    assert str(raised.value).startswith(f"{folder}{claim}")
    assert "\n" not in str(raised.value)
    assert not out.parent.exists() or not list(out.parent.iterdir())


def test_a_state_space_model_is_described_and_loaded(folder: Path, out: Path) -> None:
    """The model has no attention heads, and its config names no context length."""
    tiny_model("mamba", {"vocab_size": 257, "state_size": 8}).save_pretrained(folder)
    manifest = link_local_model(folder, out, name="mine")
    assert (manifest.model_type, manifest.n_layers, manifest.n_heads) == ("mamba", 3, 0)
    assert manifest.context_length == UNLIMITED
    assert load(out).network.config.model_type == "mamba"


def test_a_model_that_reads_the_whole_text_at_once_is_refused_by_its_folder(folder: Path) -> None:
    tiny_model("bert", {"vocab_size": 257}).save_pretrained(folder)
    with pytest.raises(UserError) as raised:
        load(folder)
    assert str(raised.value).startswith(f"{folder}: model type 'bert': what follows a token, or ")
    assert "\n" not in str(raised.value)


def test_a_pair_of_a_model_that_reads_the_whole_text_at_once_is_refused(folder: Path) -> None:
    bert = tiny_model("bert", {"vocab_size": 257})
    with pytest.raises(UserError, match=r"^model type 'bert': what follows a token"):
        load((bert, load_tokenizer(folder)))


# Code that comes with a model


@pytest.fixture
def marker(folder: Path, tmp_path: Path) -> Path:
    """The path of a file that appears if anything imports the code in `folder`."""
    marker = tmp_path / "the code was run"
    (folder / "own.py").write_text(f"from pathlib import Path\n\nPath({str(marker)!r}).touch()\n")
    return marker


def update(path: Path, **entries: object) -> None:
    """Set entries of a JSON file."""
    path.write_text(json.dumps(json.loads(path.read_text()) | entries))


OWN_MODEL = {"AutoConfig": "own.OwnConfig", "AutoModelForCausalLM": "own.OwnModel"}
OWN_TOKENIZER = {"AutoTokenizer": ["own.OwnTokenizer", "own.OwnTokenizer"]}


def test_a_model_that_needs_its_own_code_is_refused_and_not_run(
    folder: Path, marker: Path, out: Path
) -> None:
    update(folder / "config.json", model_type="own", auto_map=OWN_MODEL)
    with pytest.raises(UserError) as linked:
        link_local_model(folder, out, name="mine")
    assert str(linked.value).startswith(str(folder))
    with pytest.raises(UserError) as loaded:
        load_model(folder, CPU)
    assert str(loaded.value).startswith(str(folder))
    assert not marker.exists()


def test_a_known_family_is_run_by_transformers_code_and_not_by_its_own(
    folder: Path, marker: Path, out: Path
) -> None:
    update(folder / "config.json", auto_map=OWN_MODEL)
    link_local_model(folder, out, name="mine")
    assert type(load_model(out, CPU)).__module__ == "transformers.models.llama.modeling_llama"
    assert not marker.exists()


def test_a_tokenizer_that_needs_its_own_code_is_refused_and_not_run(
    folder: Path, marker: Path, out: Path
) -> None:
    update(folder / "tokenizer_config.json", tokenizer_class="OwnTokenizer", auto_map=OWN_TOKENIZER)
    with pytest.raises(UserError) as raised:
        link_local_model(folder, out, name="mine")
    assert str(raised.value).startswith(str(folder))
    assert not out.exists()
    assert not marker.exists()


# Weights that are damaged or missing


def test_damaged_weights_are_refused_by_the_name_of_their_folder(tmp_path: Path) -> None:
    folder = make_tiny_model("gpt2", tmp_path / "m")
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1000])
    with pytest.raises(
        UserError, match=r"m: transformers cannot load the model .*; fetch or save it again"
    ):
        load_model(folder, torch.device("cpu"))
    with pytest.raises(
        UserError, match=r"model.safetensors: damaged safetensors .*; fetch or save the model again"
    ):
        link_local_model(folder, tmp_path / "linked", name="mine")
    assert not (tmp_path / "linked").exists()


def test_a_model_with_missing_weights_is_refused_rather_than_filled_with_random_ones(
    tmp_path: Path,
) -> None:
    folder = make_tiny_model("llama", tmp_path / "m", n_layers=3)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"num_hidden_layers": 5}))
    # A Llama block has 9 tensors: four of attention, three of the MLP and two norms. The weights of
    # two blocks are missing: 18 tensors.
    with pytest.raises(
        UserError, match=r"m: no weights for model.layers.3.\S+ and 17 more; save the whole"
    ):
        load_model(folder, torch.device("cpu"))
