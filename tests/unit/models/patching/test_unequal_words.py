"""Pairs whose words differ in length are patched and cut as in naive runs of transformers.

A naive run has one prompt and one patch, or reads one token at a time.
"""

import random
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

import pytest
import torch
from transformers import DynamicCache, PreTrainedModel

from mechaware.core.errors import UserError
from mechaware.models.patching.kv_cut import cut_pairs
from mechaware.models.patching.residual import map_pairs, patch_pairs
from mechaware.models.patching.runs import TokenPair
from tests.unit.models.conftest import load
from tests.unit.models.patching.naive_patching import (
    ALL_LAYERS,
    BASE_AND_DONOR,
    LOOSE,
    N_LAYERS,
    NaiveLoop,
    random_pairs,
)


class Shape(NamedTuple):
    """Numbers of tokens in a pair."""

    before: int  # before the word
    clean: int  # of the clean word
    corrupted: int  # of the corrupted word
    after: int  # after the word


SHAPES = (
    Shape(before=5, clean=2, corrupted=1, after=6),  # a longer clean word
    Shape(before=4, clean=1, corrupted=3, after=3),  # a longer corrupted word
    Shape(before=1, clean=4, corrupted=1, after=2),  # a word longer than the text before it
    Shape(before=0, clean=3, corrupted=2, after=4),  # a word at the start
    Shape(before=6, clean=2, corrupted=5, after=1),  # one token after the word
)
# The sets of blocks that are cut: each block alone, two, all, and none.
SETS: list[Collection[int]] = [{1}, {2}, {3}, {1, 3}, {1, 2, 3}, ()]


def unequal_pairs(vocabulary: int) -> list[TokenPair]:
    """Pairs of random tokens in the shapes above; the words have no token in common."""
    generator = random.Random(11)  # noqa: S311 - not a secret
    pairs = []
    for shape in SHAPES:
        prefix = generator.choices(range(vocabulary), k=shape.before)
        suffix = generator.choices(range(vocabulary), k=shape.after)
        words = generator.sample(range(vocabulary), shape.clean + shape.corrupted)
        clean = [*prefix, *words[: shape.clean], *suffix]
        corrupted = [*prefix, *words[shape.clean :], *suffix]
        correct, incorrect = generator.sample(range(vocabulary), 2)
        pair = TokenPair(
            clean,
            corrupted,
            position=shape.before,
            correct=correct,
            incorrect=incorrect,
            n_tokens=shape.clean,
        )
        pairs.append(pair)
    return pairs


@pytest.fixture(params=["gpt2", "gpt_neox", "llama"], scope="module")
def model(request: pytest.FixtureRequest, folders: dict[str, Path]) -> PreTrainedModel:
    """Learned positions in GPT-2; rope in GPT-NeoX, for a part of each head, and in Llama."""
    return load(folders[request.param])


def test_the_lengths_of_both_words_follow_from_the_prompts() -> None:
    """The example of `TokenPair`: New York has two tokens, Rome one."""
    new_york = [0, 1, 2, 4, 5]  # In New York it rains
    rome = [0, 3, 4, 5]  # In Rome it rains
    pair = TokenPair(new_york, rome, position=1, correct=7, incorrect=8, n_tokens=2)
    assert (pair.n_corrupted, pair.equal_lengths) == (1, False)


