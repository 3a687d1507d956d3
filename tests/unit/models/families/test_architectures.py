"""Capture and patching on 29 architectures, against transformers' own outputs and hooks on modules named by hand."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
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
    """Token ids all over the vocabulary, other ones for each row."""
    return [(37 * place + 11 * row + 5) % VOCABULARY for place in range(n_tokens)]


PROMPTS = [spread_tokens(3, 0), spread_tokens(13, 1), spread_tokens(1, 2), spread_tokens(9, 3)]
# One word of a token and one of two; the second prompt is longer than any window.
PAIRS = [
    TokenPair([5, 9, 120, 33, 7], [5, 60, 120, 33, 7], 1, 44, 171),
    TokenPair(
        [8, 31, 77, 12, 90, 140, 3, 65, 22, 110, 6, 19],
        [8, 31, 14, 99, 90, 140, 3, 65, 22, 110, 6, 19],
        2,
        10,
        203,
        2,
    ),
]
SETS = [{2}, {1, 3}, set(), {1, 2, 3}]
LAYERS = range(N_LAYERS + 1)
CLOSE = {"rtol": 1e-5, "atol": 2e-5}
LOOSE = 10**6  # tokens per batch


@pytest.fixture(scope="module", params=ARCHITECTURES, ids=lambda each: each.model_type)
def architecture(request: pytest.FixtureRequest) -> Architecture:
    return request.param


@pytest.fixture(scope="module")
def model(architecture: Architecture) -> PreTrainedModel:
    return tiny_model(architecture.model_type, architecture.settings)


@contextmanager
def hooked(module: nn.Module, hook: Any) -> Iterator[None]:
    handle = module.register_forward_hook(hook)
    try:
        yield
    finally:
        handle.remove()


def states_of(output: Any) -> torch.Tensor:
    return output[0] if isinstance(output, tuple) else output


def with_states(output: Any, states: torch.Tensor) -> Any:
    return (states, *output[1:]) if isinstance(output, tuple) else states


def own_logits(
    model: PreTrainedModel, architecture: Architecture, states: torch.Tensor
) -> torch.Tensor:
    """The logits of transformers' own forward pass if its final norm reads `states` (row, d_model)."""
    norm = model.get_submodule(architecture.final_norm)
    handle = norm.register_forward_pre_hook(lambda _norm, _arguments: (states[None],))
    ids = torch.ones(1, len(states), dtype=torch.long)
    logits: torch.Tensor = model(ids, use_cache=False).logits[0]
    handle.remove()
    return logits


def test_its_parts_are_found(model: PreTrainedModel, architecture: Architecture) -> None:
    modules = find_modules(model)
    blocks = list(model.get_submodule(architecture.blocks))
    assert modules.blocks == blocks
    assert modules.attentions == [block.get_submodule(architecture.attention) for block in blocks]
    assert modules.final_norm is model.get_submodule(architecture.final_norm)


@torch.inference_mode()
def test_states_attention_and_logit_lens_are_those_of_transformers_one_prompt_at_a_time(
    model: PreTrainedModel, architecture: Architecture
) -> None:
    """In batches of unequal prompts, at every layer."""
    norm = model.get_submodule(architecture.final_norm)
    attention_is_uneven = False
    captured = split_prompts(capture(model, PROMPTS, tokens_per_batch=30))
    for ids, ours in zip(PROMPTS, captured, strict=True):
        theirs = model(
            torch.tensor([ids]), output_hidden_states=True, output_attentions=True, use_cache=False
        )
        for layer in range(1, N_LAYERS):
            torch.testing.assert_close(
                ours.hidden_states[:, layer - 1], theirs.hidden_states[layer][0], **CLOSE
            )
        # transformers norms its last entry.
        last = ours.hidden_states[:, -1]
        torch.testing.assert_close(norm(last), theirs.hidden_states[-1][0], **CLOSE)
        torch.testing.assert_close(own_logits(model, architecture, last), theirs.logits[0], **CLOSE)

        weights = torch.stack(theirs.attentions)[:, 0].double()  # layer, head, query, key
        row_entropy = -(weights * weights.clamp_min(1e-300).log()).sum(-1)
        torch.testing.assert_close(
            ours.attention_row_entropy, row_entropy.permute(2, 0, 1).float(), **CLOSE
        )
        even = torch.arange(1, len(ids) + 1).log()
        attention_is_uneven |= bool((row_entropy - even).abs().max() > 0.05)

        lens = own_logits(model, architecture, ours.hidden_states[-1]).double().log_softmax(-1)
        torch.testing.assert_close(ours.confidence, lens.exp().amax(-1).float(), **CLOSE)
        torch.testing.assert_close(ours.entropy, -(lens.exp() * lens).sum(-1).float(), **CLOSE)
    # Were attention uniform, the entropies of any two models would agree.
    assert attention_is_uneven


