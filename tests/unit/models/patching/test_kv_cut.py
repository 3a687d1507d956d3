"""Patching of keys and values against a naive loop over transformers' hooks, for every family.

A block is cut if the word's keys and values in it are replaced by those of the other prompt's run.
Each pair has several sets of blocks, and the blocks of a set are cut together.
"""

import random
from collections.abc import Collection
from itertools import cycle, islice

import pytest
import torch
from transformers import PreTrainedModel

from mechaware.models.patching.kv_cut import PairCut, cut_pairs
from mechaware.models.patching.runs import TokenPair
from tests.unit.models.patching.naive_patching import (
    BASE_AND_DONOR,
    LOOSE,
    N_LAYERS,
    NaiveCut,
    random_pairs,
)

BLOCKS = range(1, N_LAYERS + 1)


def pair_by_pair(
    naive: NaiveCut, pairs: list[TokenPair], sets: list[list[Collection[int]]]
) -> PairCut:
    """What `cut_pairs` returns, computed for one pair, one direction and one set at a time."""
    clean = torch.tensor([naive.loop.difference(pair.clean, pair) for pair in pairs])
    corrupted = torch.tensor([naive.loop.difference(pair.corrupted, pair) for pair in pairs])
    cut_diff = {}
    for direction in BASE_AND_DONOR:
        by_pair = []
        for pair, sets_of_pair in zip(pairs, sets, strict=True):
            by_pair.append([naive.patched(pair, direction, blocks) for blocks in sets_of_pair])
        cut_diff[direction] = torch.tensor(by_pair)
    return PairCut(clean, corrupted, cut_diff)


def assert_close(ours: PairCut, theirs: PairCut, atol: float) -> None:
    """All logit differences of `ours` equal those of `theirs`, up to `atol`."""
    closeness = {"rtol": 0, "atol": atol, "check_dtype": False}
    torch.testing.assert_close(ours.clean_diff, theirs.clean_diff, **closeness)
    torch.testing.assert_close(ours.corrupted_diff, theirs.corrupted_diff, **closeness)
    assert set(ours.cut_diff) == set(theirs.cut_diff)
    for direction, cut in theirs.cut_diff.items():
        torch.testing.assert_close(ours.cut_diff[direction], cut, **closeness)


def single_blocks(n_pairs: int) -> list[list[Collection[int]]]:
    """For every pair, a set with each block alone, then the set of all blocks."""
    sets: list[Collection[int]] = [{block} for block in BLOCKS]
    sets.append(set(BLOCKS))
    return [sets] * n_pairs


def random_sets(n_pairs: int, n_sets: int = 4) -> list[list[Collection[int]]]:
    """For every pair, random sets of blocks, some of them empty."""
    generator = random.Random(5)  # noqa: S311 - not a secret
    by_pair = []
    for _ in range(n_pairs):
        sets: list[Collection[int]] = []
        for _ in range(n_sets):
            # A set of one block is twice as likely as any other size.
            size = generator.choice((0, 1, 1, 2, 3))
            sets.append(generator.sample(BLOCKS, size))
        by_pair.append(sets)
    return by_pair


def test_the_cut_equals_a_loop_of_hooks_over_transformers(tiny: PreTrainedModel) -> None:
    pairs = random_pairs(tiny.config.vocab_size)
    singles = single_blocks(len(pairs))
    mixed = random_sets(len(pairs), n_sets=2)
    # In the sets of a pair, index i < N_LAYERS cuts block i + 1 alone, index N_LAYERS all blocks.
    sets = [first + others for first, others in zip(singles, mixed, strict=True)]
    ours = cut_pairs(tiny, pairs, sets, tokens_per_batch=LOOSE)
    assert_close(ours, pair_by_pair(NaiveCut(tiny), pairs, sets), atol=2e-5)

    # Each block cut alone changes the difference, in either direction.
    bases = {"denoise": ours.corrupted_diff, "noise": ours.clean_diff}
    for direction, cut in ours.cut_diff.items():
        change = cut[:, :N_LAYERS] - bases[direction][:, None]
        assert change.abs().mean(0).min() > 0.01

    # All blocks cut together give the run of the other prompt.
    torch.testing.assert_close(
        ours.cut_diff["denoise"][:, N_LAYERS], ours.clean_diff, rtol=0, atol=5e-6
    )
    torch.testing.assert_close(
        ours.cut_diff["noise"][:, N_LAYERS], ours.corrupted_diff, rtol=0, atol=5e-6
    )
    # The two base runs differ, so the assertions above tell them apart.
    assert (ours.clean_diff - ours.corrupted_diff).abs().min() > 1e-4


