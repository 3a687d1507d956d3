"""Patching against a naive loop over transformers' hooks and against TransformerLens, for every family."""

import random
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from transformer_lens.model_bridge import TransformerBridge
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedModel

from mechaware.errors import UserError
from mechaware.models.interventions.patch import MODES, PairSweep, TokenPair, patch_pairs, word_offsets
from mechaware.models.interventions.runs import Prefix, prefill
from mechaware.models.interventions.sweep import sweep
from mechaware.models.registry import load_tokenizer
from tests.tiny_models import CONTEXT_LENGTH, FAMILIES_IN_TURN
from tests.unit.models.conftest import load
from tests.unit.models.interventions.naive_patching import (
    ALL_LAYERS,
    LOOSE,
    N_LAYERS,
    NaiveLoop,
    random_pairs,
    replaced,
    word_of,
)

LONGEST = 4  # tokens of a word in `random_pairs`
KNOWN_TO_LENS = ("gpt2", "gpt_neo", "gpt_neox", "llama")


class Lens:
    """The same three quantities from the hooks that TransformerLens names."""

    def __init__(self, bridge: TransformerBridge) -> None:
        self.bridge = bridge
        outputs = [f"blocks.{layer}.hook_resid_post" for layer in range(bridge.cfg.n_layers)]
        self.names = ["blocks.0.hook_resid_pre", *outputs]

    @torch.inference_mode()
    def difference(self, ids: list[int], pair: TokenPair, hooks: tuple[tuple[str, Any], ...] = ()) -> torch.Tensor:
        logits = self.bridge.run_with_hooks(torch.tensor([ids]), fwd_hooks=list(hooks))[0, -1].double()
        return logits[pair.correct] - logits[pair.incorrect]

    @torch.inference_mode()
    def states(self, ids: list[int], pair: TokenPair) -> torch.Tensor:
        _, cache = self.bridge.run_with_cache(torch.tensor([ids]))
        return torch.stack([cache[name][0, word_of(pair)] for name in self.names])

    def patched(self, ids: list[int], pair: TokenPair, layer: int, state: torch.Tensor) -> torch.Tensor:
        def put(states: torch.Tensor, hook: Any) -> torch.Tensor:
            return replaced(states, word_of(pair), state)

        return self.difference(ids, pair, ((self.names[layer], put),))


def pair_by_pair(peer: NaiveLoop | Lens, pairs: list[TokenPair]) -> PairSweep:
    clean_states = [peer.states(pair.clean, pair) for pair in pairs]
    corrupted_states = [peer.states(pair.corrupted, pair) for pair in pairs]
    mean = torch.cat(clean_states, 1).mean(1, keepdim=True)  # over the tokens of all words, by layer
    into = {
        "denoise": ("corrupted", clean_states),
        "noise": ("clean", corrupted_states),
        "mean_ablation": ("clean", [mean.expand_as(states) for states in clean_states]),
        "zero_ablation": ("clean", [torch.zeros_like(states) for states in clean_states]),
    }
    patched = {
        mode: torch.tensor(
            [
                [peer.patched(getattr(pair, base), pair, layer, own[layer]) for layer in ALL_LAYERS]
                for pair, own in zip(pairs, states, strict=True)
            ]
        )
        for mode, (base, states) in into.items()
    }
    return PairSweep(
        torch.tensor([peer.difference(pair.clean, pair) for pair in pairs]),
        torch.tensor([peer.difference(pair.corrupted, pair) for pair in pairs]),
        patched,
    )


def assert_close(ours: PairSweep, theirs: PairSweep, atol: float) -> None:
    """Every number of both; the logits of the tiny models are of the order of 1 to 10."""
    assert set(ours.patched_diff) == set(theirs.patched_diff)
    mine = [ours.clean_diff, ours.corrupted_diff, *(ours.patched_diff[mode] for mode in MODES)]
    others = [theirs.clean_diff, theirs.corrupted_diff, *(theirs.patched_diff[mode] for mode in MODES)]
    for one, other in zip(mine, others, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=atol, check_dtype=False)


def prefilled(model: PreTrainedModel, pairs: list[TokenPair]) -> tuple[Prefix, list[list[int]], torch.Tensor]:
    """The pairs' common prefixes, the clean suffixes and the answers."""
    answers = torch.tensor([[pair.correct, pair.incorrect] for pair in pairs])
    prefix = prefill(model, [pair.clean[: pair.position] for pair in pairs])
    return prefix, [pair.clean[pair.position :] for pair in pairs], answers


