"""Patches a word's keys and values, by block: later tokens read the word only through these.

p is the position of the word's first token. Blocks count from 1 in the sets of the caller, and from
0 inside this module.
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
# The index of a direction is the index of its donor, the base run whose keys and values are put
# into the other one: denoising takes them from the clean run 0, noising from the corrupted run 1.
_DIRECTIONS = ("denoise", "noise")


class PairCut(NamedTuple):
    """logit(correct) - logit(incorrect) at the last token, on the CPU; pairs in the given order.

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
    """Patch the keys and values of all tokens of each pair's word, in the blocks of each set.

    The empty set gives the base run. If the words have equally many tokens, all queries from p on,
    the word's own included, see the patched keys and values, and all blocks together give the run
    of the other prompt. If they differ in length, only queries after the word see them
    (`TokenPair`).

    Args:
        model: A model whose blocks keep keys and values of their own.
        pairs: At least one pair.
        sets: `sets[i]` are the sets of pair i, equally many for every pair; blocks count from 1.
        directions: `denoise` puts the clean run's keys and values into the corrupted run, `noise`
            the corrupted run's into the clean run.
        tokens_per_batch: A batch holds the pairs that fit in this many tokens, at least one. Each
            prefix counts as many tokens as the longest prefix of the batch, and each run as many as
            the longest suffix (the tokens from p on). A pair whose words differ in length is a
            batch of its own.
        after_batch: Called with the number of pairs of each batch.

    Returns:
        The differences of the base runs, and of the cut runs by direction.

    Raises:
        UserError: The blocks of the model do not keep keys and values of their own, or words differ
            in length and the model does not allow that (`cuts_unequal`).
        Exception: What `map_pairs` raises.
    """
    check_pairs(model, pairs)
    check_cut(model)
    if not all(pair.equal_lengths for pair in pairs) and not cuts_unequal(model):
        raise UserError(
            f"model type '{model.config.model_type}': words of different length cannot be cut; "
            "exchange words of equally many tokens"
        )
    n_pairs = len(pairs)
    n_sets = len(sets[0])
    result = PairCut(
        clean_diff=torch.empty(n_pairs),
        corrupted_diff=torch.empty(n_pairs),
        cut_diff={direction: torch.empty(n_pairs, n_sets) for direction in directions},
    )

    in_batches, alone = split_pairs(model, pairs)
    # If the blocks cannot be split, all pairs are cut alone, and those with words of different
    # length were refused above. Otherwise only pairs with words of different length are cut alone.
    cut_alone = cut_pair if family_of(model).split_block is None else cut_unequal
    for index in alone:
        cut = cut_alone(model, pairs[index], sets[index], directions, tokens_per_batch)
        _enter(result, index, cut)
        after_batch(1)
    if not in_batches:
        return result

    cuts = _cuts(model, pairs, sets)
    batched_pairs = [pairs[index] for index in in_batches]
    runs_per_pair = 2 + len(directions) * n_sets  # the base runs and the cut runs
    for numbers in pair_batches(batched_pairs, runs_per_pair, tokens_per_batch):
        batch = [in_batches[number] for number in numbers]
        batch_pairs = [pairs[index] for index in batch]
        batch_cuts = cuts[:, :, batch].to(model.device)
        _enter(result, batch, _cut_batch(model, batch_pairs, batch_cuts, directions))
        after_batch(len(batch))
    return result


def _enter(result: PairCut, pairs: int | list[int], cut: CutPair | PairCut) -> None:
    """Enter the differences of `cut` into the result.

    `pairs` are the indices of the pairs in `cut`, or the index of its only pair.
    """
    result.clean_diff[pairs] = cut.clean_diff.cpu()
    result.corrupted_diff[pairs] = cut.corrupted_diff.cpu()
    for direction, cut_diff in cut.cut_diff.items():
        result.cut_diff[direction][pairs] = cut_diff.cpu()


