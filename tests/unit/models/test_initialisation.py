"""The base has random weights that are the same for the same seed."""

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


def make(
    folder: Path, tokenizer: PreTrainedTokenizerFast, *, seed: int = 0, n_layers: int = 3
) -> Manifest:
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
    manifest = make(tmp_path / "m", tokenizer, seed=7)
    assert manifest == read_manifest(tmp_path / "m")
    assert (manifest.name, manifest.kind) == ("mine", "scratch")
    assert manifest.source == "random weights, seed 7"
    assert manifest.revision == manifest.weights_revision == "none"
    assert manifest.weights_sha256 == sha256_of(tmp_path / "m/model.safetensors")
    assert manifest.tokenizer_sha256 == sha256_of(tmp_path / "m/tokenizer.json")
    assert (manifest.model_type, manifest.n_layers) == ("gpt_neo", 3)
    assert (manifest.n_heads, manifest.d_model) == (4, 16)
    assert (manifest.vocab_size, manifest.context_length) == (len(tokenizer), 32)


def sha256_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_the_same_seed_gives_the_same_bytes_and_another_one_others(
    tokenizer: PreTrainedTokenizerFast, tmp_path: Path
) -> None:
    for name, seed, state in (("a", 0, 1), ("b", 0, 2), ("c", 1, 1)):
        torch.manual_seed(state)  # whatever was drawn before
        make(tmp_path / name, tokenizer, seed=seed)
    files: dict[str, dict[str, bytes]] = {}
    for name in ("a", "b", "c"):
        files[name] = {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()}
    assert files["a"] == files["b"]
    assert files["a"]["model.safetensors"] != files["c"]["model.safetensors"]
    assert files["a"]["tokenizer.json"] == files["c"]["tokenizer.json"]


def test_torchs_own_random_state_is_not_disturbed(
    tokenizer: PreTrainedTokenizerFast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeded: list[int] = []
    # What torch.manual_seed does to every GPU.
    monkeypatch.setattr(torch.cuda, "manual_seed_all", seeded.append)
    state = torch.get_rng_state()
    make(tmp_path / "m", tokenizer)
    assert torch.equal(torch.get_rng_state(), state)
    assert seeded == []


def test_global_and_local_layers_take_turns_and_read_as_many_tokens_as_the_context(
    tokenizer: PreTrainedTokenizerFast, tmp_path: Path
) -> None:
    make(tmp_path / "m", tokenizer, n_layers=5)
    model = load_model(tmp_path / "m", CPU)
    assert model.config.attention_layers == ["global", "local", "global", "local", "global"]
    assert model.config.window_size == 256
    ids = torch.tensor([load_tokenizer(tmp_path / "m")(" price" * 32).input_ids])
    with torch.inference_mode():
        logits = model(ids).logits
    assert logits.shape == (1, 32, len(tokenizer))
    assert logits.isfinite().all()
    assert model.config.eos_token_id == tokenizer.eos_token_id
    assert load_tokenizer(tmp_path / "m").model_max_length == 32


def test_a_width_that_the_heads_cannot_share_is_refused_and_nothing_written(
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
