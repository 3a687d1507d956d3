"""How a benchmark is split into shards."""

from mechaware.instruments.radar.order.sharding import MAX_IN_SHARD, split_shards


def test_shards_are_runs_of_items_that_fit_the_context() -> None:
    lengths = [5, 5, 4, 7, 12, 6, 8, 2]
    # 5 + 5 tokens fit the context, and 4 more do not; 4 + 7 fit exactly; 12 is too long; 6 is left
    # alone before 8.
    assert split_shards(lengths, context=11) == [[0, 1], [2, 3], [6, 7]]


def test_many_short_items_make_several_shards() -> None:
    lengths = [1] * (MAX_IN_SHARD + 2)
    first, second = split_shards(lengths, context=1_000)
    assert first == list(range(MAX_IN_SHARD))
    assert second == [MAX_IN_SHARD, MAX_IN_SHARD + 1]


def test_an_item_by_itself_has_no_order() -> None:
    assert split_shards([3], context=10) == []
