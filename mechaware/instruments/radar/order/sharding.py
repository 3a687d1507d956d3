"""Splits a benchmark into shards of consecutive items, whose orders are compared."""

from collections.abc import Sequence

PERMUTATIONS = 20  # of each shard: the test costs 21 readings of the benchmark
MAX_IN_SHARD = 16  # items; many short shards give the test more power than a few long ones
PUBLISHED = 0  # the number of the published order; permutations count from 1


def split_shards(lengths: Sequence[int], context: int) -> list[list[int]]:
    """Runs of consecutive items, each as long as fits: at most `context` tokens and `MAX_IN_SHARD`
    items.

    A run of one item has no order and is left out.
    """
    shards: list[list[int]] = [[]]
    used = 0
    for item, length in enumerate(lengths):
        if used + length > context or len(shards[-1]) == MAX_IN_SHARD:
            shards.append([])
            used = 0
        shards[-1].append(item)
        used += length
    return [shard for shard in shards if len(shard) > 1]
