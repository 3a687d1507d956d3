"""Patching of a word's keys and values, block by block: only through these do later tokens read the word.

p is the position of the word's first token.
"""

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple

import torch
from jaxtyping import Bool, Float, Int

from mechaware.core.errors import UserError
from mechaware.models.families.supported import family_of, find_modules
from mechaware.models.patching.by_hooks import CutPair, cut_pair
from mechaware.models.patching.runs import (
    Prefix,
    Suffix,
    TokenPair,
    WordSwap,
    check_pairs,
    embed_suffixes,
    layout_of,
    logit_differences,
    pair_batches,
    prefill,
    run_slices,
    split_pairs,
    through_block,
    tokens_in_words,
)
from mechaware.models.patching.unequal_words import cut_unequal

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_Cuts = Bool[torch.Tensor, "block set pair"]
# In the order of the base runs that give the keys and values: clean, corrupted.
_DIRECTIONS = ("denoise", "noise")


class PairCut(NamedTuple):
    """logit(correct) - logit(incorrect) at the last token of each pair, in the order given, on the CPU.

    `cut_diff` has, by direction, a column for each set of the pair.
    """

    clean_diff: Float[torch.Tensor, " pair"]
    corrupted_diff: Float[torch.Tensor, " pair"]
    cut_diff: dict[str, Float[torch.Tensor, "pair set"]]


def cut_pairs(
    model: "PreTrainedModel",
    pairs: Sequence[TokenPair],
    sets: Sequence[Sequence[Collection[int]]],
    *,
    directions: Sequence[str] = _DIRECTIONS,
    tokens_per_batch: int,
    after_batch: Callable[[int], object] = lambda _n_pairs: None,
) -> PairCut:
    """Patch the keys and values of all tokens of every pair's word, in the blocks of each of its sets.

    The empty set gives the base run. If the words have equally many tokens, all queries from p on, the word's own
    included, see the patched keys and values, and all blocks together give the run of the other prompt. If they differ
    in length, only queries after the word see them (`TokenPair`).

    Args:
        model: A model whose blocks keep keys and values of their own.
        pairs: At least one pair.
        sets: `sets[i]` are the sets of pair i, equally many for every pair; blocks count from 1.
        directions: `denoise` puts the clean run's keys and values into the corrupted run, `noise` the corrupted run's
            into the clean run.
        tokens_per_batch: A batch holds as many pairs as fit so many tokens, and at least one; prefixes and runs count
            with the width of the widest. A pair whose words differ in length is a batch of its own.
        after_batch: Called with the number of pairs of each batch.

    Returns:
        The differences of the base runs, and of the cut runs by direction.

    Raises:
        UserError: The blocks of the model do not keep keys and values of their own, or words differ in length and the
            model does not allow that (`cuts_unequal`).
        Exception: What `map_pairs` raises.
    """
    check_pairs(model, pairs)
    check_cut(model)
    if not all(pair.equal_lengths for pair in pairs) and not cuts_unequal(model):
        raise UserError(
            f"model type '{model.config.model_type}': words of different length cannot be cut; exchange words of "
            "equally many tokens"
        )
    result = PairCut(
        torch.empty(len(pairs)),
        torch.empty(len(pairs)),
        {direction: torch.empty(len(pairs), len(sets[0])) for direction in directions},
    )

    in_batches, alone = split_pairs(model, pairs)
    cut_alone = cut_pair if family_of(model).split_block is None else cut_unequal
    for index in alone:
        by_pair = cut_alone(model, pairs[index], sets[index], directions, tokens_per_batch)
        _enter(result, index, by_pair)
        after_batch(1)
    if not in_batches:
        return result

    cuts = _cuts(model, pairs, sets)
    chosen = [pairs[index] for index in in_batches]
    n_runs = 2 + len(directions) * len(sets[0])
    for numbers in pair_batches(chosen, n_runs, tokens_per_batch):
        batch = [in_batches[number] for number in numbers]
        cuts_of_batch = cuts[:, :, batch].to(model.device)
        cut = _cut_batch(model, [pairs[index] for index in batch], cuts_of_batch, directions)
        result.clean_diff[batch] = cut.clean_diff.cpu()
        result.corrupted_diff[batch] = cut.corrupted_diff.cpu()
        for direction in directions:
            result.cut_diff[direction][batch] = cut.cut_diff[direction].cpu()
        after_batch(len(batch))
    return result


def _enter(result: PairCut, index: int, by_pair: CutPair) -> None:
    """Enter the differences of one pair into the result."""
    result.clean_diff[index] = by_pair.clean_diff
    result.corrupted_diff[index] = by_pair.corrupted_diff
    for direction, cut_diff in by_pair.cut_diff.items():
        result.cut_diff[direction][index] = cut_diff


def cuts_unequal(model: "PreTrainedModel") -> bool:
    """Whether keys and values of words of different length can be cut, which needs blocks that are known in parts."""
    return family_of(model).split_block is not None


def check_cut(model: "PreTrainedModel") -> None:
    """Raise `UserError` for a model whose blocks do not keep keys and values of their own."""
    family = family_of(model)
    if family.cut_refusal is not None:
        raise UserError(
            f"model type '{family.model_type}': its keys and values cannot be cut block by block "
            f"({family.cut_refusal}); choose another model"
        )


