"""Committed cases of the verdict by order: log-likelihoods at the boundaries of its decisions.

The cases are decided at level 0.05, whatever the level of the verdict: that level is a setting of
the procedure.
"""

import numpy as np
import pandas as pd

from mechaware.instruments.radar.order.decision import conclude_orders, order_tests
from mechaware.instruments.radar.order.sharding import split_shards
from mechaware.verdicts.procedure import digest

_SIGNIFICANCE = 0.05
_SEED = 11
# The log-likelihoods of a shard's orders, the published one first.
_CASES = (
    [[3.0, 1.0, 0.5, -2.0, 0.0]],
    [[3.0, 1.0, 0.5, -2.0, 0.0], [2.0, 0.0, 1.5, 1.0, -1.0]],
    [[0.0, 1.0, 0.5, -2.0, 3.0], [1.0, 1.0, 1.0, 1.0, 1.0]],
)
# The lengths of a benchmark's items, and the longest shard, in tokens.
_LENGTHS = (5, 6, 3, 20, 4, 4, *[1] * 20)
_CONTEXT = 12


def order_decisions() -> str:
    """The digest of what is decided on the committed cases, and of how a benchmark is split."""
    tables = [_table("items", np.array(values)) for values in _CASES]
    # Both kinds of order: the order of the options is significant only before the correction.
    tables.append(
        pd.concat([_table("items", np.array(_CASES[0])), _table("options", np.array(_CASES[1]))])
    )
    outcomes = []
    for table in tables:
        tests = order_tests(table, _SEED)
        numbers = [(test.p, test.p_adjusted, test.lead) for test in tests]
        status, _ = conclude_orders(tests, _SIGNIFICANCE)
        outcomes.append([numbers, status])
    return digest([outcomes, split_shards(_LENGTHS, _CONTEXT)])


def _table(reordered: str, values: np.ndarray) -> pd.DataFrame:
    """The table that `order_tests` reads, from log-likelihoods by shard and order."""
    n_shards, n_orders = values.shape
    return pd.DataFrame(
        {
            "reordered": reordered,
            "shard": np.repeat(range(n_shards), n_orders),
            "n_items": 2,
            "order": np.tile(range(n_orders), n_shards),
            "log_likelihood": values.ravel(),
        }
    )