def test_patching_equals_a_loop_of_hooks_over_transformers(tiny: PreTrainedModel) -> None:
    pairs = random_pairs(tiny.config.vocab_size)
    ours = patch_pairs(tiny, pairs, tokens_per_batch=LOOSE)
    assert_close(ours, pair_by_pair(NaiveLoop(tiny), pairs), atol=2e-5)
    # Every layer but the last does something, or the comparison would prove little.
    assert (ours.patched_diff["denoise"][:, :-1] - ours.corrupted_diff[:, None]).abs().mean(0).min() > 0.01


@pytest.mark.parametrize("family", [family for family in FAMILIES_IN_TURN if family.values[0] in KNOWN_TO_LENS])
def test_patching_equals_the_hooks_of_transformer_lens(family: str, folders: dict[str, Path]) -> None:
    model = load(folders[family])
    tokenizer = load_tokenizer(folders[family])
    bridge = TransformerBridge.boot_transformers(
        str(folders[family]), hf_model=load(folders[family]), tokenizer=tokenizer, device="cpu"
    )
    pairs = random_pairs(model.config.vocab_size)
    assert_close(patch_pairs(model, pairs, tokens_per_batch=LOOSE), pair_by_pair(Lens(bridge), pairs), atol=1e-4)


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
def test_settings_of_a_family_are_followed(family: str, setting: dict[str, Any], folders: dict[str, Path]) -> None:
    config = AutoConfig.from_pretrained(folders[family], attn_implementation="eager", **setting)
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(1)
        model = AutoModelForCausalLM.from_config(config, dtype=torch.float32).eval()
        for parameter in model.parameters():  # biases too, which are drawn as zeros
            parameter.add_(0.3 * torch.randn_like(parameter))
    pairs = random_pairs(model.config.vocab_size)
    ours = patch_pairs(model, pairs, tokens_per_batch=LOOSE)
    scale = float(ours.clean_diff.abs().max())
    assert_close(ours, pair_by_pair(NaiveLoop(model), pairs), atol=1e-5 * max(1.0, scale))


def test_an_unembedding_with_a_bias_counts_it(gpt2: PreTrainedModel) -> None:
    gpt2.lm_head.bias = nn.Parameter(torch.arange(gpt2.config.vocab_size) / 10.0)
    pairs = random_pairs(gpt2.config.vocab_size)
    assert_close(patch_pairs(gpt2, pairs, tokens_per_batch=LOOSE), pair_by_pair(NaiveLoop(gpt2), pairs), atol=2e-5)


def repeated(word: torch.Tensor) -> torch.Tensor:
    """The states (layer, token, d_model) of a word, the last one repeated: as many as the longest word here has."""
    return torch.cat([word, word[:, -1:].expand(-1, LONGEST - word.shape[1], -1)], 1)


def test_float64_agrees_to_its_own_precision(gpt2: PreTrainedModel) -> None:
    gpt2.double()
    peer, pairs = NaiveLoop(gpt2), random_pairs(gpt2.config.vocab_size)
    prefix, clean, answers = prefilled(gpt2, pairs)
    words = [peer.states(pair.corrupted, pair) for pair in pairs]
    replacements = torch.stack([repeated(word) for word in words])
    swept = sweep(
        prefix, clean, answers, replacements=replacements[None], layers=ALL_LAYERS, offsets=word_offsets(pairs)
    )
    states = torch.stack([repeated(peer.states(pair.clean, pair)) for pair in pairs])
    torch.testing.assert_close(swept.states[0], states, rtol=0, atol=1e-12)
    for pair, mine, own in zip(pairs, swept.patched_diff[0], words, strict=True):
        theirs = torch.stack([peer.patched(pair.clean, pair, layer, own[layer]) for layer in ALL_LAYERS])
        torch.testing.assert_close(mine, theirs, rtol=0, atol=1e-12)


def test_patching_the_real_model_equals_a_loop_of_hooks_over_transformers(smollm2: Path) -> None:
    model, tokenizer = load(smollm2), load_tokenizer(smollm2)
    texts = [("The capital of France is", " France", " Italy"), ("Two cats and three dogs sat on", " three", " nine")]
    pairs = []
    for text, word, other in texts:
        clean = tokenizer(text).input_ids
        (token,), (another,) = tokenizer(word).input_ids, tokenizer(other).input_ids
        position = clean.index(token)
        corrupted = [*clean[:position], another, *clean[position + 1 :]]
        pairs.append(TokenPair(clean, corrupted, position, tokenizer(" Paris").input_ids[0], token))
    layers = (0, 7, 15, 29, 30)
    ours = patch_pairs(model, pairs, modes=("denoise",), layers=layers, tokens_per_batch=LOOSE).patched_diff["denoise"]
    peer = NaiveLoop(model)
    for pair, mine in zip(pairs, ours, strict=True):
        states = peer.states(pair.clean, pair)
        theirs = torch.stack([peer.patched(pair.corrupted, pair, layer, states[layer]) for layer in layers])
        torch.testing.assert_close(mine, theirs, rtol=0, atol=1e-4, check_dtype=False)


