"""A tokenizer with one token per word, and a model with random weights that are the same for the same seed."""

import hashlib
import json
from dataclasses import asdict
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import PreTrainedTokenizerFast

from mechaware.errors import UserError
from mechaware.grounding.data.rows import prompt_of
from mechaware.models.registry import Manifest, load_model, load_tokenizer, read_manifest
from mechaware.models.scratch import END, UNKNOWN, initialise_gpt_neo, make_word_tokenizer

CPU = torch.device("cpu")
WORDS = ("price", "name", "SELECT", "FROM", "###", "TABLE", "Instruction:", "orders,", "(", ")", "it's", "(100)", "42")
TEXT = " ".join(WORDS)
PROMPT = prompt_of("Show me name, price", "CREATE TABLE orders ( price REAL,\n    name TEXT )")


@pytest.fixture(scope="module")
def tokenizer() -> PreTrainedTokenizerFast:
    return make_word_tokenizer([f" {TEXT}", PROMPT])


def make(folder: Path, tokenizer: PreTrainedTokenizerFast, *, seed: int = 0, n_layers: int = 3) -> Manifest:
    return initialise_gpt_neo(
        folder, tokenizer, name="mine", n_layers=n_layers, d_model=16, n_heads=4, context_length=32, seed=seed
    )


# The tokenizer


@given(words=st.lists(st.sampled_from(WORDS), min_size=1))
def test_a_text_of_known_words_is_given_back(words: list[str]) -> None:
    tokenizer = make_word_tokenizer([*WORDS, *(f" {word}" for word in WORDS)])
    for text in (" ".join(words), f" {' '.join(words)}"):
        ids = tokenizer(text).input_ids
        assert tokenizer.unk_token_id not in ids
        assert tokenizer.decode(ids) == text


@given(
    text=st.text(alphabet=st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda text: "<|" not in text)
)
def test_any_text_is_given_back_by_a_tokenizer_made_of_it(text: str) -> None:
    tokenizer = make_word_tokenizer([text])
    assert tokenizer.decode(tokenizer(text).input_ids) == text


def test_a_prompt_is_given_back_with_its_line_breaks(tokenizer: PreTrainedTokenizerFast) -> None:
    assert tokenizer.decode(tokenizer(PROMPT).input_ids) == PROMPT


def test_each_word_is_one_token_that_holds_the_space_before_it(tokenizer: PreTrainedTokenizerFast) -> None:
    ids = tokenizer(" price name SELECT").input_ids
    assert tokenizer.batch_decode([[token] for token in ids]) == [" price", " name", " SELECT"]
    assert tokenizer(" SELECT price").input_ids == [ids[2], ids[0]]
    # A comma is a token of its own, so that the word before it is the same one as elsewhere.
    assert tokenizer.batch_decode([[token] for token in tokenizer(" orders, name").input_ids]) == [
        *(" orders", ",", " name")
    ]


NAMES = (
    "created_at",
    "address_line2",
    "is_open",
    "sign-ins",
    "What's",
    "VARCHAR(20)",
    "DECIMAL(10,2)",
    "DECIMAL(10, 2)",
)


@pytest.mark.parametrize("name", NAMES)
def test_names_with_underscores_and_types_with_sizes_are_one_token(name: str) -> None:
    text = f"### Context: CREATE TABLE t ( a {name}, b TEXT, c {name} ) {name}"
    tokenizer = make_word_tokenizer([text])
    ids = tokenizer(text).input_ids
    (name_id,) = tokenizer(f" {name}").input_ids
    assert tokenizer.decode([name_id]) == f" {name}"
    assert ids.count(name_id) == 3
    assert tokenizer.decode(ids) == text


def test_nothing_is_put_before_or_after_a_text(tokenizer: PreTrainedTokenizerFast) -> None:
    assert len(tokenizer(" price").input_ids) == 1
    assert tokenizer("").input_ids == []


def test_an_unknown_word_is_one_unknown_token(tokenizer: PreTrainedTokenizerFast) -> None:
    ids = tokenizer(" price zebra name").input_ids
    known = tokenizer(" price name").input_ids
    assert ids == [known[0], tokenizer.unk_token_id, known[1]]
    assert tokenizer.convert_ids_to_tokens(ids)[1] == UNKNOWN
    # A known word without its space, and one that a known word begins with, are unknown as well.
    assert tokenizer("name").input_ids == tokenizer(" pri").input_ids == [tokenizer.unk_token_id]


def test_the_special_tokens_are_the_end_and_the_unknown_one(tokenizer: PreTrainedTokenizerFast) -> None:
    assert tokenizer.eos_token == tokenizer.bos_token == tokenizer.pad_token == END
    assert tokenizer.unk_token == UNKNOWN
    assert len({tokenizer.eos_token_id, tokenizer.unk_token_id}) == 2


def test_the_order_and_number_of_texts_do_not_matter() -> None:
    one = make_word_tokenizer([" b a", " c", " a"])
    assert one.get_vocab() == make_word_tokenizer(iter([" c a", " b"])).get_vocab()
    assert len(one) == 2 + 3


