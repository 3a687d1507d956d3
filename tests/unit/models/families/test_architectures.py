"""Capture and patching on many architectures, against transformers' own outputs and hooks.

The architectures, and the modules on which hooks are put, are named by hand in
`tests.architectures`. The clean and the corrupted prompt of a pair differ in one word. To *cut* the
word's keys and values in some blocks is to replace them by those of the other prompt's run.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.hooks import RemovableHandle
from transformers import PreTrainedModel

from mechaware.models.activations import split_prompts
from mechaware.models.capture import capture
from mechaware.models.decoding import continue_tokens
from mechaware.models.families.supported import find_modules
from mechaware.models.final_logits import final_logits
from mechaware.models.patching.kv_cut import cut_pairs
from mechaware.models.patching.residual import map_pairs
from mechaware.models.patching.runs import TokenPair
from mechaware.models.token_scores import score_tokens
from tests.architectures import (
    ARCHITECTURES,
    N_LAYERS,
    VOCABULARY,
    WINDOW,
    Architecture,
    tiny_model,
)

REPOSITORY = Path(__file__).resolve().parents[4]


def spread_tokens(n_tokens: int, row: int) -> list[int]:
    """Token ids from all of the vocabulary, different for each row."""
    return [(37 * position + 11 * row + 5) % VOCABULARY for position in range(n_tokens)]


PROMPTS = [spread_tokens(3, 0), spread_tokens(13, 1), spread_tokens(1, 2), spread_tokens(9, 3)]
ONE_TOKEN_WORD = TokenPair(
    clean=[5, 9, 120, 33, 7],
    corrupted=[5, 60, 120, 33, 7],
    position=1,
    correct=44,
    incorrect=171,
)
# Longer than the window of every architecture that has one, even from the word on.
TWO_TOKEN_WORD = TokenPair(
    clean=[8, 31, 77, 12, 90, 140, 3, 65, 22, 110, 6, 19],
    corrupted=[8, 31, 14, 99, 90, 140, 3, 65, 22, 110, 6, 19],
    position=2,
    correct=10,
    incorrect=203,
    n_tokens=2,
)
PAIRS = [ONE_TOKEN_WORD, TWO_TOKEN_WORD]
# The sets of blocks in which keys and values are cut.
BLOCK_SETS = [{2}, {1, 3}, set(), {1, 2, 3}]
LAYERS = range(N_LAYERS + 1)
# For float32: batches and hooks sum in another order than transformers' run of one prompt.
CLOSE = {"rtol": 1e-5, "atol": 2e-5}
CLOSE_AFTER_PATCH = {"rtol": 1e-5, "atol": 5e-5}
EVERYTHING_IN_ONE_BATCH = 10**6  # tokens per batch


@pytest.fixture(scope="module", params=ARCHITECTURES, ids=lambda each: each.model_type)
def architecture(request: pytest.FixtureRequest) -> Architecture:
    return request.param


@pytest.fixture(scope="module")
def model(architecture: Architecture) -> PreTrainedModel:
    return tiny_model(architecture.model_type, architecture.settings)


@contextmanager
def removed_after_use(*handles: RemovableHandle) -> Iterator[None]:
    """Remove the hooks at the end of a `with` block."""
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def states_of(output: Any) -> torch.Tensor:
    """The states in a block's output, which is a tuple in some architectures."""
    return output[0] if isinstance(output, tuple) else output


def with_states(output: Any, states: torch.Tensor) -> Any:
    """A block's output with other states in it."""
    return (states, *output[1:]) if isinstance(output, tuple) else states


def own_logits(
    model: PreTrainedModel, architecture: Architecture, states: torch.Tensor
) -> torch.Tensor:
    """The logits (row, token) of transformers' own forward pass from `states` (row, d_model) on.

    A hook gives `states` to the final norm, so the token ids that the pass begins with do not
    matter.
    """
    norm = model.get_submodule(architecture.final_norm)
    handle = norm.register_forward_pre_hook(lambda _norm, _arguments: (states[None],))
    any_ids = torch.ones(1, len(states), dtype=torch.long)
    with removed_after_use(handle):
        logits: torch.Tensor = model(any_ids, use_cache=False).logits[0]
    return logits


def test_find_modules_finds_the_modules_named_by_hand(
    model: PreTrainedModel, architecture: Architecture
) -> None:
    modules = find_modules(model)
    blocks = list(model.get_submodule(architecture.blocks))
    assert modules.blocks == blocks
    assert modules.attentions == [block.get_submodule(architecture.attention) for block in blocks]
    assert modules.final_norm is model.get_submodule(architecture.final_norm)