@torch.inference_mode()
def test_likelihoods_and_answers_are_those_of_one_prompt_at_a_time(model: PreTrainedModel) -> None:
    long = [ids for ids in PROMPTS if len(ids) > 1]
    scored = score_tokens(model, long, [1] * len(long), tokens_per_batch=30)
    finals = final_logits(model, long, tokens_per_batch=30)
    continued = continue_tokens(model, long, 4, end=None, tokens_per_batch=30)
    for ids, text, final, continuation in zip(long, scored, finals, continued, strict=True):
        logits = model(torch.tensor([ids]), use_cache=False).logits[0]
        torch.testing.assert_close(final, logits[-1], **CLOSE)
        own = logits[:-1].double().log_softmax(-1)[range(len(ids) - 1), ids[1:]]
        torch.testing.assert_close(torch.from_numpy(text.log_probs), own, rtol=1e-5, atol=2e-5)
        # Greedy, without a cache.
        text_so_far = list(ids)
        for _ in range(4):
            following = model(torch.tensor([text_so_far]), use_cache=False).logits[0, -1]
            text_so_far.append(int(following.argmax()))
        assert continuation.tolist() == text_so_far[len(ids) :]


@torch.inference_mode()
def test_after_a_shared_beginning_scores_are_those_of_one_text_at_a_time(
    model: PreTrainedModel,
) -> None:
    """The beginning is longer than any window; one text goes on with the same token as another."""
    beginning = [(29 * place + 3) % VOCABULARY for place in range(2 * WINDOW + 17)]
    texts = [[*beginning, *ids] for ids in [*PROMPTS, [PROMPTS[1][0], 4, 9]]]
    first = [len(beginning)] * len(texts)
    scored = score_tokens(model, texts, first, tokens_per_batch=40)
    for ids, text in zip(texts, scored, strict=True):
        logits = model(torch.tensor([ids]), use_cache=False).logits[0].double().log_softmax(-1)
        places = range(len(beginning), len(ids))
        own = torch.stack([logits[place - 1, ids[place]] for place in places])
        assert text.ids.tolist() == ids[len(beginning) :]
        torch.testing.assert_close(torch.from_numpy(text.log_probs), own, **CLOSE)


@torch.inference_mode()
def difference(model: PreTrainedModel, ids: list[int], pair: TokenPair) -> float:
    logits = model(torch.tensor([ids]), use_cache=False).logits[0, -1]
    return float(logits[pair.correct] - logits[pair.incorrect])


def patched_by_hand(
    model: PreTrainedModel, architecture: Architecture, pair: TokenPair, at: slice, layer: int
) -> float:
    """The difference of the corrupted run with clean states at the positions `at`, after one block (0: before 1)."""
    blocks = list(model.get_submodule(architecture.blocks))
    kept: list[torch.Tensor] = []

    def keep(_module: nn.Module, _arguments: Any, output: Any) -> None:
        kept.append(states_of(output)[0, at].clone())

    def put(_module: nn.Module, _arguments: Any, output: Any) -> Any:
        states = states_of(output).clone()
        states[0, at] = kept[0]
        return with_states(output, states)

    def keep_input(_module: nn.Module, arguments: Any) -> None:
        kept.append(arguments[0][0, at].clone())

    def put_input(_module: nn.Module, arguments: Any) -> Any:
        states = arguments[0].clone()
        states[0, at] = kept[0]
        return (states, *arguments[1:])

    if layer == 0:
        handle = blocks[0].register_forward_pre_hook(keep_input)
        difference(model, pair.clean, pair)
        handle.remove()
        handle = blocks[0].register_forward_pre_hook(put_input)
        patched = difference(model, pair.corrupted, pair)
        handle.remove()
        return patched
    with hooked(blocks[layer - 1], keep):
        difference(model, pair.clean, pair)
    with hooked(blocks[layer - 1], put):
        return difference(model, pair.corrupted, pair)


