"""The map of residual denoising against a naive loop over transformers' hooks, for every family."""

import random
from typing import Any

import pytest
import torch
from transformers import PreTrainedModel

from mechaware.errors import UserError
from mechaware.models.interventions.patch import TokenPair, patch_pairs
from mechaware.models.interventions.residual_map import map_pairs
from mechaware.models.interventions.runs import Prefix, prefill
from mechaware.models.interventions.sweep import sweep
from tests.tiny_models import CONTEXT_LENGTH
from tests.unit.models.interventions.naive_patching import ALL_LAYERS, LOOSE, N_LAYERS, NaiveLoop, random_pairs


def some_positions(pairs: list[TokenPair]) -> list[list[int]]:
    """The differing word, the last token, and two in between or equal to one of these."""
    draw = random.Random(9)  # noqa: S311 - not a secret
    return [
        [pair.position, *draw.choices(range(pair.position, len(pair.clean)), k=2), len(pair.clean) - 1]
        for pair in pairs
    ]


def test_the_map_equals_a_loop_of_hooks_over_transformers(tiny: PreTrainedModel) -> None:
    peer, pairs = NaiveLoop(tiny), random_pairs(tiny.config.vocab_size)
    positions = some_positions(pairs)
    ours = map_pairs(tiny, pairs, positions, tokens_per_batch=LOOSE)
    for index, (pair, own) in enumerate(zip(pairs, positions, strict=True)):
        theirs = []
        for position in own:
            at_word = position == pair.position  # there the naive loop patches the whole word
            there = pair if at_word else pair._replace(position=position, n_tokens=1)
            states = peer.states(pair.clean, there)
            theirs.append([peer.patched(pair.corrupted, there, layer, states[layer]) for layer in ALL_LAYERS])
        torch.testing.assert_close(ours.patched_diff[index], torch.tensor(theirs), rtol=0, atol=2e-5, check_dtype=False)
    # Inner layers of later positions do something, or the comparison would prove little.
    assert (ours.patched_diff[:, 3, 1:] - ours.corrupted_diff[:, None]).abs().mean(0).min() > 0.01


def test_the_column_of_the_differing_word_is_that_of_residual_patching(tiny: PreTrainedModel) -> None:
    pairs = random_pairs(tiny.config.vocab_size)
    ours = map_pairs(tiny, pairs, some_positions(pairs), tokens_per_batch=LOOSE)
    swept = patch_pairs(tiny, pairs, modes=("denoise",), tokens_per_batch=LOOSE)
    torch.testing.assert_close(ours.patched_diff[:, 0], swept.patched_diff["denoise"], rtol=0, atol=5e-6)
    torch.testing.assert_close(ours.clean_diff, swept.clean_diff, rtol=0, atol=5e-6)
    torch.testing.assert_close(ours.corrupted_diff, swept.corrupted_diff, rtol=0, atol=5e-6)


def test_the_last_layer_is_the_clean_run_at_the_end_and_the_corrupted_one_elsewhere(tiny: PreTrainedModel) -> None:
    pairs = random_pairs(tiny.config.vocab_size)
    ours = map_pairs(tiny, pairs, some_positions(pairs), tokens_per_batch=LOOSE)
    assert torch.equal(ours.patched_diff[:, 3, N_LAYERS], ours.clean_diff)
    assert torch.equal(ours.patched_diff[:, 0, N_LAYERS], ours.corrupted_diff)
    assert (ours.clean_diff - ours.corrupted_diff).abs().min() > 1e-4


def test_equal_embeddings_have_no_effect(tiny: PreTrainedModel) -> None:
    pairs = random_pairs(tiny.config.vocab_size)
    ours = map_pairs(tiny, pairs, some_positions(pairs), layers=[0], tokens_per_batch=LOOSE)
    torch.testing.assert_close(ours.patched_diff[:, 3, 0], ours.corrupted_diff, rtol=0, atol=5e-6)


@pytest.mark.parametrize("tokens_per_batch", [1, 300, 3000])
def test_batches_and_their_order_change_no_number(tokens_per_batch: int, tiny: PreTrainedModel) -> None:
    pairs = random_pairs(tiny.config.vocab_size)
    positions = some_positions(pairs)
    together = map_pairs(tiny, pairs, positions, tokens_per_batch=LOOSE)
    order = random.Random(tokens_per_batch).sample(range(len(pairs)), len(pairs))  # noqa: S311
    shuffled = map_pairs(
        tiny, [pairs[i] for i in order], [positions[i] for i in order], tokens_per_batch=tokens_per_batch
    )
    for mine, others in zip(shuffled, together, strict=True):
        torch.testing.assert_close(mine, others[order], rtol=0, atol=1e-5)