@torch.inference_mode()
def test_states_attention_and_logit_lens_are_those_of_transformers_one_prompt_at_a_time(
    model: PreTrainedModel, architecture: Architecture
) -> None:
    """At every layer; ours are captured in batches of prompts of different length."""
    norm = model.get_submodule(architecture.final_norm)
    some_attention_is_uneven = False
    captured = split_prompts(capture(model, PROMPTS, tokens_per_batch=30))
    for ids, ours in zip(PROMPTS, captured, strict=True):
        theirs = model(
            torch.tensor([ids]), output_hidden_states=True, output_attentions=True, use_cache=False
        )
        for layer in range(1, N_LAYERS):
            torch.testing.assert_close(
                ours.hidden_states[:, layer - 1], theirs.hidden_states[layer][0], **CLOSE
            )
        # The last entry of transformers' hidden states is after the final norm.
        last = ours.hidden_states[:, -1]
        torch.testing.assert_close(norm(last), theirs.hidden_states[-1][0], **CLOSE)
        torch.testing.assert_close(own_logits(model, architecture, last), theirs.logits[0], **CLOSE)

        weights = torch.stack(theirs.attentions)[:, 0].double()  # layer, head, query, key
        row_entropy = -(weights * weights.clamp_min(1e-300).log()).sum(-1)
        torch.testing.assert_close(
            ours.attention_row_entropy, row_entropy.permute(2, 0, 1).float(), **CLOSE
        )
        # The token at position i attends to i + 1 tokens: if evenly, with the entropy ln(i + 1).
        # From position WINDOW on, a sliding window hides some of them, so these do not count.
        entropy_if_even = torch.arange(1, len(ids) + 1).log()
        unevenness = (row_entropy - entropy_if_even).abs()  # nats
        if unevenness[..., :WINDOW].max() > 0.05:
            some_attention_is_uneven = True

        # The logit lens: the states of the last token after each block, through norm and head.
        lens = own_logits(model, architecture, ours.hidden_states[-1]).double().log_softmax(-1)
        torch.testing.assert_close(ours.confidence, lens.exp().amax(-1).float(), **CLOSE)
        torch.testing.assert_close(ours.entropy, -(lens.exp() * lens).sum(-1).float(), **CLOSE)
    # If attention were even, the row entropies of any two models would agree.
    assert some_attention_is_uneven


@torch.inference_mode()
def test_likelihoods_and_continuations_are_those_of_one_prompt_at_a_time(
    model: PreTrainedModel,
) -> None:
    prompts = [ids for ids in PROMPTS if len(ids) > 1]
    # Scored from the second token on: the first has no context.
    scored = score_tokens(model, prompts, [1] * len(prompts), tokens_per_batch=30)
    finals = final_logits(model, prompts, tokens_per_batch=30)
    continued = continue_tokens(model, prompts, 4, end=None, tokens_per_batch=30)
    for ids, scores, final, continuation in zip(prompts, scored, finals, continued, strict=True):
        logits = model(torch.tensor([ids]), use_cache=False).logits[0]
        torch.testing.assert_close(final, logits[-1], **CLOSE)
        all_log_probs = logits.double().log_softmax(-1)
        # Position i holds the distribution of token i + 1.
        log_probs = all_log_probs[range(len(ids) - 1), ids[1:]]
        torch.testing.assert_close(torch.from_numpy(scores.log_probs), log_probs, **CLOSE)
        # Greedy, without a cache.
        text_so_far = list(ids)
        for _ in range(4):
            next_logits = model(torch.tensor([text_so_far]), use_cache=False).logits[0, -1]
            text_so_far.append(int(next_logits.argmax()))
        assert continuation.tolist() == text_so_far[len(ids) :]


