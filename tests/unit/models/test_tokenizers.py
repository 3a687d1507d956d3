"""Tokenizers restore texts; a word tokenizer has one token for each word."""

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


def without_special_tokens(text: str) -> bool:
    """Whether no part of the text can be read as `<|endoftext|>` or `<|unknown|>`."""
    return "<|" not in text


# All characters but surrogates, which UTF-8 cannot encode.
CHARACTERS = st.characters(exclude_categories=["Cs"])


@given(text=st.text(alphabet=CHARACTERS, min_size=1).filter(without_special_tokens))
def test_a_tokenizer_made_from_a_text_restores_the_text(text: str) -> None:
    tokenizer = make_word_tokenizer([text])
    assert tokenizer.decode(tokenizer(text).input_ids) == text


def test_each_word_is_one_token_that_includes_the_space_before_it(
    tokenizer: PreTrainedTokenizerFast,
) -> None:
    ids = tokenizer(" price name SELECT").input_ids
    assert tokenizer.batch_decode([[token] for token in ids]) == [" price", " name", " SELECT"]
    assert tokenizer(" SELECT price").input_ids == [ids[2], ids[0]]
    # A comma is a token of its own, so that ` orders` is the same token with and without it.
    with_comma = tokenizer(" orders, name").input_ids
    assert tokenizer.batch_decode([[token] for token in with_comma]) == [" orders", ",", " name"]


@pytest.mark.parametrize(
    "name", ["address_line2", "sign-ins", "What's", "VARCHAR(20)", "DECIMAL(10, 2)"]
)
def test_a_name_with_marks_inside_or_a_type_with_its_size_is_one_token(name: str) -> None:
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


def test_the_beginning_of_a_word_or_a_word_without_its_space_is_unknown(
    tokenizer: PreTrainedTokenizerFast,
) -> None:
    assert tokenizer(" pri").input_ids == [tokenizer.unk_token_id]
    assert tokenizer("name").input_ids == [tokenizer.unk_token_id]


def test_the_end_of_text_also_starts_and_pads_and_is_not_the_unknown_token(
    tokenizer: PreTrainedTokenizerFast,
) -> None:
    assert tokenizer.eos_token == tokenizer.bos_token == tokenizer.pad_token == END
    assert tokenizer.eos_token_id != tokenizer.unk_token_id


def test_tokens_are_numbered_in_the_order_of_the_alphabet() -> None:
    """The order of a set would differ from process to process: equal data must give equal bytes."""
    letters = "qwertyuiopasdfghjklzxcvbnmq"  # q twice
    vocabulary = make_word_tokenizer([f" {letter}" for letter in letters]).get_vocab()
    # A byte-level tokenizer writes a space as Ġ.
    words = [f"Ġ{letter}" for letter in sorted(set(letters))]
    tokens_by_number = sorted(vocabulary, key=vocabulary.__getitem__)
    assert tokens_by_number == [END, UNKNOWN, *words]


def test_byte_pairs_put_the_end_of_text_before_a_text_and_restore_any_text() -> None:
    texts = [f"Lork, Dabs, Bamor zul: Keten {number}." for number in range(50)]
    # 256 bytes, the end of text, and 23 merges.
    byte_pairs = make_bpe_tokenizer(texts, 280)
    assert len(byte_pairs) == 280
    assert byte_pairs.bos_token == byte_pairs.eos_token == byte_pairs.pad_token == END

    unseen = "Lork zül:"  # no text has the letter ü
    ids = byte_pairs(unseen, add_special_tokens=False).input_ids
    assert byte_pairs(unseen).input_ids == [byte_pairs.eos_token_id, *ids]
    assert byte_pairs.decode(ids) == unseen
    assert byte_pairs("").input_ids == [byte_pairs.eos_token_id]


def test_where_two_phrases_match_the_longer_is_the_token() -> None:
    text = "the date of birth and the date of birth place"
    tokenizer = make_word_tokenizer([text], ["date of birth", "date of birth place"])
    tokens = [tokenizer.decode([token]) for token in tokenizer(text).input_ids]
    assert tokens == ["the", " date of birth", " and", " the", " date of birth place"]