@torch.inference_mode()
def _cut_batch(
    model: "PreTrainedModel", pairs: list[TokenPair], cuts: _Cuts, directions: Sequence[str]
) -> PairCut:
    """One batch in all directions; results as in `cut_pairs`, on the model's device.

    Until its first cut block a run equals its base run, so the sets are sorted by that block and their runs start in
    turn. Take a model of 3 blocks, a pair with the sets {2}, {} and {1, 3}, and both directions. The columns show the
    sets as given, the sorted sets, and the runs; a 1 marks a cut block.

                   as given                 sorted                   runs, of which each set has two
        set        {2}    {}     {1, 3}     {1, 3}  {2}    {}        base    {1, 3}   {2}     {}
        block 1    0      0      1          1       0      0         0  0    1  1     0  0    0  0
        block 2    1      0      0          0       1      0         0  0    0  0     1  1    0  0
        block 3    0      0      1          1       0      0         0  0    1  1     0  0    0  0
        start      1      2      0          0       1      2         0  0    0  0     1  1    2  2
        order                               2       0      1
        donor                                                        0  1    0  1     0  1    0  1

    A start is the index of the first cut block; the empty set starts at the last block, and its result is the base
    run's. Donor 0 is the clean run (denoising), 1 the corrupted one (noising). The results of one direction are every
    second run after the base runs, and `order` brings them back to the sets as given. The sets of each pair are sorted
    separately; a run starts as early as any pair needs it.
    """
    prefix = prefill(model, pairs)
    clean = embed_suffixes(prefix, [pair.clean[pair.position :] for pair in pairs])
    corrupted = embed_suffixes(prefix, [pair.corrupted[pair.position :] for pair in pairs])

    is_empty = ~cuts.any(0)
    first_blocks = torch.where(is_empty, len(cuts) - 1, cuts.int().argmax(0))
    starts, order = first_blocks.sort(0)
    cuts = cuts.take_along_dim(order[None], 1)

    donors = [_DIRECTIONS.index(direction) for direction in directions]
    n_directions = len(donors)
    not_cut = cuts.new_zeros(len(cuts), 2, *cuts.shape[2:])
    runs = _Runs(
        starts=[0, 0, *starts.amin(1).repeat_interleave(n_directions).tolist()],
        donors=torch.tensor([0, 1, *donors * len(order)], device=model.device),
        cut=torch.cat([not_cut, cuts.repeat_interleave(n_directions, 1)], 1),
        in_word=tokens_in_words(pairs).to(model.device),
    )
    outputs = _through_blocks(prefix, clean, corrupted, runs)

    answers = torch.tensor([[pair.correct, pair.incorrect] for pair in pairs])
    diffs = logit_differences(model, outputs, answers)
    cut_diff = {}
    for index, (direction, donor) in enumerate(zip(directions, donors, strict=True)):
        by_start = diffs[2 + index :: n_directions]
        as_given = torch.empty_like(by_start).scatter_(0, order, by_start)
        base_diff = diffs[1 - donor]
        cut_diff[direction] = torch.where(is_empty, base_diff, as_given).T
    return PairCut(diffs[0], diffs[1], cut_diff)


class _Runs(NamedTuple):
    """The runs of a batch: the clean base run, the corrupted one, then the sets, all directions of a set together."""

    starts: list[int]  # the block, from 0, before which a run equals its base run; ascending
    # The base run whose keys and values are put into the other one: 0 the clean run, 1 the corrupted run.
    donors: Int[torch.Tensor, " run"]
    cut: Bool[torch.Tensor, "block run prompt"]  # where the donor's keys and values are put
    in_word: Bool[torch.Tensor, "prompt token"]  # which tokens from p on are the word's


def _through_blocks(
    prefix: Prefix, clean: Suffix, corrupted: Suffix, all_runs: _Runs
) -> Float[torch.Tensor, "run prompt d_model"]:
    """The outputs of the last block at the last tokens."""
    starts, donors, cut, in_word = all_runs
    n_word = in_word.shape[1]  # tokens of the longest word
    at_word = layout_of(prefix, clean.layout.columns[:, :n_word], clean.n_columns)

    residual = clean.residual.new_empty(len(starts), *clean.residual.shape)
    residual[0] = clean.residual
    residual[1] = corrupted.residual
    n_started = 2
    for index, block in enumerate(prefix.blocks):
        n_before = n_started
        n_started = sum(start <= index for start in starts)
        for run in range(n_before, n_started):
            residual[run] = residual[1 - donors[run]]  # so far it equals its base run

        normed = block.norm(residual[:2, :, :n_word])
        keys = block.keys(normed, at_word.rope)
        values = block.values(normed)
        queries = clean.at_end if block is prefix.blocks[-1] else clean.layout
        # Every block but the last overwrites `residual`; the last one's outputs are those at the last tokens alone.
        outputs = []
        for rows in run_slices(residual[:n_started]):
            started = slice(rows.start, min(rows.stop, n_started))
            replaced = cut[index, started][..., None] & in_word
            in_all_heads = replaced[:, :, None]
            swap = WordSwap(keys[donors[started]], values[donors[started]], in_all_heads)
            outputs.append(
                through_block(prefix, index, residual[started], clean.layout, queries, swap)
            )
    return torch.cat(outputs)[:, :, 0]


def _cuts(
    model: "PreTrainedModel", pairs: Sequence[TokenPair], sets: Sequence[Sequence[Collection[int]]]
) -> _Cuts:
    """Which blocks, from 0, are in each set of each pair.

    Two pairs with the sets [{1}, {2}] and [{2}, {1, 2}] in a model of 2 blocks give, by block, set x pair:

        block 1:  1 0    block 2:  0 1
                  0 1              1 1
    """
    n_blocks = len(find_modules(model).blocks)
    cuts = torch.zeros(n_blocks, len(sets[0]), len(pairs), dtype=torch.bool)
    for pair, pair_sets in enumerate(sets):
        for index, blocks in enumerate(pair_sets):
            cuts[[block - 1 for block in blocks], index, pair] = True
    return cuts
