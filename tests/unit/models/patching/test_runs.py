"""Pairs that patching refuses, each for one reason."""

import re

import pytest
from transformers import PreTrainedModel

from mechaware.models.patching.kv_cut import cut_pairs
from mechaware.models.patching.residual import patch_pairs
from mechaware.models.patching.runs import TokenPair

RIGHT = TokenPair(clean=[1, 2, 3], corrupted=[1, 4, 3], position=1, correct=5, incorrect=6)


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        (
            RIGHT._replace(corrupted=[1, 3]),
            "3 clean tokens, of which 1 are the word's, and 2 corrupted ones: no word is left",
        ),
        (
            RIGHT._replace(corrupted=[1, 4, 5, 7]),
            "the prompts differ at [1, 2], expected at 1 tokens from 1 on",
        ),
        (
            RIGHT._replace(corrupted=[1, 2, 4], position=2),
            "a word of 1 tokens at position 2 of 3: expected one before the last token",
        ),
        (
            RIGHT._replace(corrupted=[1, 4, 7], n_tokens=2),
            "a word of 2 tokens at position 1 of 3: expected one before the last token",
        ),
        (
            RIGHT._replace(position=-1),
            "a word of 1 tokens at position -1 of 3: expected one before the last token",
        ),
        (
            RIGHT._replace(corrupted=[7, 4, 3]),
            "the prompts differ at [0, 1], expected at 1 tokens from 1 on",
        ),
        (
            RIGHT._replace(corrupted=[1, 4, 7]),
            "the prompts differ at [1, 2], expected at 1 tokens from 1 on",
        ),
    ],
)
def test_a_pair_that_differs_in_more_than_its_word_or_ends_with_it_is_refused(
    gpt2: PreTrainedModel, pair: TokenPair, message: str
) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(f'pair 1: {message}')}$"):
        patch_pairs(gpt2, [RIGHT, pair], tokens_per_batch=100)
    with pytest.raises(ValueError, match=f"^{re.escape(f'pair 1: {message}')}$"):
        cut_pairs(gpt2, [RIGHT, pair], [[{1}], [{1}]], tokens_per_batch=100)


def test_a_word_right_before_the_last_token_is_patched(gpt2: PreTrainedModel) -> None:
    patched = patch_pairs(gpt2, [RIGHT], tokens_per_batch=100)
    assert patched.patched_diff[0, 0].item() == pytest.approx(patched.clean_diff.item(), abs=1e-5)


def test_an_empty_list_of_pairs_is_refused(gpt2: PreTrainedModel) -> None:
    with pytest.raises(ValueError, match="no pairs to patch"):
        patch_pairs(gpt2, [], tokens_per_batch=100)
