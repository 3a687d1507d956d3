"""Pairs whose words differ in length, against runs of transformers: one prompt, one patch, one token at a time."""

import random
from collections.abc import Collection
from pathlib import Path

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

# Numbers of tokens: before the word, of the clean word, of the corrupted word, and after the word.
SHAPES = (
    (5, 2, 1, 6),  # a longer clean word
    (4, 1, 3, 3),  # a longer corrupted word
    (1, 4, 1, 2),  # a word that is longer than all before it
    (0, 3, 2, 4),  # a word at the start
    (6, 2, 5, 1),  # one token after the word
)
SETS: list[Collection[int]] = [{1}, {2}, {3}, {1, 3}, {1, 2, 3}, ()]


def unequal_pairs(vocabulary: int) -> list[TokenPair]:
    """Pairs of random tokens in the shapes above; the words have no token in common."""
    draw = random.Random(11)  # noqa: S311 - not a secret
    pairs = []
    for before, n_clean, n_corrupted, after in SHAPES:
        prefix = draw.choices(range(vocabulary), k=before)
        suffix = draw.choices(range(vocabulary), k=after)
        words = draw.sample(range(vocabulary), n_clean + n_corrupted)
        clean = [*prefix, *words[:n_clean], *suffix]
        corrupted = [*prefix, *words[n_clean:], *suffix]
        correct, incorrect = draw.sample(range(vocabulary), 2)
        pairs.append(TokenPair(clean, corrupted, before, correct, incorrect, n_clean))
    return pairs


@pytest.fixture(params=["gpt2", "gpt_neox", "llama"], scope="module")
def model(request: pytest.FixtureRequest, folders: dict[str, Path]) -> PreTrainedModel:
    """Learned positions, and rotary ones of some dimensions and of all."""
    return load(folders[request.param])


def test_the_lengths_of_both_words_follow_from_the_prompts() -> None:
    """The example of `TokenPair`: New York has two tokens, Rome one."""
    new_york = [0, 1, 2, 4, 5]  # In New York it rains
    rome = [0, 3, 4, 5]  # In Rome it rains
    pair = TokenPair(new_york, rome, position=1, correct=7, incorrect=8, n_tokens=2)
    assert (pair.n_corrupted, pair.equal_lengths) == (1, False)


def test_states_go_to_the_last_token_of_the_word_and_to_places_counted_from_the_end(
    model: PreTrainedModel,
) -> None:
    """A run of the clean prompt whose states are read, and one of the corrupted prompt into which a hook puts them."""
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
            there = pair._replace(position=len(pair.clean) - count, n_tokens=1)
            states = loop.states(pair.clean, there)
            here = pair._replace(position=len(pair.corrupted) - count, n_tokens=1)
            theirs.append(
                [loop.patched(pair.corrupted, here, layer, states[layer]) for layer in ALL_LAYERS]
            )
        torch.testing.assert_close(
            ours.patched_diff[number], torch.tensor(theirs), rtol=0, atol=2e-5, check_dtype=False
        )
        clean = float(loop.difference(pair.clean, pair))
        corrupted = float(loop.difference(pair.corrupted, pair))
        assert ours.clean_diff[number].item() == pytest.approx(clean, abs=2e-5)
        assert ours.corrupted_diff[number].item() == pytest.approx(corrupted, abs=2e-5)
    # Inner layers do something at every place, or the comparison would prove little.
    moved = ours.patched_diff[..., 1:-1] - ours.corrupted_diff[:, None, None]
    assert moved.abs().amax((0, 2)).min() > 0.01


def caches_of(
    model: PreTrainedModel, ids: list[int], shift: int
) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Keys and values by block of the model's own run, its positions moved by `shift`."""
    cache = DynamicCache()
    places = torch.arange(len(ids))[None] + shift
    model(torch.tensor([ids]), position_ids=places, past_key_values=cache, use_cache=True)
    return [(layer.keys, layer.values) for layer in cache.layers]