def cuts_unequal(model: "PreTrainedModel") -> bool:
    """Whether keys and values of words of different length can be cut.

    This needs a family whose blocks can be split into their parts (`Family.split_block`).
    """
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

    Before its first cut block a run equals its base run. So the sets are sorted by that block, and
    each run starts there as a copy of its base run. Take a model of 3 blocks, a pair with the sets
    {2}, {} and {1, 3}, and both directions. The columns show the sets as given, the sorted sets,
    and the runs; a 1 marks a cut block.

                   as given                 sorted                   runs, of which each set has two
        set        {2}    {}     {1, 3}     {1, 3}  {2}    {}        base    {1, 3}   {2}     {}
        block 1    0      0      1          1       0      0         0  0    1  1     0  0    0  0
        block 2    1      0      0          0       1      0         0  0    0  0     1  1    0  0
        block 3    0      0      1          1       0      0         0  0    1  1     0  0    0  0
        start      1      2      0          0       1      2         0  0    0  0     1  1    2  2
        order                               2       0      1
        donor                                                        0  1    0  1     0  1    0  1

    A start is the index of the first cut block, from 0. The empty set starts at the last block, and
    its result is the base run's. Donor 0 is the clean run (denoising), donor 1 the corrupted run
    (noising). The results of one direction are every second run after the base runs, and `order`
    brings them back to the sets as given. The sets of each pair are sorted separately; a run starts
    as early as any pair needs it.
    """
    prefix = prefill(model, pairs)
    clean = embed_suffixes(prefix, [pair.clean[pair.position :] for pair in pairs])
    corrupted = embed_suffixes(prefix, [pair.corrupted[pair.position :] for pair in pairs])

    is_empty = ~cuts.any(0)
    first_blocks = torch.where(is_empty, len(cuts) - 1, cuts.int().argmax(0))
    starts, order = first_blocks.sort(0)
    sorted_cuts = cuts.take_along_dim(order[None], 1)

    donors = [_DIRECTIONS.index(direction) for direction in directions]
    n_directions = len(donors)
    n_blocks, n_sets, n_pairs = cuts.shape
    earliest_starts = starts.amin(1)  # of any pair
    base_cuts = cuts.new_zeros(n_blocks, 2, n_pairs)
    runs = _Runs(
        starts=[0, 0, *earliest_starts.repeat_interleave(n_directions).tolist()],
        donors=torch.tensor([0, 1, *donors * n_sets], device=model.device),
        cut=torch.cat([base_cuts, sorted_cuts.repeat_interleave(n_directions, 1)], 1),
        in_word=tokens_in_words(pairs).to(model.device),
    )
    outputs = _through_blocks(prefix, clean, corrupted, runs)

    answers = torch.tensor([[pair.correct, pair.incorrect] for pair in pairs])
    diffs = logit_differences(model, outputs, answers)
    cut_diff = {}
    for index, (direction, donor) in enumerate(zip(directions, donors, strict=True)):
        by_start = diffs[2 + index :: n_directions]
        as_given = torch.empty_like(by_start).scatter_(0, order, by_start)
        base = 1 - donor
        cut_diff[direction] = torch.where(is_empty, diffs[base], as_given).T
    return PairCut(diffs[0], diffs[1], cut_diff)


class _Runs(NamedTuple):
    """The runs of a batch: the clean base run 0, the corrupted base run 1, then the cut runs.

    A run has one prompt for each pair. The cut runs of a set, one for each direction, are
    neighbours.

    - `starts`: the block, from 0, before which a run equals its base run; ascending.
    - `donors`: the base run from which the run takes keys and values, 0 or 1; the run starts as a
      copy of the other base run. Base runs take none, so the first two entries have no effect.
    - `cut`: whether the run takes the donor's keys and values in a block.
    - `in_word`: which tokens from p on are the word's.
    """

    starts: list[int]
    donors: Int[torch.Tensor, " run"]
    cut: Bool[torch.Tensor, "block run prompt"]
    in_word: Bool[torch.Tensor, "prompt token"]


def _through_blocks(
    prefix: Prefix, clean: Suffix, corrupted: Suffix, runs: _Runs
) -> Float[torch.Tensor, "run prompt d_model"]:
    """The outputs of the last block at the last tokens."""
    n_word_tokens = runs.in_word.shape[1]  # of the longest word
    at_word = layout_of(prefix, clean.layout.columns[:, :n_word_tokens], clean.n_columns)

    residual = clean.residual.new_empty(len(runs.starts), *clean.residual.shape)
    residual[0] = clean.residual
    residual[1] = corrupted.residual
    n_started = 2
    for index, block in enumerate(prefix.blocks):
        n_before = n_started
        n_started = sum(start <= index for start in runs.starts)
        for run in range(n_before, n_started):
            base = 1 - runs.donors[run]
            residual[run] = residual[base]

        # The word's keys and values in both base runs.
        normed = block.norm(residual[:2, :, :n_word_tokens])
        keys = block.keys(normed, at_word.rope)
        values = block.values(normed)
        queries = clean.at_end if block is prefix.blocks[-1] else clean.layout
        # Every block but the last overwrites `residual`; the last returns only the last tokens.
        outputs = []
        for rows in run_slices(residual[:n_started]):
            chunk = slice(rows.start, min(rows.stop, n_started))
            donors = runs.donors[chunk]
            is_replaced = runs.cut[index, chunk][..., None] & runs.in_word
            swap = WordSwap(keys[donors], values[donors], is_replaced[:, :, None])  # in all heads
            outputs.append(
                through_block(prefix, index, residual[chunk], clean.layout, queries, swap)
            )
    return torch.cat(outputs)[:, :, 0]


def _cuts(
    model: "PreTrainedModel", pairs: Sequence[TokenPair], sets: Sequence[Sequence[Collection[int]]]
) -> _Cuts:
    """Which blocks, from 0, are in each set of each pair.

    Two pairs with the sets [{1}, {2}] and [{2}, {1, 2}] in a model of 2 blocks give the following
    matrices, sets in rows and pairs in columns:

        block 1:  1 0    block 2:  0 1
                  0 1              1 1
    """
    n_blocks = len(find_modules(model).blocks)
    cuts = torch.zeros(n_blocks, len(sets[0]), len(pairs), dtype=torch.bool)
    for pair, pair_sets in enumerate(sets):
        for index, blocks in enumerate(pair_sets):
            cuts[[block - 1 for block in blocks], index, pair] = True
    return cuts
