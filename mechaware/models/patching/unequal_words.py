"""Cutting of keys and values where the two words of a pair differ in length (`runs.TokenPair`), one pair at a time.

In a cut block the tokens after the word see the other prompt's word instead of their own. Nothing before them changes,
so only these tokens are run again.
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

# Positions in a prompt, from 0; negative where a longer word begins before the prompt's first token.
_Positions = Int[torch.Tensor, " token"]


class _BaseRun(NamedTuple):
    """The unpatched run of a prompt: the positions of its word, and the normed input of every block."""

    start: int  # of the word
    end: int  # the first position after it
    embedded: Float[torch.Tensor, "1 1 pos d_model"]
    normed: list[States]
    diff: Float[torch.Tensor, ""]


class _Segment(NamedTuple):
    """Consecutive tokens: the positions at which they are seen, and their rope (None for a family without rope)."""

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
    """Patch the keys and values of the pair's word in the blocks of each set, as `kv_cut.cut_pairs` does.

    A pass holds as many runs as fit `tokens_per_batch` tokens, and at least one.
    """
    # A prefix without tokens: the base runs read whole prompts.
    empty = prefill(model, [pair._replace(position=0)])
    answers = torch.tensor([[pair.correct, pair.incorrect]])
    start = pair.position
    clean = _base_run(empty, pair.clean, start, start + pair.n_tokens, answers)
    corrupted = _base_run(empty, pair.corrupted, start, start + pair.n_corrupted, answers)

    is_cut = torch.zeros(len(empty.blocks), len(sets), dtype=torch.bool, device=model.device)
    for number, blocks in enumerate(sets):
        is_cut[[block - 1 for block in blocks], number] = True

    at_once = max(1, tokens_per_batch // max(len(pair.clean), len(pair.corrupted)))
    cut_diff = {}
    for direction in directions:
        base, donor = (corrupted, clean) if direction == "denoise" else (clean, corrupted)
        diffs = []
        for part in torch.split(is_cut, at_once, 1):
            diffs.append(_cut(empty, base, donor, part, answers))
        cut_diff[direction] = torch.cat(diffs).cpu()
    return CutPair(clean.diff.cpu(), corrupted.diff.cpu(), cut_diff)


def _base_run(
    empty: Prefix, ids: Sequence[int], start: int, end: int, answers: Int[torch.Tensor, "1 2"]
) -> _BaseRun:
    """The run of the prompt `ids`, whose word has the positions `start` to `end`, exclusive."""
    suffix = embed_suffixes(empty, [ids])
    residual = suffix.residual[None].clone()
    normed = []
    for index, block in enumerate(empty.blocks):
        normed.append(block.norm(residual))
        through_block(empty, index, residual, suffix.layout, suffix.layout)
    (diff,) = logit_differences(empty.model, residual[:, :, -1], answers)[0]
    return _BaseRun(start, end, suffix.residual[None], normed, diff)


def _cut(
    empty: Prefix,
    base: _BaseRun,
    donor: _BaseRun,
    is_cut: Bool[torch.Tensor, "block run"],
    answers: Int[torch.Tensor, "1 2"],
) -> Float[torch.Tensor, " run"]:
    """The differences in runs of the base prompt with the donor's word in the blocks that `is_cut`.

    The donor's word ends where the base's own word ends, so the tokens after it are as far from its last token as from
    the last token of their own word. For the base prompt `a b W W c d` and a donor's word of three tokens, V V V:

        position      0  1  2  3  4  5
        before        a  b
        own word            W  W
        other word       V  V  V
        after                     c  d

    The tokens before the word see neither word, so only those after it are run again.
    """
    model = empty.model
    n_tokens = base.embedded.shape[2]
    before = _segment(model, 0, base.start)
    own_word = _segment(model, base.start, base.end)
    other_word = _segment(model, base.end - (donor.end - donor.start), base.end)
    after = _segment(model, base.end, n_tokens)

    residual = base.embedded[:, :, base.end :].repeat(is_cut.shape[1], 1, 1, 1)
    for index, block in enumerate(empty.blocks):
        of_base = base.normed[index]
        of_donor = donor.normed[index]
        prefix = _keys_values(block, of_base[:, :, : base.start], before)
        own = _keys_values(block, of_base[:, :, base.start : base.end], own_word)
        other = _keys_values(block, of_donor[:, :, donor.start : donor.end], other_word)

        normed = block.norm(residual)
        queries = block.queries(normed, after.rope)
        suffix = _keys_values(block, normed, after)

        z = torch.empty_like(queries).transpose(2, 3).flatten(3)
        for word, runs in ((own, ~is_cut[index]), (other, is_cut[index])):
            if runs.any():
                parts = (prefix, word, suffix)
                z[runs] = _attend(block, queries[runs], parts, after.positions, runs)
        block.write_outputs(residual, z)
    return logit_differences(model, residual[:, :, -1], answers)[:, 0]


def _segment(model: "PreTrainedModel", start: int, end: int) -> _Segment:
    """The tokens at the positions `start` to `end`, exclusive."""
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
    runs: Bool[torch.Tensor, " every_run"],
) -> Float[torch.Tensor, "run 1 query d_z"]:
    """The heads' z in some `runs`, which read the keys of all parts. A part with a single run is shared by all runs."""

    def gather(heads: Sequence[torch.Tensor]) -> torch.Tensor:
        of_runs = [part.expand(len(runs), -1, -1, -1, -1)[runs] for part in heads]
        return torch.cat(of_runs, -2)

    keys = gather([part.keys for part in parts])
    values = gather([part.values for part in parts])
    positions = torch.cat([part.positions for part in parts])
    mask = _mask(query_positions, positions, block, queries.dtype)
    return block.attend(queries, keys, values, mask)


def _mask(
    queries: Int[torch.Tensor, " query"],
    keys: Int[torch.Tensor, " key"],
    block: Block,
    dtype: torch.dtype,
) -> Mask:
    """0 where a token at one of the positions `queries` sees the token at a position of `keys`, else minus infinity."""
    distance = queries[:, None] - keys
    seen = distance >= 0
    if block.window is not None:
        seen &= distance < block.window
    mask = torch.zeros_like(distance, dtype=dtype).masked_fill_(~seen, -torch.inf)
    return mask[None]
