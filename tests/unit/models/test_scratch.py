"""Tokenizers of words and of byte pairs, and models with random weights that are the same for the same seed."""

import hashlib
import json
from dataclasses import asdict
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from mechaware.errors import UserError
from mechaware.grounding.data.rows import prompt_of
from mechaware.models.registry import (
    Manifest,
    load_model,
    load_tokenizer,
    read_manifest,
    write_manifest,
)
from mechaware.models.scratch import (
    END,
    UNKNOWN,
    initialise_gpt_neo,
    make_bpe_tokenizer,
    make_word_tokenizer,
    random_llama,
)

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


# The byte-pair tokenizer and the Llama


@pytest.fixture(scope="module")
def byte_pairs() -> PreTrainedTokenizerFast:
    return make_bpe_tokenizer([f"Lork, Dabs, Bamor zul: Keten {number}." for number in range(50)], 280)


@given(
    text=st.text(alphabet=st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda text: "<|" not in text)
)
def test_byte_pairs_encode_any_text_and_give_it_back(byte_pairs: PreTrainedTokenizerFast, text: str) -> None:
    ids = byte_pairs(text, add_special_tokens=False).input_ids
    assert byte_pairs.eos_token_id not in ids
    assert byte_pairs.decode(ids) == text


def test_an_encoded_text_begins_with_the_end_of_text_and_ends_with_its_own_last_token(
    byte_pairs: PreTrainedTokenizerFast,
) -> None:
    bare = byte_pairs("Lork zul:", add_special_tokens=False).input_ids
    assert byte_pairs("Lork zul:").input_ids == [byte_pairs.eos_token_id, *bare]
    assert byte_pairs("").input_ids == [byte_pairs.eos_token_id]
    assert byte_pairs.bos_token == byte_pairs.eos_token == byte_pairs.pad_token == END


def test_byte_pairs_are_learned_up_to_the_size_asked_for(byte_pairs: PreTrainedTokenizerFast) -> None:
    assert len(byte_pairs) == 280
    # A frequent name is fewer tokens than it has bytes; an unknown one is a token a byte.
    assert len(byte_pairs(" Bamor", add_special_tokens=False).input_ids) < len(" Bamor")
    assert len(byte_pairs("QXJW", add_special_tokens=False).input_ids) == 4
    # All bytes and the end of text are there even if fewer are asked for.
    assert len(make_bpe_tokenizer(["a b"], 10)) == 256 + 1


def test_the_same_texts_give_the_same_byte_pairs() -> None:
    texts = [f"Lork, Dabs, Bamor zul: Keten {number}." for number in range(50)]
    made = [make_bpe_tokenizer(texts, 300).backend_tokenizer.to_str() for _ in range(3)]
    assert made[0] == made[1] == made[2]


def llama(tokenizer: PreTrainedTokenizerFast, *, seed: int = 0, n_heads: int = 2) -> PreTrainedModel:
    return random_llama(tokenizer, n_layers=2, d_model=32, n_heads=n_heads, context_length=48, seed=seed)


def test_a_llama_saved_with_its_byte_pairs_is_read_as_it_was(
    byte_pairs: PreTrainedTokenizerFast, tmp_path: Path
) -> None:
    model = llama(byte_pairs)
    model.save_pretrained(tmp_path)
    byte_pairs.save_pretrained(tmp_path)
    manifest = write_manifest(tmp_path, name="mine", kind="trained", source="-", revision="none")
    assert (manifest.n_layers, manifest.d_model, manifest.n_heads) == (2, 32, 2)
    assert (manifest.vocab_size, manifest.context_length) == (280, 48)
    read = load_tokenizer(tmp_path)
    for text in ("", "Lork, Dabs zul: Bamor.", " Bamor.", "é\n  x"):
        assert read(text).input_ids == byte_pairs(text).input_ids
        assert read(text, add_special_tokens=False).input_ids == byte_pairs(text, add_special_tokens=False).input_ids
        assert read.decode(byte_pairs(text, add_special_tokens=False).input_ids) == text
    for name in ("bos_token_id", "eos_token_id", "pad_token_id"):
        assert getattr(read, name) == getattr(byte_pairs, name)
    ids = torch.tensor([byte_pairs("Lork, Dabs zul: Bamor.").input_ids])
    with torch.inference_mode():
        torch.testing.assert_close(load_model(tmp_path, CPU)(ids).logits, model(ids).logits, rtol=0, atol=0)


def test_a_llama_is_ready_to_be_read_with_eager_attention_and_tied_embeddings(
    byte_pairs: PreTrainedTokenizerFast,
) -> None:
    model = llama(byte_pairs)
    assert not model.training
    assert model.config._attn_implementation == "eager"
    assert model.get_output_embeddings().weight is model.get_input_embeddings().weight


def test_a_llamas_matrices_have_the_deviation_one_over_the_root_of_the_width(
    byte_pairs: PreTrainedTokenizerFast,
) -> None:
    for name, weight in llama(byte_pairs).named_parameters():
        if weight.ndim == 2 and "embed" not in name:
            # Of n draws the sample's deviation is off by 1 / sqrt(2 n): 2.2% at 32 x 32; five of those.
            assert weight.std().item() == pytest.approx(32**-0.5, rel=5 / (2 * weight.numel()) ** 0.5), name


def test_a_llama_is_the_same_for_the_same_seed_and_disturbs_no_other_draw(byte_pairs: PreTrainedTokenizerFast) -> None:
    state = torch.get_rng_state()
    first, again, other = (llama(byte_pairs, seed=seed).state_dict() for seed in (0, 0, 1))
    assert torch.equal(torch.get_rng_state(), state)
    assert all(torch.equal(first[name], again[name]) for name in first)
    name = "model.layers.0.mlp.up_proj.weight"
    assert not torch.equal(first[name], other[name])


def test_a_llama_whose_width_the_heads_cannot_share_is_refused(byte_pairs: PreTrainedTokenizerFast) -> None:
    with pytest.raises(UserError) as refused:
        llama(byte_pairs, n_heads=3)
    assert str(refused.value) == (
        "radar/memorisation/base: d_model 32 is not a multiple of n_heads 3; correct the config"
    )
