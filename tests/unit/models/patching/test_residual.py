"""Residual patching against a naive loop over transformers' hooks, for every family."""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedModel

from mechaware.core.errors import UserError
from mechaware.models.patching.residual import PairPatch, _sweep, map_pairs, patch_pairs
from mechaware.models.patching.runs import Prefix, TokenPair
from mechaware.models.registry import load_tokenizer
from tests.tiny_models import CONTEXT_LENGTH
from tests.unit.models.conftest import load
from tests.unit.models.patching.naive_patching import (
    ALL_LAYERS,
    LOOSE,
    N_LAYERS,
    NaiveLoop,
    random_pairs,
)


def pair_by_pair(peer: NaiveLoop, pairs: list[TokenPair]) -> PairPatch:
    """Every pair's two base runs, and its corrupted run with the word's clean states at each layer."""
    patched = []
    for pair in pairs:
        states = peer.states(pair.clean, pair)
        patched.append(
            [peer.patched(pair.corrupted, pair, layer, states[layer]) for layer in ALL_LAYERS]
        )
    return PairPatch(
        torch.tensor([peer.difference(pair.clean, pair) for pair in pairs]),
        torch.tensor([peer.difference(pair.corrupted, pair) for pair in pairs]),
        torch.tensor(patched),
    )


def assert_close(ours: PairPatch, theirs: PairPatch, atol: float) -> None:
    """Every number of both; the logits of the tiny models are of the order of 1 to 10."""
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=atol, check_dtype=False)


def some_positions(pairs: list[TokenPair]) -> list[list[int]]:
    """Four positions of each pair: its word, two random ones from there on (which may repeat), and its last token."""
    draw = random.Random(9)  # noqa: S311 - not a secret
    positions = []
    for pair in pairs:
        end = len(pair.clean)
        drawn = draw.choices(range(pair.position, end), k=2)
        positions.append([pair.position, *drawn, end - 1])
    return positions


def test_patching_equals_a_loop_of_hooks_over_transformers(tiny: PreTrainedModel) -> None:
    pairs = random_pairs(tiny.config.vocab_size)
    ours = patch_pairs(tiny, pairs, tokens_per_batch=LOOSE)
    assert_close(ours, pair_by_pair(NaiveLoop(tiny), pairs), atol=2e-5)
    # Every layer but the last does something, or the comparison would prove little.
    assert (ours.patched_diff[:, :-1] - ours.corrupted_diff[:, None]).abs().mean(0).min() > 0.01
    # Layer 0 restores the clean run, and the last, which no query reads any more, has no effect at all.
    torch.testing.assert_close(ours.patched_diff[:, 0], ours.clean_diff, rtol=0, atol=5e-6)
    assert torch.equal(ours.patched_diff[:, -1], ours.corrupted_diff)
    assert (ours.clean_diff - ours.corrupted_diff).abs().min() > 1e-4


def test_the_map_equals_a_loop_of_hooks_over_transformers(tiny: PreTrainedModel) -> None:
    peer = NaiveLoop(tiny)
    pairs = random_pairs(tiny.config.vocab_size)
    positions = some_positions(pairs)
    ours = map_pairs(tiny, pairs, positions, tokens_per_batch=LOOSE)
    for index, (pair, own) in enumerate(zip(pairs, positions, strict=True)):
        theirs = []
        for position in own:
            at_word = position == pair.position  # there the naive loop patches the whole word
            there = pair if at_word else pair._replace(position=position, n_tokens=1)
            states = peer.states(pair.clean, there)
            theirs.append(
                [peer.patched(pair.corrupted, there, layer, states[layer]) for layer in ALL_LAYERS]
            )
        torch.testing.assert_close(
            ours.patched_diff[index], torch.tensor(theirs), rtol=0, atol=2e-5, check_dtype=False
        )
    # Layers 1..L at the last token do something, or the comparison would prove little.
    assert (ours.patched_diff[:, 3, 1:] - ours.corrupted_diff[:, None]).abs().mean(0).min() > 0.01
    # The last layer is the clean run at the end, and the corrupted one elsewhere.
    assert torch.equal(ours.patched_diff[:, 3, N_LAYERS], ours.clean_diff)
    assert torch.equal(ours.patched_diff[:, 0, N_LAYERS], ours.corrupted_diff)


@pytest.mark.parametrize(
    ("family", "setting"),
    [
        ("gpt2", {"scale_attn_by_inverse_layer_idx": True}),
        ("gpt2", {"scale_attn_weights": False}),
        ("gpt2", {"activation_function": "relu"}),
        ("gpt_neox", {"use_parallel_residual": False}),
        ("gpt_neox", {"attention_bias": False}),
        ("llama", {"attention_bias": True, "num_key_value_heads": 4}),
        ("qwen3", {"head_dim": 16, "num_key_value_heads": 1}),
    ],
)
def test_settings_of_a_family_and_a_bias_of_the_unembedding_are_followed(
    family: str, setting: dict[str, Any], folders: dict[str, Path]
) -> None:
    config = AutoConfig.from_pretrained(folders[family], attn_implementation="eager", **setting)
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(1)
        model = AutoModelForCausalLM.from_config(config, dtype=torch.float32).eval()
        for parameter in model.parameters():  # biases too, which are drawn as zeros
            parameter.add_(0.3 * torch.randn_like(parameter))
        model.get_output_embeddings().bias = nn.Parameter(
            torch.arange(model.config.vocab_size) / 10.0
        )
    pairs = random_pairs(model.config.vocab_size)
    ours = patch_pairs(model, pairs, tokens_per_batch=LOOSE)
    scale = float(ours.clean_diff.abs().max())
    assert_close(ours, pair_by_pair(NaiveLoop(model), pairs), atol=1e-5 * max(1.0, scale))


