"""A user's folder is linked and loaded whole, or refused by its name; pickles are never read."""

import json
from pathlib import Path

import pytest
import torch

from mechaware.core.errors import UserError
from mechaware.models.context import UNLIMITED
from mechaware.models.opening import load
from mechaware.models.registry import load_model, load_tokenizer, read_manifest
from mechaware.models.sources import link_local_model
from tests.architectures import tiny_model
from tests.tiny_models import make_tiny_model
from tests.unit.models.local_hub import PICKLE
from tests.unit.models.sources.model_files import assert_same_model, sha256_of

CPU = torch.device("cpu")


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
    ("file", "text", "complaint"),
    [
        pytest.param(
            "model.safetensors",
            None,
            ": no *.safetensors; pickled weights are never loaded",
            id="pickled weights only",
        ),
        pytest.param("config.json", None, ": no config.json", id="no config"),
        pytest.param("tokenizer.json", None, ": no tokenizer", id="no tokenizer"),
        pytest.param("config.json", "{", "/config.json: ", id="a config that is no JSON"),
        pytest.param(
            "config.json",
            '{"model": "bloom"}',
            "/config.json: no model_type; give the folder that `save_pretrained` wrote",
            id="a config without the type of the model",
        ),
    ],
)
def test_an_unusable_folder_is_refused_by_its_name(
    folder: Path, file: str, text: str | None, complaint: str, out: Path
) -> None:
    # The file gets the name of pickled weights, which are never read.
    (folder / file).rename(folder / "pytorch_model.bin")
    if text is not None:
        (folder / file).write_text(text)

    with pytest.raises(UserError) as raised:
        link_local_model(folder, out, name="mine")

    assert str(raised.value).startswith(f"{folder}{complaint}")
    assert "\n" not in str(raised.value)
    assert not out.parent.exists() or not list(out.parent.iterdir())


def test_damaged_weights_are_refused_by_the_name_of_their_folder(tmp_path: Path) -> None:
    folder = make_tiny_model("gpt2", tmp_path / "m")
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1000])

    with pytest.raises(
        UserError, match=r"m: transformers cannot load the model .*; fetch or save it again"
    ):
        load_model(folder, CPU)

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
        load_model(folder, CPU)


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