@torch.inference_mode()
def naive_cut(model: PreTrainedModel, pair: TokenPair, mode: str, blocks: Collection[int]) -> float:
    """The difference of logits when the tokens after the word are read one at a time, after a cache with either word.

    A rotary model attends by distances alone: in a run whose positions are all moved it computes the same, with keys
    that are rotated as if the word ended where the other one does. A model with learned positions has no such keys.
    """
    ends = {
        "clean": pair.position + pair.n_tokens,
        "corrupted": pair.position + pair.n_corrupted,
    }
    base, donor = BASE_AND_DONOR[mode]
    ids = getattr(pair, base)
    end = ends[base]
    shift = 0 if model.config.model_type == "gpt2" else ends[base] - ends[donor]
    own = caches_of(model, ids[:end], 0)
    other = caches_of(model, getattr(pair, donor)[: ends[donor]], shift)
    cache = DynamicCache()
    start = pair.position
    for block, (keys, values) in enumerate(own, start=1):
        if block in blocks:
            other_keys, other_values = other[block - 1]
            keys = torch.cat([keys[:, :, :start], other_keys[:, :, start:]], 2)
            values = torch.cat([values[:, :, :start], other_values[:, :, start:]], 2)
        cache.update(keys, values, block - 1)
    for place in range(end, len(ids)):
        logits = model(
            torch.tensor([ids[place : place + 1]]),
            position_ids=torch.tensor([[place]]),
            past_key_values=cache,
            use_cache=True,
        ).logits[0, -1]
    return float(logits[pair.correct] - logits[pair.incorrect])


def test_the_text_after_a_word_sees_the_other_word_as_far_away_as_it_is_in_its_own_prompt(
    model: PreTrainedModel,
) -> None:
    pairs = unequal_pairs(model.config.vocab_size)
    ours = cut_pairs(model, pairs, [SETS] * len(pairs), tokens_per_batch=LOOSE)
    # One query without padding has no mask, so that the blocks of a cache may hold words of different length.
    model.set_attn_implementation("sdpa")
    for mode, base in (("denoise", ours.corrupted_diff), ("noise", ours.clean_diff)):
        expected = []
        for pair in pairs:
            expected.append([naive_cut(model, pair, mode, blocks) for blocks in SETS])
        torch.testing.assert_close(
            ours.cut_diff[mode], torch.tensor(expected), rtol=0, atol=2e-5, check_dtype=False
        )
        torch.testing.assert_close(ours.cut_diff[mode][:, -1], base, rtol=0, atol=5e-6)
        moved = (ours.cut_diff[mode][:, :N_LAYERS] - base[:, None]).abs().mean(0)
        assert moved.min() > 0.01
    model.set_attn_implementation("eager")


def test_a_local_block_sees_as_many_tokens_of_the_other_word_as_are_near(
    folders: dict[str, Path],
) -> None:
    """GPT-Neo's second block sees four tokens: the first token after a word of four sees itself and the last three."""
    model = load(folders["gpt_neo"])
    base = TokenPair([1, 2, 3, 4, 5, 6, 7], [1, 2, 9, 7], 2, 20, 30, 4)
    changed_far = base._replace(clean=[1, 2, 8, 4, 5, 6, 7])
    changed_near = base._replace(clean=[1, 2, 3, 8, 5, 6, 7])
    model.transformer.h[0].attn.attention.out_proj.weight.data.zero_()
    model.transformer.h[0].attn.attention.out_proj.bias.data.zero_()
    cut = cut_pairs(
        model, [base, changed_far, changed_near], [[{2}]] * 3, tokens_per_batch=LOOSE
    ).cut_diff["denoise"][:, 0]
    assert cut[1].item() == pytest.approx(cut[0].item(), abs=1e-6)
    assert abs(cut[2].item() - cut[0].item()) > 1e-3


def test_batches_and_pairs_of_equal_length_beside_them_change_no_number(
    folders: dict[str, Path],
) -> None:
    model = load(folders["llama"])
    equal = random_pairs(model.config.vocab_size)[:3]
    unequal = unequal_pairs(model.config.vocab_size)[:3]
    mixed = [unequal[0], *equal[:2], *unequal[1:], equal[2]]
    together = cut_pairs(model, mixed, [SETS] * len(mixed), tokens_per_batch=40)
    patched = patch_pairs(model, mixed, tokens_per_batch=40)
    for number, pair in enumerate(mixed):
        alone = cut_pairs(model, [pair], [SETS], tokens_per_batch=LOOSE)
        for mode in BASE_AND_DONOR:
            torch.testing.assert_close(
                together.cut_diff[mode][number], alone.cut_diff[mode][0], rtol=0, atol=1e-5
            )
        states = patch_pairs(model, [pair], tokens_per_batch=LOOSE)
        torch.testing.assert_close(
            patched.patched_diff[number], states.patched_diff[0], rtol=0, atol=1e-5
        )


def test_a_model_whose_blocks_are_not_known_in_parts_is_refused(
    folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = load(folders["llama"])
    pairs = unequal_pairs(model.config.vocab_size)
    monkeypatch.setattr("mechaware.models.patching.kv_cut.cuts_unequal", lambda _model: False)
    with pytest.raises(UserError, match="model type 'llama': words of different length cannot be"):
        cut_pairs(model, pairs, [SETS] * len(pairs), tokens_per_batch=LOOSE)