@torch.inference_mode()
def test_after_a_shared_beginning_scores_are_those_of_one_text_at_a_time(
    model: PreTrainedModel,
) -> None:
    """The beginning is longer than any window; two texts continue it with the same token."""
    beginning = [(29 * position + 3) % VOCABULARY for position in range(2 * WINDOW + 17)]
    endings = [*PROMPTS, [PROMPTS[1][0], 4, 9]]
    texts = [[*beginning, *ending] for ending in endings]
    scored = score_tokens(model, texts, [len(beginning)] * len(texts), tokens_per_batch=40)
    for ids, scores in zip(texts, scored, strict=True):
        all_log_probs = (
            model(torch.tensor([ids]), use_cache=False).logits[0].double().log_softmax(-1)
        )
        positions = range(len(beginning), len(ids))
        log_probs = [all_log_probs[position - 1, ids[position]] for position in positions]
        assert scores.ids.tolist() == ids[len(beginning) :]
        torch.testing.assert_close(
            torch.from_numpy(scores.log_probs), torch.stack(log_probs), **CLOSE
        )


@torch.inference_mode()
def logit_difference(model: PreTrainedModel, ids: list[int], pair: TokenPair) -> float:
    logits = model(torch.tensor([ids]), use_cache=False).logits[0, -1]
    return float(logits[pair.correct] - logits[pair.incorrect])


def patched_by_hand(
    model: PreTrainedModel, architecture: Architecture, pair: TokenPair, at: slice, layer: int
) -> float:
    """The logit difference of the corrupted run with clean states at the positions `at`.

    The states are those after block `layer`, or before block 1 for layer 0.
    """
    if layer == 0:
        return embedding_patched_by_hand(model, architecture, pair, at)
    block = list(model.get_submodule(architecture.blocks))[layer - 1]
    kept: list[torch.Tensor] = []

    def keep(_module: nn.Module, _arguments: Any, output: Any) -> None:
        kept.append(states_of(output)[0, at].clone())

    def put(_module: nn.Module, _arguments: Any, output: Any) -> Any:
        states = states_of(output).clone()
        states[0, at] = kept[0]
        return with_states(output, states)

    with removed_after_use(block.register_forward_hook(keep)):
        logit_difference(model, pair.clean, pair)
    with removed_after_use(block.register_forward_hook(put)):
        return logit_difference(model, pair.corrupted, pair)


def embedding_patched_by_hand(
    model: PreTrainedModel, architecture: Architecture, pair: TokenPair, at: slice
) -> float:
    """As `patched_by_hand`, with the states before block 1."""
    block = next(iter(model.get_submodule(architecture.blocks)))
    kept: list[torch.Tensor] = []

    def keep_input(_module: nn.Module, arguments: Any) -> None:
        kept.append(arguments[0][0, at].clone())

    def put_input(_module: nn.Module, arguments: Any) -> Any:
        states = arguments[0].clone()
        states[0, at] = kept[0]
        return (states, *arguments[1:])

    with removed_after_use(block.register_forward_pre_hook(keep_input)):
        logit_difference(model, pair.clean, pair)
    with removed_after_use(block.register_forward_pre_hook(put_input)):
        return logit_difference(model, pair.corrupted, pair)


def test_patched_states_are_those_of_hooks_by_hand(
    model: PreTrainedModel, architecture: Architecture
) -> None:
    """At the word, at the token after it and at the end, at every layer."""
    positions = []
    for pair in PAIRS:
        positions.append([pair.position, pair.position + pair.n_tokens, len(pair.clean) - 1])
    ours = map_pairs(model, PAIRS, positions, tokens_per_batch=EVERYTHING_IN_ONE_BATCH)
    for row, (pair, pair_positions) in enumerate(zip(PAIRS, positions, strict=True)):
        clean_diff = logit_difference(model, pair.clean, pair)
        assert ours.clean_diff[row].item() == pytest.approx(clean_diff, abs=2e-5)
        for column, position in enumerate(pair_positions):
            n_tokens = pair.n_tokens if position == pair.position else 1
            at = slice(position, position + n_tokens)
            theirs = [patched_by_hand(model, architecture, pair, at, layer) for layer in LAYERS]
            torch.testing.assert_close(
                ours.patched_diff[row, column], torch.tensor(theirs), **CLOSE_AFTER_PATCH
            )

    # 36 tokens hold three runs of the longer prompt.
    in_small_batches = map_pairs(model, PAIRS, positions, tokens_per_batch=36)
    torch.testing.assert_close(in_small_batches.patched_diff, ours.patched_diff, **CLOSE)


