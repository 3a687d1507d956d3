"""Cuts keys and values of one pair whose words differ in length (`runs.TokenPair`).

In a cut block the tokens after the word see the other prompt's word instead of their own. Nothing
before these tokens changes, so only they are run again.
"""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple

import torch
from jaxtyping import Bool, Float, Int

from mechaware.models.families.family import Block, Heads, Mask, Rope, States
from mechaware.models.families.supported import family_of
from mechaware.models.patching.by_hooks import CutPair
from mechaware.models.patching.runs import (
    Prefix,
    TokenPair,
    embed_suffixes,
    logit_differences,
    prefill,
    through_block,
)

if TYPE_CHECKING:
    from transformers import PreTrainedModel

# Positions in a prompt, from 0; negative if a longer word begins before the prompt's first token.
_Positions = Int[torch.Tensor, " token"]


class _BaseRun(NamedTuple):
    """The unpatched run of a prompt, whose axes of runs and prompts have length 1.

    - `start`: the position of the word's first token.
    - `end`: the first position after the word.
    - `embedded`: the residual stream before block 1.
    - `normed`: the normed input of every block.
    - `diff`: logit(correct) - logit(incorrect) at the last token.
    """

    start: int
    end: int
    embedded: Float[torch.Tensor, "1 1 pos d_model"]
    normed: list[States]
    diff: Float[torch.Tensor, ""]


class _Segment(NamedTuple):
    """Consecutive tokens: the positions at which they are seen, and the rope at these positions.

    `rope` is None for a family without it.
    """

    positions: _Positions
    rope: Rope | None


class _KeysValues(NamedTuple):
    """Keys (rotated) and values of some tokens, and the positions at which they are seen."""

    keys: Heads
    values: Heads
    positions: _Positions


