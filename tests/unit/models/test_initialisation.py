"""A GPT-Neo with random weights: its folder, its seed and its layers."""

import hashlib
from pathlib import Path

import pytest
import torch
from transformers import PreTrainedTokenizerFast

from mechaware.core.errors import UserError
from mechaware.instruments.grounding.data.rows import prompt_of
from mechaware.models.initialisation import initialise_gpt_neo
from mechaware.models.registry import Manifest, load_model, load_tokenizer, read_manifest
from mechaware.models.tokenizers import make_word_tokenizer

CPU = torch.device("cpu")
PROMPT = prompt_of("Show me name, price", "CREATE TABLE orders ( price REAL,\n    name TEXT )")


@pytest.fixture(scope="module")
def tokenizer() -> PreTrainedTokenizerFast:
    return make_word_tokenizer([" price", PROMPT])


def sha256_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def make_model(
    folder: Path, tokenizer: PreTrainedTokenizerFast, *, seed: int = 0, n_layers: int = 3
) -> Manifest:
    """Write a tiny model named `mine` into `folder`."""
    return initialise_gpt_neo(
        folder,
        tokenizer,
        name="mine",
        n_layers=n_layers,
        d_model=16,
        n_heads=4,
        context_length=32,
        seed=seed,
    )


def test_the_manifest_says_that_the_weights_are_random(
    tokenizer: PreTrainedTokenizerFast, tmp_path: Path
) -> None:
    folder = tmp_path / "model"
    manifest = make_model(folder, tokenizer, seed=7)
    assert manifest == read_manifest(folder)
    assert (manifest.name, manifest.kind) == ("mine", "scratch")
    assert manifest.source == "random weights, seed 7"
    assert manifest.revision == manifest.weights_revision == "none"
    assert manifest.weights_sha256 == sha256_of(folder / "model.safetensors")
    assert manifest.tokenizer_sha256 == sha256_of(folder / "tokenizer.json")
    assert (manifest.model_type, manifest.n_layers) == ("gpt_neo", 3)
    assert (manifest.n_heads, manifest.d_model) == (4, 16)
    assert (manifest.vocab_size, manifest.context_length) == (len(tokenizer), 32)


def test_the_seed_alone_determines_the_bytes_of_the_weights(
    tokenizer: PreTrainedTokenizerFast, tmp_path: Path
) -> None:
    def files_made(name: str, *, seed: int, torch_seed: int) -> dict[str, bytes]:
        """The files of a model by name, made after torch's own generator got `torch_seed`."""
        torch.manual_seed(torch_seed)
        make_model(tmp_path / name, tokenizer, seed=seed)
        return {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()}

    first = files_made("first", seed=0, torch_seed=1)
    same_seed = files_made("same_seed", seed=0, torch_seed=2)
    other_seed = files_made("other_seed", seed=1, torch_seed=1)
    assert same_seed == first
    assert other_seed["model.safetensors"] != first["model.safetensors"]
    assert other_seed["tokenizer.json"] == first["tokenizer.json"]


def test_torchs_own_random_state_is_not_disturbed(
    tokenizer: PreTrainedTokenizerFast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gpu_seeds: list[int] = []
    # torch.manual_seed calls this, which would seed every GPU.
    monkeypatch.setattr(torch.cuda, "manual_seed_all", gpu_seeds.append)
    state = torch.get_rng_state()
    make_model(tmp_path / "model", tokenizer)
    assert torch.equal(torch.get_rng_state(), state)
    assert gpu_seeds == []


def test_global_and_local_layers_alternate_with_the_window_of_tinystories(
    tokenizer: PreTrainedTokenizerFast, tmp_path: Path
) -> None:
    make_model(tmp_path / "model", tokenizer, n_layers=5)
    config = load_model(tmp_path / "model", CPU).config
    assert config.attention_layers == ["global", "local", "global", "local", "global"]
    assert config.window_size == 256


def test_the_model_reads_a_text_as_long_as_its_context(
    tokenizer: PreTrainedTokenizerFast, tmp_path: Path
) -> None:
    make_model(tmp_path / "model", tokenizer)
    model = load_model(tmp_path / "model", CPU)
    saved_tokenizer = load_tokenizer(tmp_path / "model")
    ids = torch.tensor([saved_tokenizer(" price" * 32).input_ids])
    with torch.inference_mode():
        logits = model(ids).logits
    assert logits.shape == (1, 32, len(tokenizer))
    assert logits.isfinite().all()
    assert saved_tokenizer.model_max_length == 32


def test_the_config_names_the_tokenizers_end_token(
    tokenizer: PreTrainedTokenizerFast, tmp_path: Path
) -> None:
    make_model(tmp_path / "model", tokenizer)
    model = load_model(tmp_path / "model", CPU)
    assert model.config.eos_token_id == tokenizer.eos_token_id


def test_a_width_that_is_not_a_multiple_of_the_heads_is_refused_before_anything_is_written(
    tokenizer: PreTrainedTokenizerFast, tmp_path: Path
) -> None:
    sizes = {"n_layers": 2, "d_model": 30, "n_heads": 4, "context_length": 32}
    with pytest.raises(UserError) as refused:
        initialise_gpt_neo(tmp_path / "models/mine", tokenizer, name="mine", seed=0, **sizes)
    assert (
        str(refused.value)
        == "model mine: d_model 30 is not a multiple of n_heads 4; correct config/models.yaml"
    )
    assert not list(tmp_path.iterdir())
