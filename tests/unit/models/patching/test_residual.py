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

# Indices in the four positions of `draw_positions`.
AT_WORD = 0
AT_LAST_TOKEN = 3


def patched_by_layer(
    naive: NaiveLoop, pair: TokenPair, layers: Sequence[int] = ALL_LAYERS
) -> list[torch.Tensor]:
    """The difference in the corrupted run with the word's clean states at each of the layers."""
    states = naive.states(pair.clean, pair)
    return [naive.patched(pair.corrupted, pair, layer, states[layer]) for layer in layers]


def patch_by_naive_loop(naive: NaiveLoop, pairs: list[TokenPair]) -> PairPatch:
    """What `patch_pairs` gives, from one run of transformers for each number."""
    return PairPatch(
        clean_diff=torch.tensor([naive.difference(pair.clean, pair) for pair in pairs]),
        corrupted_diff=torch.tensor([naive.difference(pair.corrupted, pair) for pair in pairs]),
        patched_diff=torch.tensor([patched_by_layer(naive, pair) for pair in pairs]),
    )


def assert_close(ours: PairPatch, expected: PairPatch, atol: float) -> None:
    """Compare every number; the logits of the tiny models are of the order of 1 to 10."""
    for our_diff, expected_diff in zip(ours, expected, strict=True):
        torch.testing.assert_close(our_diff, expected_diff, rtol=0, atol=atol, check_dtype=False)


def draw_positions(pairs: list[TokenPair]) -> list[list[int]]:
    """Four positions of each pair: its word, two at random from its word on, and its last token.

    The two random positions may be equal to each other or to the others.
    """
    generator = random.Random(9)  # noqa: S311 - not a secret
    positions = []
    for pair in pairs:
        end = len(pair.clean)
        drawn = generator.choices(range(pair.position, end), k=2)
        positions.append([pair.position, *drawn, end - 1])
    return positions


def test_patching_equals_a_loop_of_hooks_over_transformers(tiny: PreTrainedModel) -> None:
    pairs = random_pairs(tiny.config.vocab_size)
    ours = patch_pairs(tiny, pairs, tokens_per_batch=LOOSE)
    assert_close(ours, patch_by_naive_loop(NaiveLoop(tiny), pairs), atol=2e-5)
    # A patch at every layer but the last has an effect, or the comparison would prove little.
    effects = ours.patched_diff[:, :-1] - ours.corrupted_diff[:, None]
    assert effects.abs().mean(0).min() > 0.01
    # A patch at layer 0 restores the clean run. One at the last layer, where no later query reads
    # the word, has no effect at all.
    torch.testing.assert_close(ours.patched_diff[:, 0], ours.clean_diff, rtol=0, atol=5e-6)
    assert torch.equal(ours.patched_diff[:, -1], ours.corrupted_diff)
    assert (ours.clean_diff - ours.corrupted_diff).abs().min() > 1e-4


def test_the_map_equals_a_loop_of_hooks_over_transformers(tiny: PreTrainedModel) -> None:
    naive = NaiveLoop(tiny)
    pairs = random_pairs(tiny.config.vocab_size)
    positions = draw_positions(pairs)
    ours = map_pairs(tiny, pairs, positions, tokens_per_batch=LOOSE)
    for index, pair in enumerate(pairs):
        by_position = []
        for position in positions[index]:
            patched_tokens = pair  # at the word all of its tokens, at other positions one
            if position != pair.position:
                patched_tokens = pair._replace(position=position, n_tokens=1)
            by_position.append(patched_by_layer(naive, patched_tokens))
        expected = torch.tensor(by_position)
        torch.testing.assert_close(
            ours.patched_diff[index], expected, rtol=0, atol=2e-5, check_dtype=False
        )
    # Patches at the last token in layers 1..L have an effect, or the comparison would prove little.
    effects = ours.patched_diff[:, AT_LAST_TOKEN, 1:] - ours.corrupted_diff[:, None]
    assert effects.abs().mean(0).min() > 0.01
    # A patch in the last layer gives the clean run at the last token, and no change elsewhere.
    assert torch.equal(ours.patched_diff[:, AT_LAST_TOKEN, N_LAYERS], ours.clean_diff)
    assert torch.equal(ours.patched_diff[:, AT_WORD, N_LAYERS], ours.corrupted_diff)