@torch.inference_mode()
def cut_unequal(
    model: "PreTrainedModel",
    pair: TokenPair,
    sets: Sequence[Collection[int]],
    directions: Sequence[str],
    tokens_per_batch: int,
) -> CutPair:
    """Patch the keys and values of the pair's word in the blocks of each set.

    Blocks count from 1. Arguments and results are as in `kv_cut.cut_pairs`, for one pair. A pass
    holds as many runs as fit `tokens_per_batch` tokens, and at least one.
    """
    # With the word at position 0 the prefix has no tokens, and the base runs read whole prompts.
    empty_prefix = prefill(model, [pair._replace(position=0)])
    answers = torch.tensor([[pair.correct, pair.incorrect]])
    start = pair.position
    clean = _base_run(empty_prefix, pair.clean, start, start + pair.n_tokens, answers)
    corrupted = _base_run(empty_prefix, pair.corrupted, start, start + pair.n_corrupted, answers)

    n_blocks = len(empty_prefix.blocks)
    is_cut = torch.zeros(n_blocks, len(sets), dtype=torch.bool, device=model.device)
    for index, blocks in enumerate(sets):
        is_cut[[block - 1 for block in blocks], index] = True

    n_tokens = max(len(pair.clean), len(pair.corrupted))
    runs_at_once = max(1, tokens_per_batch // n_tokens)
    cut_diff = {}
    for direction in directions:
        base, donor = (corrupted, clean) if direction == "denoise" else (clean, corrupted)
        diffs = []
        for part in torch.split(is_cut, runs_at_once, 1):
            diffs.append(_cut(empty_prefix, base, donor, part, answers))
        cut_diff[direction] = torch.cat(diffs).cpu()
    return CutPair(clean.diff.cpu(), corrupted.diff.cpu(), cut_diff)


def _base_run(
    empty_prefix: Prefix,
    ids: Sequence[int],
    start: int,
    end: int,
    answers: Int[torch.Tensor, "1 2"],
) -> _BaseRun:
    """The run of the prompt `ids`, whose word has the positions from `start` to before `end`."""
    suffix = embed_suffixes(empty_prefix, [ids])
    embedded = suffix.residual[None]
    residual = embedded.clone()
    normed = []
    for index, block in enumerate(empty_prefix.blocks):
        normed.append(block.norm(residual))
        # The block's output overwrites `residual`.
        through_block(empty_prefix, index, residual, suffix.layout, suffix.layout)
    (diff,) = logit_differences(empty_prefix.model, residual[:, :, -1], answers)[0]
    return _BaseRun(start, end, embedded, normed, diff)


def _cut(
    empty_prefix: Prefix,
    base: _BaseRun,
    donor: _BaseRun,
    is_cut: Bool[torch.Tensor, "block run"],
    answers: Int[torch.Tensor, "1 2"],
) -> Float[torch.Tensor, " run"]:
    """The logit differences in runs of the base prompt, with the donor's word in the cut blocks.

    The donor's word ends where the base's own word ends, so the tokens after it are as far from its
    last token as from the last token of their own word. For the base prompt `a b W W c d` and a
    donor's word of three tokens, V V V, the segments are

        position        0  1  2  3  4  5
        before_word     a  b
        own_word              W  W
        donor_word         V  V  V
        after_word                  c  d

    The tokens before the word see neither word, so only the tokens after it are run again.
    """
    model = empty_prefix.model
    n_tokens = base.embedded.shape[2]
    before_word = _segment(model, 0, base.start)
    own_word = _segment(model, base.start, base.end)
    donor_word = _segment(model, base.end - (donor.end - donor.start), base.end)
    after_word = _segment(model, base.end, n_tokens)

    # The states of the tokens after the word, in every run.
    residual = base.embedded[:, :, base.end :].repeat(is_cut.shape[1], 1, 1, 1)
    for index, block in enumerate(empty_prefix.blocks):
        base_normed = base.normed[index]
        donor_normed = donor.normed[index]
        normed = block.norm(residual)
        before = _keys_values(block, base_normed[:, :, : base.start], before_word)
        own = _keys_values(block, base_normed[:, :, base.start : base.end], own_word)
        other = _keys_values(block, donor_normed[:, :, donor.start : donor.end], donor_word)
        after = _keys_values(block, normed, after_word)

        queries = block.queries(normed, after_word.rope)
        z = torch.empty_like(queries).transpose(2, 3).flatten(3)  # run, 1, query, d_z
        for word, is_run in ((own, ~is_cut[index]), (other, is_cut[index])):
            if is_run.any():
                parts = (before, word, after)
                z[is_run] = _attend(block, queries[is_run], parts, after_word.positions, is_run)
        block.write_outputs(residual, z)
    return logit_differences(model, residual[:, :, -1], answers)[:, 0]


def _segment(model: "PreTrainedModel", start: int, end: int) -> _Segment:
    """The tokens at the positions from `start` to before `end`."""
    positions = torch.arange(start, end, device=model.device)
    embed_rotary = family_of(model).rope
    rope = None if embed_rotary is None else embed_rotary(model, positions[None])
    return _Segment(positions, rope)


def _keys_values(block: Block, normed: States, segment: _Segment) -> _KeysValues:
    """The keys and values of a segment's normed states."""
    return _KeysValues(block.keys(normed, segment.rope), block.values(normed), segment.positions)


def _attend(
    block: Block,
    queries: Float[torch.Tensor, "run 1 head query d_head"],
    parts: Sequence[_KeysValues],
    query_positions: _Positions,
    is_run: Bool[torch.Tensor, " every_run"],
) -> Float[torch.Tensor, "run 1 query d_z"]:
    """The heads' z in the runs that `is_run` selects, whose tokens read the keys of all parts.

    `queries` are those of the selected runs; a part has the keys and values of every run, or of a
    single run, which all runs share.
    """

    def gather(heads: Sequence[torch.Tensor]) -> torch.Tensor:
        of_runs = [part.expand(len(is_run), -1, -1, -1, -1)[is_run] for part in heads]
        return torch.cat(of_runs, -2)

    keys = gather([part.keys for part in parts])
    values = gather([part.values for part in parts])
    positions = torch.cat([part.positions for part in parts])
    mask = _mask(query_positions, positions, block, queries.dtype)
    return block.attend(queries, keys, values, mask)


def _mask(
    query_positions: Int[torch.Tensor, " query"],
    key_positions: Int[torch.Tensor, " key"],
    block: Block,
    dtype: torch.dtype,
) -> Mask:
    """0 where the token at a query position sees the token at a key position, else minus infinity.

    A token sees itself and earlier tokens, within the block's window if it has one.
    """
    distance = query_positions[:, None] - key_positions
    seen = distance >= 0
    if block.window is not None:
        seen &= distance < block.window
    mask = torch.zeros_like(distance, dtype=dtype).masked_fill_(~seen, -torch.inf)
    return mask[None]  # the axis of prompts