def test_tokens_are_numbered_in_the_order_of_the_alphabet() -> None:
    # Not in that of a set, which is another one in every process: the same data must give the same bytes.
    letters = "qwertyuiopasdfghjklzxcvbnm"
    vocabulary = make_word_tokenizer([f" {letter}" for letter in letters]).get_vocab()
    assert sorted(vocabulary, key=vocabulary.__getitem__) == [END, UNKNOWN, *(f"Ġ{one}" for one in sorted(letters))]


def test_a_tokenizer_read_from_disk_is_the_same(tokenizer: PreTrainedTokenizerFast, tmp_path: Path) -> None:
    make(tmp_path / "m", tokenizer)
    read = load_tokenizer(tmp_path / "m")
    assert read.get_vocab() == tokenizer.get_vocab()
    for text in (PROMPT, " price zebra", f" name{END}"):
        assert read(text).input_ids == tokenizer(text).input_ids
        assert read.decode(read(text).input_ids) == tokenizer.decode(tokenizer(text).input_ids)
    for name in ("eos_token_id", "pad_token_id", "unk_token_id", "bos_token_id"):
        assert getattr(read, name) == getattr(tokenizer, name)
    assert read.model_max_length == 32


# The model


def test_the_manifest_says_that_the_weights_are_random(tokenizer: PreTrainedTokenizerFast, tmp_path: Path) -> None:
    manifest = make(tmp_path / "m", tokenizer, seed=7)
    assert manifest == read_manifest(tmp_path / "m")
    assert asdict(manifest) == {
        "name": "mine",
        "kind": "scratch",
        "source": "random weights, seed 7",
        "revision": "none",
        "weights_revision": "none",
        "weights_sha256": hashlib.sha256((tmp_path / "m/model.safetensors").read_bytes()).hexdigest(),
        "tokenizer_sha256": hashlib.sha256((tmp_path / "m/tokenizer.json").read_bytes()).hexdigest(),
        "model_type": "gpt_neo",
        "n_layers": 3,
        "n_heads": 4,
        "d_model": 16,
        "vocab_size": len(tokenizer),
        "context_length": 32,
    }


def test_global_and_local_layers_take_turns(tokenizer: PreTrainedTokenizerFast, tmp_path: Path) -> None:
    make(tmp_path / "m", tokenizer, n_layers=5)
    config = load_model(tmp_path / "m", CPU).config
    assert config.attention_layers == ["global", "local", "global", "local", "global"]
    assert config.window_size == 256


def test_the_same_seed_gives_the_same_bytes_and_another_one_others(
    tokenizer: PreTrainedTokenizerFast, tmp_path: Path
) -> None:
    for name, seed, state in (("a", 0, 1), ("b", 0, 2), ("c", 1, 1)):
        torch.manual_seed(state)  # whatever was drawn before
        make(tmp_path / name, tokenizer, seed=seed)
    files = {name: {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in "abc"}
    assert files["a"] == files["b"]
    assert files["a"]["model.safetensors"] != files["c"]["model.safetensors"]
    assert files["a"]["tokenizer.json"] == files["c"]["tokenizer.json"]


def test_torchs_own_random_state_is_not_disturbed(
    tokenizer: PreTrainedTokenizerFast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeded: list[int] = []
    monkeypatch.setattr(torch.cuda, "manual_seed_all", seeded.append)  # what torch.manual_seed does to every GPU
    state = torch.get_rng_state()
    make(tmp_path / "m", tokenizer)
    assert torch.equal(torch.get_rng_state(), state)
    assert seeded == []


def test_the_model_reads_as_many_tokens_as_its_context(tokenizer: PreTrainedTokenizerFast, tmp_path: Path) -> None:
    make(tmp_path / "m", tokenizer)
    model = load_model(tmp_path / "m", CPU)
    ids = torch.tensor([load_tokenizer(tmp_path / "m")(" price" * 32).input_ids])
    with torch.inference_mode():
        logits = model(ids).logits
    assert logits.shape == (1, 32, len(tokenizer))
    assert logits.isfinite().all()
    assert model.config.eos_token_id == tokenizer.eos_token_id


def test_a_width_that_the_heads_cannot_share_is_refused_and_nothing_written(
    tokenizer: PreTrainedTokenizerFast, tmp_path: Path
) -> None:
    sizes = {"n_layers": 2, "d_model": 30, "n_heads": 4, "context_length": 32}
    with pytest.raises(UserError) as refused:
        initialise_gpt_neo(tmp_path / "models/mine", tokenizer, name="mine", seed=0, **sizes)
    assert str(refused.value) == "model mine: d_model 30 is not a multiple of n_heads 4; correct config/models.yaml"
    assert not list(tmp_path.iterdir())


def test_a_new_model_replaces_the_old_one_whole(tokenizer: PreTrainedTokenizerFast, tmp_path: Path) -> None:
    make(tmp_path / "m", tokenizer)
    (tmp_path / "m/left_over").touch()
    make(tmp_path / "m", make_word_tokenizer([" price"]))
    assert list(tmp_path.iterdir()) == [tmp_path / "m"]
    assert not (tmp_path / "m/left_over").exists()
    assert json.loads((tmp_path / "m/config.json").read_text())["vocab_size"] == 3
