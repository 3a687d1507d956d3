"""Patching of one pair by the model's own forward pass.

It is used for architectures whose blocks cannot be split into their parts (`Family.split_block`),
and for states of pairs whose words differ in length. Every patched run is a whole pass. The runs
in a pass have equally many tokens, so nothing is padded.
"""

from collections.abc import Collection, Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import torch
from jaxtyping import Float

from mechaware.models.families.own_forward import (
    KeyValueCache,
    KeyValueSwap,
    StateSwap,
    keeping_states,
    last_logits,
    swapping_states,
)
from mechaware.models.families.supported import find_modules
from mechaware.models.patching.runs import TokenPair

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_Item = TypeVar("_Item")


class MappedPair(NamedTuple):
    """logit(correct) - logit(incorrect) at the last token of one pair, on the CPU."""

    clean_diff: Float[torch.Tensor, ""]
    corrupted_diff: Float[torch.Tensor, ""]
    patched_diff: Float[torch.Tensor, "position layer"]


class CutPair(NamedTuple):
    """logit(correct) - logit(incorrect) at the last token of one pair, on the CPU.

    `cut_diff` has the cut runs by direction (`denoise`, `noise`), one for each set of blocks.
    """

    clean_diff: Float[torch.Tensor, ""]
    corrupted_diff: Float[torch.Tensor, ""]
    cut_diff: dict[str, Float[torch.Tensor, " set"]]


@torch.inference_mode()
def map_pair(
    model: "PreTrainedModel",
    pair: TokenPair,
    positions: Sequence[int],
    layers: Sequence[int],
    tokens_per_batch: int,
) -> MappedPair:
    """Put the clean state at each position and layer into the corrupted run, one at a time, as
    `map_pairs` does.

    Layer 0 is the residual stream before block 1, and layer l the residual stream after block l. A
    pass holds as many runs as fit `tokens_per_batch` tokens, and at least one.
    """
    blocks = find_modules(model).blocks
    with keeping_states(blocks) as clean_states:
        clean_diff = _differences(model, pair, [pair.clean])[0]
    corrupted_diff = _differences(model, pair, [pair.corrupted])[0]

    patches = list(product(positions, layers))
    patched = []
    for part in _parts(patches, len(pair.corrupted), tokens_per_batch):
        swaps = []
        for row, (position, layer) in enumerate(part):
            sources, tokens = _tokens_at(pair, position)
            swaps.append(StateSwap(row, layer, tokens, clean_states[layer][0, sources]))
        with swapping_states(blocks, swaps):
            patched.append(_differences(model, pair, [pair.corrupted] * len(part)))
    by_layer = torch.cat(patched).view(len(positions), len(layers))
    return MappedPair(clean_diff, corrupted_diff, by_layer)


@torch.inference_mode()
def cut_pair(
    model: "PreTrainedModel",
    pair: TokenPair,
    sets: Sequence[Collection[int]],
    directions: Sequence[str],
    tokens_per_batch: int,
) -> CutPair:
    """Patch the keys and values of the pair's word in the blocks (from 1) of each set, as
    `cut_pairs` does.

    The words of the pair must have equally many tokens. A pass holds as many runs as fit
    `tokens_per_batch` tokens, and at least one.
    """
    prompts = {"clean": pair.clean, "corrupted": pair.corrupted}
    caches = {name: KeyValueCache() for name in prompts}
    base_diffs = {}
    for name, ids in prompts.items():
        base_diffs[name] = _differences(model, pair, [ids], caches[name])[0]

    word, _ = _tokens_at(pair, pair.position)
    cut_diff = {}
    for direction in directions:
        base, donor = ("corrupted", "clean") if direction == "denoise" else ("clean", "corrupted")
        kept = caches[donor].kept
        diffs = []
        for part in _parts(sets, len(pair.clean), tokens_per_batch):
            swaps = []
            for row, cut_blocks in enumerate(part):
                for block in cut_blocks:
                    keys, values = kept[block - 1]
                    word_keys = keys[0][:, word]
                    word_values = values[0][:, word]
                    swaps.append(KeyValueSwap(row, block - 1, word, word_keys, word_values))
            rows = [prompts[base]] * len(part)
            diffs.append(_differences(model, pair, rows, KeyValueCache(swaps)))
        cut_diff[direction] = torch.cat(diffs)
    return CutPair(base_diffs["clean"], base_diffs["corrupted"], cut_diff)


def _tokens_at(pair: TokenPair, position: int) -> tuple[list[int], list[int]]:
    """The tokens to patch at a position of the clean prompt, and the tokens in their place in the
    corrupted prompt.

    Tokens are given by their positions. At the word's first position they are all tokens of the
    word; if the words differ in length, only their last tokens. At any other position they are one
    token.
    """
    if position != pair.position:
        from_end = position - len(pair.clean)
        return [position], [len(pair.corrupted) + from_end]

    n_patched = pair.n_tokens if pair.equal_lengths else 1
    clean_end = position + pair.n_tokens
    corrupted_end = position + pair.n_corrupted
    clean = list(range(clean_end - n_patched, clean_end))
    corrupted = list(range(corrupted_end - n_patched, corrupted_end))
    return clean, corrupted


def _parts(items: Sequence[_Item], length: int, tokens_per_batch: int) -> Iterator[Sequence[_Item]]:
    """The items, each of `length` tokens, in parts that fit `tokens_per_batch` or have one item."""
    step = max(1, tokens_per_batch // length)
    for start in range(0, len(items), step):
        yield items[start : start + step]


def _differences(
    model: "PreTrainedModel",
    pair: TokenPair,
    rows: Sequence[Sequence[int]],
    cache: KeyValueCache | None = None,
) -> Float[torch.Tensor, " row"]:
    """logit(correct) - logit(incorrect) at the last token of each row."""
    logits = last_logits(model, torch.tensor(rows), cache).cpu()
    return logits[:, pair.correct] - logits[:, pair.incorrect]
