"""Tokenizers give texts back; a word tokenizer has one token for each word."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from transformers import PreTrainedTokenizerFast

from mechaware.instruments.grounding.data.rows import prompt_of
from mechaware.models.tokenizers import END, UNKNOWN, make_bpe_tokenizer, make_word_tokenizer

PROMPT = prompt_of("Show me name, price", "CREATE TABLE orders ( price REAL,\n    name TEXT )")


@pytest.fixture(scope="module")
def tokenizer() -> PreTrainedTokenizerFast:
    return make_word_tokenizer([" price name SELECT orders, name", PROMPT])


@given(
    text=st.text(alphabet=st.characters(exclude_categories=["Cs"]), min_size=1).filter(
        lambda text: "<|" not in text
    )
)
def test_any_text_is_given_back_by_a_tokenizer_made_of_it(text: str) -> None:
    tokenizer = make_word_tokenizer([text])
    assert tokenizer.decode(tokenizer(text).input_ids) == text


def test_each_word_is_one_token_that_holds_the_space_before_it(
    tokenizer: PreTrainedTokenizerFast,
) -> None:
    ids = tokenizer(" price name SELECT").input_ids
    assert tokenizer.batch_decode([[token] for token in ids]) == [" price", " name", " SELECT"]
    assert tokenizer(" SELECT price").input_ids == [ids[2], ids[0]]
    # A comma is a token of its own, so that the word before it is the same one as elsewhere.
    with_comma = tokenizer(" orders, name").input_ids
    assert tokenizer.batch_decode([[token] for token in with_comma]) == [" orders", ",", " name"]


@pytest.mark.parametrize(
    "name", ["address_line2", "sign-ins", "What's", "VARCHAR(20)", "DECIMAL(10, 2)"]
)
def test_names_with_underscores_and_types_with_sizes_are_one_token(name: str) -> None:
    text = f"### Context: CREATE TABLE t ( a {name}, b TEXT, c {name} ) {name}"
    tokenizer = make_word_tokenizer([text])
    ids = tokenizer(text).input_ids
    (name_id,) = tokenizer(f" {name}").input_ids
    assert tokenizer.decode([name_id]) == f" {name}"
    assert ids.count(name_id) == 3
    assert tokenizer.decode(ids) == text


def test_an_unknown_word_is_one_unknown_token(tokenizer: PreTrainedTokenizerFast) -> None:
    ids = tokenizer(" price zebra name").input_ids
    known = tokenizer(" price name").input_ids
    assert ids == [known[0], tokenizer.unk_token_id, known[1]]
    assert tokenizer.convert_ids_to_tokens(ids)[1] == tokenizer.unk_token == UNKNOWN
    assert tokenizer.eos_token == tokenizer.bos_token == tokenizer.pad_token == END
    assert len({tokenizer.eos_token_id, tokenizer.unk_token_id}) == 2
    # A known word without its space is unknown, and so is the beginning of a known word.
    assert tokenizer("name").input_ids == tokenizer(" pri").input_ids == [tokenizer.unk_token_id]


def test_tokens_are_numbered_in_the_order_of_the_alphabet() -> None:
    # Not in the order of a set, which differs from process to process: the same data must give the same bytes.
    letters = "qwertyuiopasdfghjklzxcvbnmq"
    vocabulary = make_word_tokenizer([f" {letter}" for letter in letters]).get_vocab()
    words = [f"Ġ{letter}" for letter in sorted(set(letters))]
    assert sorted(vocabulary, key=vocabulary.__getitem__) == [END, UNKNOWN, *words]


def test_byte_pairs_encode_any_text_after_the_end_of_text() -> None:
    byte_pairs = make_bpe_tokenizer(
        [f"Lork, Dabs, Bamor zul: Keten {number}." for number in range(50)], 280
    )
    bare = byte_pairs("Lork zül:", add_special_tokens=False).input_ids
    assert byte_pairs("Lork zül:").input_ids == [byte_pairs.eos_token_id, *bare]
    assert byte_pairs.decode(bare) == "Lork zül:"
    assert (byte_pairs("").input_ids, len(byte_pairs)) == ([byte_pairs.eos_token_id], 280)
    assert byte_pairs.bos_token == byte_pairs.eos_token == byte_pairs.pad_token == END


def test_of_two_phrases_that_begin_alike_the_longer_is_the_token() -> None:
    text = "the date of birth and the date of birth place"
    tokenizer = make_word_tokenizer([text], ["date of birth", "date of birth place"])
    tokens = [tokenizer.decode([token]) for token in tokenizer(text).input_ids]
    assert tokens == ["the", " date of birth", " and", " the", " date of birth place"]