def test_patched_states_are_those_of_hooks_by_hand(
    model: PreTrainedModel, architecture: Architecture
) -> None:
    """At the word, in the middle and at the end, at every layer; in passes of all runs and of three."""
    positions = [[pair.position, 3 + pair.position, len(pair.clean) - 1] for pair in PAIRS]
    ours = map_pairs(model, PAIRS, positions, tokens_per_batch=LOOSE)
    few = map_pairs(model, PAIRS, positions, tokens_per_batch=36)
    torch.testing.assert_close(few.patched_diff, ours.patched_diff, **CLOSE)
    for row, (pair, places) in enumerate(zip(PAIRS, positions, strict=True)):
        assert ours.clean_diff[row].item() == pytest.approx(
            difference(model, pair.clean, pair), abs=2e-5
        )
        for column, position in enumerate(places):
            n_tokens = pair.n_tokens if position == pair.position else 1
            at = slice(position, position + n_tokens)
            theirs = [patched_by_hand(model, architecture, pair, at, layer) for layer in LAYERS]
            torch.testing.assert_close(
                ours.patched_diff[row, column], torch.tensor(theirs), rtol=1e-5, atol=5e-5
            )
    # Layer 0 at the word restores the clean run, and the last one at the end does; inner layers do something else.
    torch.testing.assert_close(ours.patched_diff[:, 0, 0], ours.clean_diff, rtol=0, atol=5e-5)
    torch.testing.assert_close(ours.patched_diff[:, 2, -1], ours.clean_diff, rtol=0, atol=5e-5)
    assert (ours.clean_diff - ours.corrupted_diff).abs().min() > 1e-4
    assert (ours.patched_diff[:, 2, 1] - ours.corrupted_diff).abs().max() > 1e-4


def cut_by_hand(
    model: PreTrainedModel,
    architecture: Architecture,
    pair: TokenPair,
    direction: str,
    blocks: set[int],
) -> float:
    """The difference of the base run with the donor run's keys and values, by hooks on their projections."""
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

    def difference_with(hook: Any, ids: list[int]) -> float:
        handles = [projection.register_forward_hook(hook) for projection in projections]
        with_hook = difference(model, ids, pair)
        for handle in handles:
            handle.remove()
        return with_hook

    difference_with(keep, donor)
    return difference_with(put, base)


def test_cut_keys_and_values_are_those_of_hooks_by_hand(
    model: PreTrainedModel, architecture: Architecture
) -> None:
    ours = cut_pairs(model, PAIRS, [SETS] * len(PAIRS), tokens_per_batch=LOOSE)
    few = cut_pairs(model, PAIRS, [SETS] * len(PAIRS), tokens_per_batch=24)
    for direction, cut in ours.cut_diff.items():
        torch.testing.assert_close(few.cut_diff[direction], cut, **CLOSE)
        for row, pair in enumerate(PAIRS):
            theirs = [cut_by_hand(model, architecture, pair, direction, blocks) for blocks in SETS]
            torch.testing.assert_close(cut[row], torch.tensor(theirs), rtol=1e-5, atol=5e-5)
    base = ours.corrupted_diff
    assert (ours.cut_diff["denoise"][:, 0] - base).abs().max() > 1e-4
    torch.testing.assert_close(ours.cut_diff["denoise"][:, 3], ours.clean_diff, rtol=0, atol=5e-5)


def test_a_prompt_is_longer_than_the_windows() -> None:
    """Else the comparisons would say nothing of sliding windows."""
    assert max(map(len, PROMPTS)) > WINDOW
    assert len(PAIRS[1].clean) - PAIRS[1].position > WINDOW


def test_the_page_lists_the_architectures_of_these_tests() -> None:
    page = " ".join((REPOSITORY / "docs/bring-your-own.md").read_text().split())
    (listed,) = re.findall(r"are tested on (.+?)\.", page)
    assert listed.replace(" and ", ", ").split(", ") == [each.label for each in ARCHITECTURES]
