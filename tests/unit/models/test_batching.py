"""Batches of prompts by their numbers of tokens."""

import numpy as np

from mechaware.models.batching import length_batches


def test_batches_hold_every_prompt_once_and_keep_to_their_tokens() -> None:
    counts = np.random.default_rng(0).integers(1, 40, size=200).tolist()
    held = []
    for batch in length_batches(counts, 100):
        longest = max(counts[index] for index in batch)
        assert len(batch) * longest <= 100
        held += batch
    assert sorted(held) == list(range(200))

    # A longer prompt is a batch of its own.
    assert list(length_batches([500], 100)) == [[0]]
    # 2 x 50 tokens fit, 2 x 51 do not.
    assert list(length_batches([50, 30, 20, 50], 100)) == [[2, 1], [0, 3]]
    assert list(length_batches([51, 30, 20, 50], 100)) == [[2, 1], [3], [0]]