def test_clean_states_at_the_first_or_last_layer_restore_the_clean_run(
    model: PreTrainedModel,
) -> None:
    """At the word before block 1, and at the end after the last block.

    The clean and the corrupted run differ, and an inner patch at the end changes the corrupted run.
    """
    positions = [[pair.position, len(pair.clean) - 1] for pair in PAIRS]
    ours = map_pairs(model, PAIRS, positions, tokens_per_batch=EVERYTHING_IN_ONE_BATCH)
    at_word, at_end = ours.patched_diff.unbind(1)
    torch.testing.assert_close(at_word[:, 0], ours.clean_diff, rtol=0, atol=5e-5)
    torch.testing.assert_close(at_end[:, N_LAYERS], ours.clean_diff, rtol=0, atol=5e-5)
    assert (ours.clean_diff - ours.corrupted_diff).abs().min() > 1e-4
    assert (at_end[:, 1] - ours.corrupted_diff).abs().max() > 1e-4


def cut_by_hand(
    model: PreTrainedModel,
    architecture: Architecture,
    pair: TokenPair,
    direction: str,
    blocks: set[int],
) -> float:
    """The logit difference of the base run with the donor run's keys and values at the word.

    Hooks on the projections that compute keys and values cut them in the given blocks, numbered
    from 1. Of a projection that also computes queries, only the columns of keys and values are cut.
    The direction `denoise` has the corrupted run as base and the clean run as donor; `noise` has
    the reverse.
    """
    if direction == "denoise":
        base = pair.corrupted
        donor = pair.clean
    else:
        base = pair.clean
        donor = pair.corrupted
    word = slice(pair.position, pair.position + pair.n_tokens)
    kept: dict[nn.Module, torch.Tensor] = {}

    def keep(module: nn.Module, _arguments: Any, output: torch.Tensor) -> None:
        kept[module] = output[0, word].clone()

    def put(module: nn.Module, _arguments: Any, output: torch.Tensor) -> torch.Tensor:
        output = output.clone()
        columns = architecture.columns(output.shape[-1])
        at_word = output[0, word].clone()
        at_word[:, columns] = kept[module][:, columns]
        output[0, word] = at_word
        return output

    own_blocks = list(model.get_submodule(architecture.blocks))
    projections = []
    for block in blocks:
        attention = own_blocks[block - 1].get_submodule(architecture.attention)
        projections += [attention.get_submodule(name) for name in architecture.keys_values]

    with removed_after_use(*[each.register_forward_hook(keep) for each in projections]):
        logit_difference(model, donor, pair)
    with removed_after_use(*[each.register_forward_hook(put) for each in projections]):
        return logit_difference(model, base, pair)


def test_cut_keys_and_values_are_those_of_hooks_by_hand(
    model: PreTrainedModel, architecture: Architecture
) -> None:
    sets = [BLOCK_SETS] * len(PAIRS)
    ours = cut_pairs(model, PAIRS, sets, tokens_per_batch=EVERYTHING_IN_ONE_BATCH)
    # 24 tokens hold two runs of the longer prompt.
    in_small_batches = cut_pairs(model, PAIRS, sets, tokens_per_batch=24)
    assert set(ours.cut_diff) == {"denoise", "noise"}
    for direction, cut_diff in ours.cut_diff.items():
        torch.testing.assert_close(in_small_batches.cut_diff[direction], cut_diff, **CLOSE)
        for row, pair in enumerate(PAIRS):
            theirs = []
            for blocks in BLOCK_SETS:
                theirs.append(cut_by_hand(model, architecture, pair, direction, blocks))
            torch.testing.assert_close(cut_diff[row], torch.tensor(theirs), **CLOSE_AFTER_PATCH)

    # A column for each of `BLOCK_SETS`. A cut in one block changes the corrupted run, and a cut in
    # all blocks turns it into the clean run.
    in_block_2, _, _, in_all_blocks = ours.cut_diff["denoise"].unbind(1)
    assert (in_block_2 - ours.corrupted_diff).abs().max() > 1e-4
    torch.testing.assert_close(in_all_blocks, ours.clean_diff, rtol=0, atol=5e-5)


def test_some_prompts_are_longer_than_the_windows() -> None:
    """Without them the comparisons would not test sliding windows."""
    assert max(map(len, PROMPTS)) > WINDOW
    assert len(TWO_TOKEN_WORD.clean) - TWO_TOKEN_WORD.position > WINDOW


def test_the_documentation_lists_the_architectures_of_these_tests() -> None:
    page = " ".join((REPOSITORY / "docs/bring-your-own.md").read_text().split())
    (listed,) = re.findall(r"are tested on (.+?)\.", page)
    assert listed.replace(" and ", ", ").split(", ") == [each.label for each in ARCHITECTURES]