def test_the_empty_set_gives_the_base_run_exactly(tiny: PreTrainedModel) -> None:
    """Whether the empty set has the same index in every pair or not.

    Sets may be any collection: sets, tuples or lists.
    """
    pairs = random_pairs(tiny.config.vocab_size)
    same_index: list[list[Collection[int]]] = [[{3}, (), [1]]] * len(pairs)
    empty_last: list[Collection[int]] = [{1}, {2}, set()]
    empty_first: list[Collection[int]] = [set(), {3}, {1, 2}]
    empty_second: list[Collection[int]] = [{2}, set(), {3}]
    # Last, first, second, last, first, ... from pair to pair.
    changing_index = list(islice(cycle([empty_last, empty_first, empty_second]), len(pairs)))
    for sets in (same_index, changing_index):
        ours = cut_pairs(tiny, pairs, sets, tokens_per_batch=LOOSE)
        is_empty = []
        for sets_of_pair in sets:
            is_empty.append([len(blocks) == 0 for blocks in sets_of_pair])
        # Each pair has one empty set, so the mask selects one difference per pair, in their order.
        mask = torch.tensor(is_empty)
        assert torch.equal(ours.cut_diff["denoise"][mask], ours.corrupted_diff)
        assert torch.equal(ours.cut_diff["noise"][mask], ours.clean_diff)


@pytest.mark.parametrize(
    ("tokens_per_batch", "batch_sizes"),
    [
        (1, [1] * 10),
        # Each pair has one prefix and 10 runs of its suffix: 2 base runs, and 2 for each of 4 sets.
        # Padded, the 7 pairs with suffixes up to 7 tokens and prefixes up to 50 tokens have
        # 7 * (50 + 10 * 7) = 840 tokens. With the next pair, whose suffix has 8 tokens, they would
        # have 8 * (50 + 10 * 8) = 1040.
        (1000, [7, 3]),
    ],
    ids=["pairs alone", "two batches"],
)
def test_batches_and_orders_change_no_number(
    tokens_per_batch: int, batch_sizes: list[int], tiny: PreTrainedModel
) -> None:
    """The pairs are shuffled, and the sets of each pair are shuffled separately."""
    pairs = random_pairs(tiny.config.vocab_size)
    sets = random_sets(len(pairs))
    together = cut_pairs(tiny, pairs, sets, tokens_per_batch=LOOSE)

    generator = random.Random(tokens_per_batch)  # noqa: S311 - not a secret
    pair_order = generator.sample(range(len(pairs)), len(pairs))
    n_sets = len(sets[0])
    set_orders = []
    shuffled_sets = []
    for index in pair_order:
        set_order = generator.sample(range(n_sets), n_sets)
        set_orders.append(set_order)
        shuffled_sets.append([sets[index][number] for number in set_order])
    shuffled_pairs = [pairs[index] for index in pair_order]
    sizes: list[int] = []
    shuffled = cut_pairs(
        tiny,
        shuffled_pairs,
        shuffled_sets,
        tokens_per_batch=tokens_per_batch,
        after_batch=sizes.append,
    )
    assert sizes == batch_sizes

    # Row i of `shuffled` is row pair_order[i] of `together`, with its columns in the order
    # set_orders[i].
    rows = torch.tensor(pair_order)[:, None]
    columns = torch.tensor(set_orders)
    expected = PairCut(
        together.clean_diff[pair_order],
        together.corrupted_diff[pair_order],
        {direction: cut[rows, columns] for direction, cut in together.cut_diff.items()},
    )
    assert_close(shuffled, expected, atol=1e-5)