def test_states_go_to_the_last_token_of_the_word_and_to_positions_counted_from_the_end(
    model: PreTrainedModel,
) -> None:
    """In the naive loop a clean run gives the states, and each corrupted run gets one of them."""
    loop = NaiveLoop(model)
    pairs = unequal_pairs(model.config.vocab_size)
    positions = []
    for pair in pairs:
        positions.append([pair.position, pair.position + pair.n_tokens, len(pair.clean) - 1])
    ours = map_pairs(model, pairs, positions, tokens_per_batch=LOOSE)

    for number, pair in enumerate(pairs):
        n_after = len(pair.clean) - pair.position - pair.n_tokens
        # The word's last token, the first token after the word, and the last token of the prompt.
        from_end = (n_after + 1, n_after, 1)
        theirs = []
        for count in from_end:
            clean_token = pair._replace(position=len(pair.clean) - count, n_tokens=1)
            states = loop.states(pair.clean, clean_token)
            corrupted_token = pair._replace(position=len(pair.corrupted) - count, n_tokens=1)
            by_layer = []
            for layer in ALL_LAYERS:
                patched = loop.patched(pair.corrupted, corrupted_token, layer, states[layer])
                by_layer.append(patched)
            theirs.append(by_layer)
        torch.testing.assert_close(
            ours.patched_diff[number], torch.tensor(theirs), rtol=0, atol=2e-5, check_dtype=False
        )
        clean = float(loop.difference(pair.clean, pair))
        corrupted = float(loop.difference(pair.corrupted, pair))
        assert ours.clean_diff[number].item() == pytest.approx(clean, abs=2e-5)
        assert ours.corrupted_diff[number].item() == pytest.approx(corrupted, abs=2e-5)

    # At each of the three positions a patch of an inner layer changes the difference in some pair.
    change = ours.patched_diff[..., 1:-1] - ours.corrupted_diff[:, None, None]  # (pair, pos, layer)
    assert change.abs().amax((0, 2)).min() > 0.01


class KeysAndValues(NamedTuple):
    """The keys and values (1, head, pos, d_head) of one block."""

    keys: torch.Tensor
    values: torch.Tensor


def keys_and_values(model: PreTrainedModel, ids: list[int], shift: int) -> list[KeysAndValues]:
    """The keys and values of the model's own run by block, with `shift` added to all positions."""
    cache = DynamicCache()
    positions = torch.arange(len(ids))[None] + shift
    model(torch.tensor([ids]), position_ids=positions, past_key_values=cache, use_cache=True)
    return [KeysAndValues(layer.keys, layer.values) for layer in cache.layers]


@torch.inference_mode()
def naive_cut(
    model: PreTrainedModel, pair: TokenPair, direction: str, blocks: Collection[int]
) -> float:
    """The difference in the base run with the donor's keys and values of the word in `blocks`.

    Blocks are counted from 1. A cache gets the text up to the end of the word, and the model then
    reads the tokens after the word one at a time. In `blocks` the cache holds the donor's word, in
    other blocks the base's.

    The donor's keys must have the distance from the text after the word that they have in their own
    prompt: both words must end at the same position. Rotary attention depends only on distances, so
    shifting all positions of the donor's run changes nothing but the rotation of its keys. With
    learned positions a key does not depend on the distance, and the run is not shifted.
    """
    prompts = {"clean": pair.clean, "corrupted": pair.corrupted}
    ends = {
        "clean": pair.position + pair.n_tokens,
        "corrupted": pair.position + pair.n_corrupted,
    }
    base, donor = BASE_AND_DONOR[direction]
    has_learned_positions = model.config.model_type == "gpt2"
    shift = 0 if has_learned_positions else ends[base] - ends[donor]
    of_base = keys_and_values(model, prompts[base][: ends[base]], 0)
    of_donor = keys_and_values(model, prompts[donor][: ends[donor]], shift)

    cache = DynamicCache()
    for index, (base_block, donor_block) in enumerate(zip(of_base, of_donor, strict=True)):
        word_from = donor_block if index + 1 in blocks else base_block
        before = slice(None, pair.position)
        word = slice(pair.position, None)
        keys = torch.cat([base_block.keys[:, :, before], word_from.keys[:, :, word]], 2)
        values = torch.cat([base_block.values[:, :, before], word_from.values[:, :, word]], 2)
        cache.update(keys, values, index)

    ids = prompts[base]
    for position in range(ends[base], len(ids)):
        logits = model(
            torch.tensor([[ids[position]]]),
            position_ids=torch.tensor([[position]]),
            past_key_values=cache,
            use_cache=True,
        ).logits[0, -1]
    return float(logits[pair.correct] - logits[pair.incorrect])


