"""Words of pairs as tokens, and the pairs that a tokenizer can read; spans and faults are in other files."""

from pathlib import Path

import pytest
from transformers import PreTrainedTokenizerFast

from mechaware.controls.tokenizer import make_word_tokenizer
from mechaware.grounding.data.pairs import Pair
from mechaware.grounding.tokens import usable_pairs, word_tokens
from mechaware.models.registry import load_tokenizer
from tests.tiny_models import make_tiny_model
from tests.unit.grounding.pairs_by_hand import PAIRS, make_pair, texts_of


@pytest.fixture(scope="module")
def tokenizer() -> PreTrainedTokenizerFast:
    return make_word_tokenizer(texts_of(PAIRS))


def test_a_word_has_the_tokens_that_it_has_behind_a_space_and_none_if_one_is_unknown(
    tokenizer: PreTrainedTokenizerFast,
) -> None:
    for word, pieces in (("price", [" price"]), ("price cost", [" price", " cost"])):
        assert [tokenizer.decode([token]) for token in word_tokens(tokenizer, word)] == pieces
    assert word_tokens(tokenizer, "zebra") == word_tokens(tokenizer, "price zebra") == ()


def pair(request: str, clean: str, corrupted: str, third: str, unasked: str, replacement: str) -> Pair:
    columns = ["pet", clean, unasked]
    return make_pair("made", "db_synonyms", 2, columns, request, (corrupted, third, replacement))


WORDS = ("fee", "price", "cost", "charge", "city", "song")


@pytest.mark.parametrize(
    ("role", "word"),
    [*((role, "zebra") for role in range(6)), *((role, "spot team") for role in range(1, 6))],
)
def test_a_pair_is_not_usable_with_a_word_that_is_unknown_or_longer_than_the_others(
    tokenizer: PreTrainedTokenizerFast, role: int, word: str
) -> None:
    whole, spoilt = pair(*WORDS), pair(*WORDS[:role], word, *WORDS[role + 1 :])
    assert usable_pairs([spoilt, whole], tokenizer, 64) == [whole]
    assert usable_pairs([whole], tokenizer, 20) == []  # of more tokens than the model reads


def test_no_pair_is_usable_by_a_model_that_reads_every_space_as_a_token(tmp_path: Path) -> None:
    # All words begin with the same token, the space.
    assert usable_pairs(PAIRS, load_tokenizer(make_tiny_model("gpt2", tmp_path / "m")), 10**6) == []