@pytest.mark.parametrize(
    ("family", "settings"),
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
def test_settings_of_a_family_and_biases_also_of_the_unembedding_are_followed(
    family: str, settings: dict[str, Any], folders: dict[str, Path]
) -> None:
    config = AutoConfig.from_pretrained(folders[family], attn_implementation="eager", **settings)
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(1)
        model = AutoModelForCausalLM.from_config(config, dtype=torch.float32).eval()
        # transformers sets biases to 0, with which a bias that is ignored would not show.
        for parameter in model.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
        bias = torch.arange(model.config.vocab_size) / 10.0
        model.get_output_embeddings().bias = nn.Parameter(bias)
    pairs = random_pairs(model.config.vocab_size)
    ours = patch_pairs(model, pairs, tokens_per_batch=LOOSE)
    scale = float(ours.clean_diff.abs().max())
    expected = patch_by_naive_loop(NaiveLoop(model), pairs)
    assert_close(ours, expected, atol=1e-5 * max(1.0, scale))


def test_patching_the_real_model_equals_a_loop_of_hooks_over_transformers(smollm2: Path) -> None:
    model = load(smollm2)
    tokenizer = load_tokenizer(smollm2)
    texts = [
        ("The capital of France is", " France", " Italy"),
        ("Two cats and three dogs sat on", " three", " nine"),
    ]
    pairs = []
    for text, clean_word, corrupted_word in texts:
        clean = tokenizer(text).input_ids
        (clean_token,) = tokenizer(clean_word).input_ids
        (corrupted_token,) = tokenizer(corrupted_word).input_ids
        position = clean.index(clean_token)
        corrupted = [*clean[:position], corrupted_token, *clean[position + 1 :]]
        # Any two answers would do.
        correct = tokenizer(" Paris").input_ids[0]
        pairs.append(TokenPair(clean, corrupted, position, correct, incorrect=clean_token))
    layers = (0, 7, 15, 29, 30)  # of 0 to 30
    ours = patch_pairs(model, pairs, layers=layers, tokens_per_batch=LOOSE).patched_diff
    naive = NaiveLoop(model)
    for pair, our_diff in zip(pairs, ours, strict=True):
        expected = torch.stack(patched_by_layer(naive, pair, layers))
        torch.testing.assert_close(our_diff, expected, rtol=0, atol=1e-4, check_dtype=False)


@pytest.mark.parametrize("tokens_per_batch", [1, 3000])
def test_batches_and_their_order_change_no_number(
    tokens_per_batch: int, tiny: PreTrainedModel
) -> None:
    pairs = random_pairs(tiny.config.vocab_size)
    positions = draw_positions(pairs)
    in_one_batch = map_pairs(tiny, pairs, positions, tokens_per_batch=LOOSE)
    order = random.Random(tokens_per_batch).sample(range(len(pairs)), len(pairs))  # noqa: S311
    shuffled = map_pairs(
        tiny,
        [pairs[index] for index in order],
        [positions[index] for index in order],
        tokens_per_batch=tokens_per_batch,
    )
    for shuffled_diff, expected in zip(shuffled, in_one_batch, strict=True):
        torch.testing.assert_close(shuffled_diff, expected[order], rtol=0, atol=1e-5)


@pytest.mark.parametrize(("tokens_per_batch", "positions_at_once"), [(1500, 4), (200, 2)])
def test_a_batch_keeps_to_its_tokens(
    tokens_per_batch: int,
    positions_at_once: int,
    gpt2: PreTrainedModel,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The longest pair has 20 tokens before its word and 20 from its word on.

    A patch in layers 0, 1 and 2 is a run of the 20 tokens; in layer 3, the last, it needs no run.
    With the base run, four positions take 20 + (1 + 4 * 3) * 20 = 280 tokens, and two positions
    20 + (1 + 2 * 3) * 20 = 160 tokens. 200 tokens are thus enough for two positions, not for four.
    """
    sizes = []  # tokens of each sweep
    position_counts = []

    def recorded_sweep(
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
        position_counts.append(n_positions)
        return _sweep(prefix, suffixes, answers, offsets, replacements, layers)

    monkeypatch.setattr("mechaware.models.patching.residual._sweep", recorded_sweep)
    # 4 to 40 tokens, with a word of one token in the middle.
    shapes = [(length, length // 2, 1) for length in range(4, 41)]
    pairs = random_pairs(gpt2.config.vocab_size, shapes)
    map_pairs(gpt2, pairs, draw_positions(pairs), tokens_per_batch=tokens_per_batch)
    assert max(position_counts) == positions_at_once
    # The largest sweep keeps to the limit, and uses more than 60% of it.
    assert 0.6 * tokens_per_batch < max(sizes) <= tokens_per_batch


A_PAIR = TokenPair([1, 2, 3, 4], [1, 9, 3, 4], position=1, correct=5, incorrect=6)


def test_a_prompt_that_is_longer_than_the_context_is_refused(gpt2: PreTrainedModel) -> None:
    prompt = [7] * (CONTEXT_LENGTH + 1)
    too_long = TokenPair(prompt, prompt, position=3, correct=1, incorrect=2)
    message = (
        f"a prompt has {CONTEXT_LENGTH + 1} tokens, and the model's context holds {CONTEXT_LENGTH}"
    )
    with pytest.raises(UserError, match=message):
        patch_pairs(gpt2, [A_PAIR, too_long], tokens_per_batch=LOOSE)


def test_a_sliding_window_is_refused(folders: dict[str, Path]) -> None:
    model = load(folders["qwen2"])
    model.config.layer_types = ["full_attention", "full_attention", "sliding_attention"]
    with pytest.raises(
        UserError, match="model type 'qwen2' with a sliding window cannot be patched"
    ):
        patch_pairs(model, [A_PAIR], tokens_per_batch=LOOSE)