def test_the_clean_embedding_restores_the_clean_run(tiny: PreTrainedModel) -> None:
    swept = patch_pairs(tiny, random_pairs(tiny.config.vocab_size), modes=("denoise",), tokens_per_batch=LOOSE)
    torch.testing.assert_close(swept.patched_diff["denoise"][:, 0], swept.clean_diff, rtol=0, atol=5e-6)
    assert (swept.clean_diff - swept.corrupted_diff).abs().min() > 1e-4


def test_a_patch_after_the_last_block_has_no_effect_at_all(tiny: PreTrainedModel) -> None:
    swept = patch_pairs(tiny, random_pairs(tiny.config.vocab_size), tokens_per_batch=LOOSE)
    for mode in MODES:
        base = swept.corrupted_diff if mode == "denoise" else swept.clean_diff
        assert torch.equal(swept.patched_diff[mode][:, -1], base)


def test_replacing_states_by_themselves_changes_nothing(tiny: PreTrainedModel) -> None:
    pairs = random_pairs(tiny.config.vocab_size)
    prefix, clean, answers = prefilled(tiny, pairs)
    offsets = word_offsets(pairs)
    plain = sweep(prefix, clean, answers, offsets=offsets)
    replacements = plain.states.expand(2, -1, -1, -1, -1)
    again = sweep(prefix, clean, answers, replacements=replacements, layers=ALL_LAYERS, offsets=offsets)
    assert torch.equal(again.states, plain.states)
    unchanged = plain.base_diff[None, :, None].expand_as(again.patched_diff)
    torch.testing.assert_close(again.patched_diff, unchanged, rtol=0, atol=5e-6)


def test_nothing_has_an_effect_where_attention_moves_nothing(gpt2: PreTrainedModel) -> None:
    with torch.no_grad():
        for block in gpt2.transformer.h:
            block.attn.c_attn.weight[:, 2 * gpt2.config.hidden_size :] = 0
    swept = patch_pairs(gpt2, random_pairs(gpt2.config.vocab_size), tokens_per_batch=LOOSE)
    torch.testing.assert_close(swept.clean_diff, swept.corrupted_diff, rtol=0, atol=1e-6)
    for patched in swept.patched_diff.values():
        torch.testing.assert_close(patched, swept.clean_diff[:, None].expand_as(patched), rtol=0, atol=1e-6)


@pytest.mark.parametrize("tokens_per_batch", [1, 900, 3000])
def test_batches_and_their_order_change_no_number(tokens_per_batch: int, tiny: PreTrainedModel) -> None:
    pairs = random_pairs(tiny.config.vocab_size)
    together = patch_pairs(tiny, pairs, tokens_per_batch=LOOSE)
    order = random.Random(tokens_per_batch).sample(range(len(pairs)), len(pairs))  # noqa: S311
    shuffled = patch_pairs(tiny, [pairs[i] for i in order], tokens_per_batch=tokens_per_batch)
    expected = PairSweep(
        together.clean_diff[order],
        together.corrupted_diff[order],
        {mode: patched[order] for mode, patched in together.patched_diff.items()},
    )
    assert_close(shuffled, expected, atol=1e-5)