def test_layers_can_be_chosen_in_any_order(gpt2: PreTrainedModel) -> None:
    pairs = random_pairs(gpt2.config.vocab_size)
    positions = some_positions(pairs)
    everything = map_pairs(gpt2, pairs, positions, tokens_per_batch=LOOSE).patched_diff
    for layers in ([3, 1, 0, 1], [3], [2]):
        some = map_pairs(gpt2, pairs, positions, layers=layers, tokens_per_batch=LOOSE).patched_diff
        torch.testing.assert_close(some, everything[:, :, layers], rtol=0, atol=1e-5)


@pytest.mark.parametrize(("tokens_per_batch", "positions_at_once"), [(1500, 4), (200, 2)])
def test_a_batch_keeps_to_its_tokens(
    tokens_per_batch: int, positions_at_once: int, gpt2: PreTrainedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The longest pair has 20 tokens before p and 20 from p on: all its runs are 20 + (1 + 4 * 3) * 20 = 280 tokens."""
    sizes, taken = [], []

    def watched(prefix: Prefix, suffixes: list[list[int]], *arguments: Any, **options: Any) -> Any:
        n_positions = len(options["replacements"]) if "replacements" in options else 0
        n_runs = 1 + n_positions * N_LAYERS
        sizes.append(len(suffixes) * (prefix.width + n_runs * max(map(len, suffixes))))
        taken.append(n_positions)
        return sweep(prefix, suffixes, *arguments, **options)

    monkeypatch.setattr("mechaware.models.interventions.residual_map.sweep", watched)
    pairs = random_pairs(gpt2.config.vocab_size, shapes=tuple((length, length // 2) for length in range(4, 41)))
    map_pairs(gpt2, pairs, some_positions(pairs), tokens_per_batch=tokens_per_batch)
    assert max(taken) == positions_at_once
    assert 0.6 * tokens_per_batch < max(sizes) <= tokens_per_batch


A_PAIR = TokenPair([1, 2, 3, 4], [1, 9, 3, 4], 1, 5, 6)


@pytest.mark.parametrize(
    ("positions", "message"),
    [
        ([[1, 2]], "positions of 1 pairs, and 2 pairs"),
        ([[1, 2], [1]], "pair 1: 1 positions: expected at least one, and as many for every pair"),
        ([[], []], "pair 0: 0 positions"),
        ([[1, 2], [1, 0]], r"pair 1: positions \[0\]: expected 1, where it differs, to 3"),
        ([[1, 4], [1, 2]], r"pair 0: positions \[4\]: expected 1, where it differs, to 3"),
    ],
)
def test_positions_that_cannot_be_patched_are_errors(
    positions: list[list[int]], message: str, gpt2: PreTrainedModel
) -> None:
    with pytest.raises(ValueError, match=message):
        map_pairs(gpt2, [A_PAIR, A_PAIR], positions, tokens_per_batch=LOOSE)


def test_layers_pairs_and_models_that_cannot_be_patched_are_errors(gpt2: PreTrainedModel) -> None:
    for layer in (-1, 4):
        with pytest.raises(ValueError, match=rf"layers \[{layer}\]: the model has 0 \(the embedding\) to 3"):
            map_pairs(gpt2, [A_PAIR], [[2]], layers=[1, layer], tokens_per_batch=LOOSE)
    with pytest.raises(ValueError, match="no pairs to patch"):
        map_pairs(gpt2, [], [], tokens_per_batch=LOOSE)
    prompt = [7] * (CONTEXT_LENGTH + 1)
    with pytest.raises(UserError, match=f"a prompt has {CONTEXT_LENGTH + 1} tokens"):
        map_pairs(gpt2, [TokenPair(prompt, prompt, 3, 1, 2)], [[3]], tokens_per_batch=LOOSE)
    gpt2.config.model_type = "mamba"
    with pytest.raises(UserError, match="model type 'mamba': supported are gpt2, gpt_neo"):
        map_pairs(gpt2, [A_PAIR], [[2]], tokens_per_batch=LOOSE)


def test_a_sweep_refuses_the_last_layer_of_the_last_token(gpt2: PreTrainedModel) -> None:
    message = "layer 3 of the last token: the answer would be read from the patched state itself"
    with pytest.raises(ValueError, match=message):
        sweep(prefill(gpt2, [[1]]), [[3, 4]], torch.tensor([[1, 2]]), layers=[3], offsets=torch.tensor([[[1]]]))
