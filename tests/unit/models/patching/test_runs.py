"""The pairs of prompts that patching refuses, each for one reason, and a pair close to them that
can be patched.
"""

import re

import pytest
from transformers import PreTrainedModel

from mechaware.models.patching.kv_cut import cut_pairs
from mechaware.models.patching.residual import patch_pairs
from mechaware.models.patching.runs import TokenPair

# The word is the token 2 in the clean prompt, 4 in the corrupted one.
RIGHT = TokenPair(clean=[1, 2, 3], corrupted=[1, 4, 3], position=1, correct=5, incorrect=6)


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        pytest.param(
            RIGHT._replace(corrupted=[1, 3]),
            "3 clean tokens, of which 1 are the word's, and 2 corrupted ones: no word is left",
            id="no word in the corrupted prompt",
        ),
        # The corrupted word is 4 5, so that 7 is compared with the clean prompt's last token, 3.
        pytest.param(
            RIGHT._replace(corrupted=[1, 4, 5, 7]),
            "the prompts differ at [1, 2], expected at 1 tokens from 1 on",
            id="differ after a word of another length",
        ),
        pytest.param(
            RIGHT._replace(corrupted=[1, 2, 4], position=2),
            "a word of 1 tokens at position 2 of 3: expected one before the last token",
            id="the word is the last token",
        ),
        pytest.param(
            RIGHT._replace(corrupted=[1, 4, 7], n_tokens=2),
            "a word of 2 tokens at position 1 of 3: expected one before the last token",
            id="the word includes the last token",
        ),
        pytest.param(
            RIGHT._replace(position=-1),
            "a word of 1 tokens at position -1 of 3: expected one before the last token",
            id="negative position",
        ),
        pytest.param(
            RIGHT._replace(corrupted=[7, 4, 3]),
            "the prompts differ at [0, 1], expected at 1 tokens from 1 on",
            id="differ before the word",
        ),
        pytest.param(
            RIGHT._replace(corrupted=[1, 4, 7]),
            "the prompts differ at [1, 2], expected at 1 tokens from 1 on",
            id="differ after the word",
        ),
    ],
)
def test_a_pair_that_differs_in_more_than_its_word_or_ends_with_it_is_refused(
    gpt2: PreTrainedModel, pair: TokenPair, message: str
) -> None:
    pairs = [RIGHT, pair]  # the faulty pair has the index 1
    whole_message = f"^{re.escape(f'pair 1: {message}')}$"
    with pytest.raises(ValueError, match=whole_message):
        patch_pairs(gpt2, pairs, tokens_per_batch=100)
    block_1_of_each_pair = [[{1}], [{1}]]
    with pytest.raises(ValueError, match=whole_message):
        cut_pairs(gpt2, pairs, block_1_of_each_pair, tokens_per_batch=100)


def test_a_word_right_before_the_last_token_is_patched(gpt2: PreTrainedModel) -> None:
    """In layer 0 the patched state is the clean word's embedding, so that the corrupted prompt
    becomes the clean one.
    """
    patched = patch_pairs(gpt2, [RIGHT], tokens_per_batch=100)
    assert patched.patched_diff[0, 0].item() == pytest.approx(patched.clean_diff.item(), abs=1e-5)


def test_an_empty_list_of_pairs_is_refused(gpt2: PreTrainedModel) -> None:
    with pytest.raises(ValueError, match="no pairs to patch"):
        patch_pairs(gpt2, [], tokens_per_batch=100)