def test_a_batch_keeps_to_its_tokens(gpt2: PreTrainedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []

    def watched(prefix: Prefix, suffixes: list[list[int]], *arguments: Any, **options: Any) -> Any:
        n_runs = 1 + len(options["replacements"]) * N_LAYERS if options.get("replacements") is not None else 1
        sizes.append(len(suffixes) * (prefix.width + n_runs * max(map(len, suffixes))))
        return sweep(prefix, suffixes, *arguments, **options)

    monkeypatch.setattr("mechaware.models.interventions.patch.sweep", watched)
    pairs = random_pairs(gpt2.config.vocab_size, shapes=tuple((length, length // 2) for length in range(4, 40)))
    patch_pairs(gpt2, pairs, tokens_per_batch=1500)
    assert 1000 < max(sizes) <= 1500


def test_layers_and_modes_can_be_chosen_in_any_order(tiny: PreTrainedModel) -> None:
    pairs = random_pairs(tiny.config.vocab_size)
    everything = patch_pairs(tiny, pairs, tokens_per_batch=LOOSE)
    layers = [3, 1, 0, 1]
    for modes in (("zero_ablation", "denoise"), ("mean_ablation",), ("noise",)):
        some = patch_pairs(tiny, pairs, modes=modes, layers=layers, tokens_per_batch=LOOSE)
        assert list(some.patched_diff) == list(modes)
        for mode in modes:
            expected = everything.patched_diff[mode][:, layers]
            torch.testing.assert_close(some.patched_diff[mode], expected, rtol=0, atol=1e-5)


AT_P = torch.zeros(1, 1, 1, dtype=torch.long)
A_PAIR = TokenPair([1, 2, 3, 4], [1, 9, 3, 4], 1, 5, 6)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"corrupted": [1, 9, 3]}, "pair 1: 4 clean tokens and 3 corrupted ones"),
        ({"corrupted": [1, 9, 3, 7]}, r"pair 1: the prompts differ at \[1, 3\], expected at 1 tokens from 1 on"),
        ({"position": 2}, r"pair 1: the prompts differ at \[1\], expected at 1 tokens from 2 on"),
        ({"corrupted": [8, 9, 3, 4], "n_tokens": 2}, r"pair 1: .* differ at \[0, 1\], expected at 2 tokens from 1 on"),
        ({"position": 3}, "pair 1: a word of 1 tokens at position 3 of 4: expected one before the last token"),
        ({"n_tokens": 3}, "pair 1: a word of 3 tokens at position 1 of 4: expected one before the last token"),
        ({"n_tokens": 0}, "pair 1: a word of 0 tokens at position 1 of 4: expected one before the last token"),
        ({"position": -1}, "pair 1: a word of 1 tokens at position -1 of 4: expected one before the last token"),
    ],
)
def test_a_pair_that_cannot_be_patched_is_an_error(change: dict[str, Any], message: str, gpt2: PreTrainedModel) -> None:
    with pytest.raises(ValueError, match=message):
        patch_pairs(gpt2, [A_PAIR, A_PAIR._replace(**change)], tokens_per_batch=LOOSE)


def test_unknown_layers_and_modes_and_no_pairs_are_errors(gpt2: PreTrainedModel) -> None:
    with pytest.raises(ValueError, match="no pairs to patch"):
        patch_pairs(gpt2, [], tokens_per_batch=LOOSE)
    with pytest.raises(ValueError, match=r"layers \[4, -1\]: the model has 0 \(the embedding\) to 3"):
        patch_pairs(gpt2, [A_PAIR], layers=[0, 4, -1], tokens_per_batch=LOOSE)
    with pytest.raises(
        ValueError, match=r"modes \['denoize'\]: known are denoise, noise, mean_ablation, zero_ablation"
    ):
        patch_pairs(gpt2, [A_PAIR], modes=("denoize",), tokens_per_batch=LOOSE)


def test_a_sweep_that_ends_at_the_patched_position_is_an_error(gpt2: PreTrainedModel) -> None:
    with pytest.raises(ValueError, match="the patched position is the last token"):
        sweep(prefill(gpt2, [[1], [2]]), [[3, 4], [5]], torch.tensor([[1, 2], [1, 2]]), offsets=AT_P.expand(1, 2, 1))


def test_a_prompt_longer_than_the_context_is_refused(gpt2: PreTrainedModel) -> None:
    prompt = [7] * (CONTEXT_LENGTH + 1)
    message = f"a prompt has {CONTEXT_LENGTH + 1} tokens, and the model's context holds {CONTEXT_LENGTH}"
    with pytest.raises(UserError, match=message):
        patch_pairs(gpt2, [A_PAIR, TokenPair(prompt, prompt, 3, 1, 2)], tokens_per_batch=LOOSE)
    with pytest.raises(UserError, match=message):
        sweep(prefill(gpt2, [prompt[:10]]), [prompt[10:]], torch.tensor([[1, 2]]), offsets=AT_P)


def test_a_family_that_is_not_known_is_refused_by_name(gpt2: PreTrainedModel) -> None:
    gpt2.config.model_type = "mamba"
    with pytest.raises(UserError, match="model type 'mamba': supported are gpt2, gpt_neo"):
        patch_pairs(gpt2, [A_PAIR], tokens_per_batch=LOOSE)


def test_a_sliding_window_is_refused(folders: dict[str, Path]) -> None:
    model = load(folders["qwen2"])
    model.config.layer_types = ["full_attention", "full_attention", "sliding_attention"]
    with pytest.raises(UserError, match="model type 'qwen2' with a sliding window cannot be patched"):
        patch_pairs(model, [A_PAIR], tokens_per_batch=LOOSE)