def test_patching_the_real_model_equals_a_loop_of_hooks_over_transformers(smollm2: Path) -> None:
    model = load(smollm2)
    tokenizer = load_tokenizer(smollm2)
    texts = [
        ("The capital of France is", " France", " Italy"),
        ("Two cats and three dogs sat on", " three", " nine"),
    ]
    pairs = []
    for text, word, other in texts:
        clean = tokenizer(text).input_ids
        (token,) = tokenizer(word).input_ids
        (another,) = tokenizer(other).input_ids
        position = clean.index(token)
        corrupted = [*clean[:position], another, *clean[position + 1 :]]
        pairs.append(TokenPair(clean, corrupted, position, tokenizer(" Paris").input_ids[0], token))
    layers = (0, 7, 15, 29, 30)
    ours = patch_pairs(model, pairs, layers=layers, tokens_per_batch=LOOSE).patched_diff
    peer = NaiveLoop(model)
    for pair, mine in zip(pairs, ours, strict=True):
        states = peer.states(pair.clean, pair)
        theirs = torch.stack(
            [peer.patched(pair.corrupted, pair, layer, states[layer]) for layer in layers]
        )
        torch.testing.assert_close(mine, theirs, rtol=0, atol=1e-4, check_dtype=False)


@pytest.mark.parametrize("tokens_per_batch", [1, 3000])
def test_batches_and_their_order_change_no_number(
    tokens_per_batch: int, tiny: PreTrainedModel
) -> None:
    pairs = random_pairs(tiny.config.vocab_size)
    positions = some_positions(pairs)
    together = map_pairs(tiny, pairs, positions, tokens_per_batch=LOOSE)
    order = random.Random(tokens_per_batch).sample(range(len(pairs)), len(pairs))  # noqa: S311
    shuffled = map_pairs(
        tiny,
        [pairs[i] for i in order],
        [positions[i] for i in order],
        tokens_per_batch=tokens_per_batch,
    )
    for mine, others in zip(shuffled, together, strict=True):
        torch.testing.assert_close(mine, others[order], rtol=0, atol=1e-5)


@pytest.mark.parametrize(("tokens_per_batch", "positions_at_once"), [(1500, 4), (200, 2)])
def test_a_batch_keeps_to_its_tokens(
    tokens_per_batch: int,
    positions_at_once: int,
    gpt2: PreTrainedModel,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The longest pair has 20 tokens before its word and 20 from there on.

    All four positions in 3 layers take 20 + (1 + 4 * 3) * 20 = 280 tokens, and two positions 20 + (1 + 2 * 3) * 20 =
    160.
    """
    sizes = []
    taken = []

    def watched(
        prefix: Prefix,
        suffixes: list[list[int]],
        answers: torch.Tensor,
        offsets: torch.Tensor,
        replacements: torch.Tensor | None = None,
        layers: Sequence[int] = (),
    ) -> Any:
        n_positions = 0 if replacements is None else len(replacements)
        n_runs = 1 + n_positions * N_LAYERS
        sizes.append(len(suffixes) * (prefix.width + n_runs * max(map(len, suffixes))))
        taken.append(n_positions)
        return _sweep(prefix, suffixes, answers, offsets, replacements, layers)

    monkeypatch.setattr("mechaware.models.patching.residual._sweep", watched)
    shapes = [(length, length // 2, 1) for length in range(4, 41)]
    pairs = random_pairs(gpt2.config.vocab_size, shapes)
    map_pairs(gpt2, pairs, some_positions(pairs), tokens_per_batch=tokens_per_batch)
    assert max(taken) == positions_at_once
    assert 0.6 * tokens_per_batch < max(sizes) <= tokens_per_batch


A_PAIR = TokenPair([1, 2, 3, 4], [1, 9, 3, 4], 1, 5, 6)


def test_a_prompt_that_is_longer_than_the_context_is_refused(gpt2: PreTrainedModel) -> None:
    prompt = [7] * (CONTEXT_LENGTH + 1)
    message = (
        f"a prompt has {CONTEXT_LENGTH + 1} tokens, and the model's context holds {CONTEXT_LENGTH}"
    )
    with pytest.raises(UserError, match=message):
        patch_pairs(gpt2, [A_PAIR, TokenPair(prompt, prompt, 3, 1, 2)], tokens_per_batch=LOOSE)


def test_a_sliding_window_is_refused(folders: dict[str, Path]) -> None:
    model = load(folders["qwen2"])
    model.config.layer_types = ["full_attention", "full_attention", "sliding_attention"]
    with pytest.raises(
        UserError, match="model type 'qwen2' with a sliding window cannot be patched"
    ):
        patch_pairs(model, [A_PAIR], tokens_per_batch=LOOSE)
