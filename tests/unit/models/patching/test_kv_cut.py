"""Patching of keys and values against a naive loop over transformers' hooks, for every family."""

import random
from collections.abc import Collection

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
    peer: NaiveCut, pairs: list[TokenPair], sets: list[list[Collection[int]]]
) -> PairCut:
    """Every pair's two base runs, and in both directions the base run with each of the pair's sets cut."""
    clean = torch.tensor([peer.loop.difference(pair.clean, pair) for pair in pairs])
    corrupted = torch.tensor([peer.loop.difference(pair.corrupted, pair) for pair in pairs])
    cut_diff = {}
    for direction in BASE_AND_DONOR:
        by_pair = []
        for pair, own in zip(pairs, sets, strict=True):
            by_pair.append([peer.patched(pair, direction, blocks) for blocks in own])
        cut_diff[direction] = torch.tensor(by_pair)
    return PairCut(clean, corrupted, cut_diff)


def assert_close(ours: PairCut, theirs: PairCut, atol: float) -> None:
    """All differences of both, to `atol` logits."""
    closeness = {"rtol": 0, "atol": atol, "check_dtype": False}
    torch.testing.assert_close(ours.clean_diff, theirs.clean_diff, **closeness)
    torch.testing.assert_close(ours.corrupted_diff, theirs.corrupted_diff, **closeness)
    assert set(ours.cut_diff) == set(theirs.cut_diff)
    for direction, cut in theirs.cut_diff.items():
        torch.testing.assert_close(ours.cut_diff[direction], cut, **closeness)


def single_blocks(n_pairs: int) -> list[list[Collection[int]]]:
    """Each block alone, then all, for every pair."""
    sets: list[Collection[int]] = [{block} for block in BLOCKS]
    sets.append(set(BLOCKS))
    return [sets] * n_pairs


def random_sets(n_pairs: int, n_sets: int = 4) -> list[list[Collection[int]]]:
    """Sets of blocks, empty ones among them, that differ from pair to pair."""
    draw = random.Random(5)  # noqa: S311 - not a secret
    by_pair = []
    for _ in range(n_pairs):
        sets: list[Collection[int]] = []
        for _ in range(n_sets):
            size = draw.choice((0, 1, 1, 2, 3))
            sets.append(draw.sample(BLOCKS, size))
        by_pair.append(sets)
    return by_pair


def test_the_cut_equals_a_loop_of_hooks_over_transformers(tiny: PreTrainedModel) -> None:
    pairs = random_pairs(tiny.config.vocab_size)
    singles = single_blocks(len(pairs))
    mixed = random_sets(len(pairs), n_sets=2)
    sets = [one + other for one, other in zip(singles, mixed, strict=True)]
    ours = cut_pairs(tiny, pairs, sets, tokens_per_batch=LOOSE)
    assert_close(ours, pair_by_pair(NaiveCut(tiny), pairs, sets), atol=2e-5)
    # Every block does something in either direction, or the comparison would prove little.
    bases = {"denoise": ours.corrupted_diff, "noise": ours.clean_diff}
    for direction, cut in ours.cut_diff.items():
        assert (cut[:, :N_LAYERS] - bases[direction][:, None]).abs().mean(0).min() > 0.01
    # All blocks together give the run of the other prompt.
    torch.testing.assert_close(
        ours.cut_diff["denoise"][:, N_LAYERS], ours.clean_diff, rtol=0, atol=5e-6
    )
    torch.testing.assert_close(
        ours.cut_diff["noise"][:, N_LAYERS], ours.corrupted_diff, rtol=0, atol=5e-6
    )
    assert (ours.clean_diff - ours.corrupted_diff).abs().min() > 1e-4


def test_the_empty_set_gives_the_base_run_exactly(tiny: PreTrainedModel) -> None:
    """The empty set is in the second place of every pair's sets, then in the third, first or second place in turn."""
    pairs = random_pairs(tiny.config.vocab_size)
    scattered: list[list[Collection[int]]] = [
        [{1}, {2}, set()],
        [set(), {3}, {1, 2}],
        [{2}, set(), {3}],
    ]
    in_one_place: list[list[Collection[int]]] = [[{3}, (), [1]]] * len(pairs)
    in_turn = [scattered[index % 3] for index in range(len(pairs))]
    for sets in (in_one_place, in_turn):
        ours = cut_pairs(tiny, pairs, sets, tokens_per_batch=LOOSE)
        is_empty = []
        for own in sets:
            is_empty.append([len(blocks) == 0 for blocks in own])
        empty = torch.tensor(is_empty)
        assert torch.equal(ours.cut_diff["denoise"][empty], ours.corrupted_diff)
        assert torch.equal(ours.cut_diff["noise"][empty], ours.clean_diff)


@pytest.mark.parametrize("tokens_per_batch", [1, 3000])
def test_batches_and_orders_change_no_number(tokens_per_batch: int, tiny: PreTrainedModel) -> None:
    """Neither the order of the pairs nor the order of a pair's sets, which differs from pair to pair."""
    pairs = random_pairs(tiny.config.vocab_size)
    sets = random_sets(len(pairs))
    together = cut_pairs(tiny, pairs, sets, tokens_per_batch=LOOSE)
    draw = random.Random(tokens_per_batch)  # noqa: S311
    order = draw.sample(range(len(pairs)), len(pairs))
    n_sets = len(sets[0])
    set_orders = []
    shuffled_sets = []
    for index in order:
        set_order = draw.sample(range(n_sets), n_sets)
        set_orders.append(set_order)
        shuffled_sets.append([sets[index][place] for place in set_order])
    shuffled_pairs = [pairs[index] for index in order]
    shuffled = cut_pairs(tiny, shuffled_pairs, shuffled_sets, tokens_per_batch=tokens_per_batch)

    rows = torch.tensor(order)[:, None]
    columns = torch.tensor(set_orders)
    expected = PairCut(
        together.clean_diff[order],
        together.corrupted_diff[order],
        {direction: cut[rows, columns] for direction, cut in together.cut_diff.items()},
    )
    assert_close(shuffled, expected, atol=1e-5)