def test_the_text_after_a_word_sees_the_other_word_at_the_distance_in_its_own_prompt(
    model: PreTrainedModel,
) -> None:
    pairs = unequal_pairs(model.config.vocab_size)
    ours = cut_pairs(model, pairs, [SETS] * len(pairs), tokens_per_batch=LOOSE)
    base_diff = {"denoise": ours.corrupted_diff, "noise": ours.clean_diff}
    assert set(ours.cut_diff) == set(base_diff)
    # sdpa makes no mask for one query without padding, so that the words in the blocks of a cache
    # may differ in length.
    model.set_attn_implementation("sdpa")
    for direction, cut_diff in ours.cut_diff.items():
        expected = []
        for pair in pairs:
            expected.append([naive_cut(model, pair, direction, blocks) for blocks in SETS])
        torch.testing.assert_close(
            cut_diff, torch.tensor(expected), rtol=0, atol=2e-5, check_dtype=False
        )
        # The last set is empty.
        torch.testing.assert_close(cut_diff[:, -1], base_diff[direction], rtol=0, atol=5e-6)
        # Each block cut alone changes the difference.
        change = cut_diff[:, :N_LAYERS] - base_diff[direction][:, None]
        assert change.abs().mean(0).min() > 0.01
    model.set_attn_implementation("eager")


def test_a_local_block_sees_only_the_tokens_of_the_other_word_inside_its_window(
    folders: dict[str, Path],
) -> None:
    """The second block of this GPT-Neo sees four tokens.

    The clean word is 3 4 5 6. The token after it, 7, sees itself and 4 5 6: changing 4 changes the
    difference, changing 3 does not.
    """
    model = load(folders["gpt_neo"])
    pair = TokenPair(
        clean=[1, 2, 3, 4, 5, 6, 7],
        corrupted=[1, 2, 9, 7],
        position=2,
        correct=20,
        incorrect=30,
        n_tokens=4,
    )
    changed_outside = pair._replace(clean=[1, 2, 8, 4, 5, 6, 7])
    changed_inside = pair._replace(clean=[1, 2, 3, 8, 5, 6, 7])
    # Without attention in the first block, the keys and values of a token in the second block
    # depend on that token alone.
    first_attention = model.transformer.h[0].attn.attention
    first_attention.out_proj.weight.data.zero_()
    first_attention.out_proj.bias.data.zero_()

    pairs = [pair, changed_outside, changed_inside]
    ours = cut_pairs(model, pairs, [[{2}]] * len(pairs), tokens_per_batch=LOOSE)
    original, outside, inside = ours.cut_diff["denoise"][:, 0].tolist()
    assert outside == pytest.approx(original, abs=1e-6)
    assert abs(inside - original) > 1e-3


def test_neither_batches_nor_pairs_of_equal_length_change_a_pairs_numbers(
    folders: dict[str, Path],
) -> None:
    model = load(folders["llama"])
    equal = random_pairs(model.config.vocab_size)[:3]
    unequal = unequal_pairs(model.config.vocab_size)[:3]
    mixed = [unequal[0], *equal[:2], *unequal[1:], equal[2]]
    cut = cut_pairs(model, mixed, [SETS] * len(mixed), tokens_per_batch=40)
    patched = patch_pairs(model, mixed, tokens_per_batch=40)
    for number, pair in enumerate(mixed):
        cut_alone = cut_pairs(model, [pair], [SETS], tokens_per_batch=LOOSE)
        for direction in BASE_AND_DONOR:
            torch.testing.assert_close(
                cut.cut_diff[direction][number],
                cut_alone.cut_diff[direction][0],
                rtol=0,
                atol=1e-5,
            )
        patched_alone = patch_pairs(model, [pair], tokens_per_batch=LOOSE)
        torch.testing.assert_close(
            patched.patched_diff[number], patched_alone.patched_diff[0], rtol=0, atol=1e-5
        )


def test_a_model_in_which_words_of_different_length_cannot_be_cut_is_refused(
    folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = load(folders["llama"])
    pairs = unequal_pairs(model.config.vocab_size)
    monkeypatch.setattr("mechaware.models.patching.kv_cut.cuts_unequal", lambda _model: False)
    with pytest.raises(UserError, match="model type 'llama': words of different length cannot be"):
        cut_pairs(model, pairs, [SETS] * len(pairs), tokens_per_batch=LOOSE)
