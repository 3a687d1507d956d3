"""G3: the pairs share a block in which the schema word is read, more often than by chance."""

import numpy as np
import pandas as pd

from mechaware.grounding.rules.effects import block_counts, block_sets, most_common_block
from mechaware.grounding.rules.rule import Measurements, Thresholds, Verdicts

DRAWS = 999


def holds(measured: Measurements, thresholds: Thresholds) -> Verdicts:
    """The block that is in most pairs' sets is in this pair's, and that many pairs share it at `significance`."""
    sets = block_sets(measured.cuts, thresholds.alpha)
    shared, n_blocks = most_common_block(sets), int(measured.cuts["size"].max())
    if shared is None or shared_block_p_value(sets, n_blocks) > thresholds.significance:
        return pd.Series(False, index=measured.pairs)
    return sets["blocks"].map(lambda blocks: str(shared) in blocks.split()).loc[measured.pairs]


def shared_block_p_value(sets: pd.DataFrame, n_blocks: int) -> float:
    """The p-value of the most common block's count, against sets of the same sizes drawn from `n_blocks` blocks.

    The largest count over all blocks is compared with the largest count of each of `DRAWS` draws, so that choosing the
    block by its count is accounted for.
    """
    counts = block_counts(sets)
    if counts.empty:
        return 1.0
    sizes = sets["size"].dropna().astype(int).to_numpy()
    ranks = np.random.default_rng(0).random((DRAWS, len(sizes), n_blocks)).argsort(axis=2)
    drawn = (ranks < sizes[:, None]).sum(axis=1).max(axis=1)
    return float((1 + (drawn >= counts.max()).sum()) / (1 + DRAWS))
