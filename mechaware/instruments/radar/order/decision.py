"""Decides whether a model prefers the published order of a benchmark's items, or of their options, to permutations."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from mechaware.core.seeds import derive_seed
from mechaware.core.stats import holm
from mechaware.instruments.radar.order.sharding import MAX_IN_SHARD, PERMUTATIONS, PUBLISHED

CORRECTION = "Holm"  # for testing both orders
_DRAWS = 9_999
_DRAWS_AT_ONCE = 1_000  # bounds memory: as many numbers for each shard


class OrderTest(NamedTuple):
    """Whether the published order is likelier than permutations.

    - `reordered`: the items, or the options of each item.
    - `n_items`, `n_shards`: the numbers of items and of shards that were read.
    - `lead`: how much likelier the published order is than the mean permutation, in nats per item.
    - `p`: the one-sided p-value.
    - `p_adjusted`: the same, corrected by `method` for the number of orders that are tested.
    """

    reordered: str
    n_items: int
    n_shards: int
    lead: float
    p: float
    p_adjusted: float
    method: str = CORRECTION


def order_tests(orders: pd.DataFrame, seed: int) -> list[OrderTest]:
    """A test of each order, of items or of options, in the rows of `measure_orders`."""
    tests = []
    for reordered, rows in orders.groupby("reordered", sort=False):
        n_items = int(rows.groupby("shard")["n_items"].first().sum())
        published, permuted = _by_shard(rows)
        lead = float((published - permuted.mean(axis=1)).sum() / n_items)
        values = np.column_stack([published, permuted])
        p = exchange_p(values, derive_seed(seed, str(reordered)))
        tests.append(OrderTest(str(reordered), n_items, len(published), lead, p, p_adjusted=p))

    corrected = holm(np.array([test.p for test in tests]))
    by_test = zip(tests, corrected.tolist(), strict=True)
    return [test._replace(p_adjusted=p_adjusted) for test, p_adjusted in by_test]


def _by_shard(rows: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """The log-likelihoods of each shard's published order (shard), and of its permutations (shard, permutation)."""
    table = rows.pivot(index="shard", columns="order", values="log_likelihood")
    return table[PUBLISHED].to_numpy(float), table.drop(columns=PUBLISHED).to_numpy(float)


def exchange_p(values: np.ndarray, seed: int) -> float:
    """The one-sided p-value of the published orders, the first column of the log-likelihoods `values` (shard, order).

    To a model that has not read the benchmark, the published order of a shard and its m permutations are exchangeable,
    independently in every shard, if the order has no meaning. So the sum over shards of the first column is one draw
    among the sums of one order drawn in every shard, and p = (1 + draws that reach it) / (1 + draws). For any number of
    shards and any level, p is at most the level with a probability of at most the level. Oren et al. 2023
    (arXiv:2310.17623, section 3.2) compare the shards' differences with 0 by a t-test, which holds for many shards
    only.
    """
    # Sums of large numbers would lose the small differences.
    centred = values - values.mean(axis=1, keepdims=True)
    observed = centred[:, 0].sum()

    generator = np.random.default_rng(seed)
    n_shards, n_orders = values.shape
    shards = np.arange(n_shards)[:, None]
    reached = 0
    for start in range(0, _DRAWS, _DRAWS_AT_ONCE):
        n_draws = min(_DRAWS_AT_ONCE, _DRAWS - start)
        chosen = generator.integers(n_orders, size=(n_shards, n_draws))
        sums = centred[shards, chosen].sum(axis=0)
        reached += int((sums >= observed - 1e-9).sum())  # a tie reaches it in spite of rounding
    return (1 + reached) / (1 + _DRAWS)


def conclude_orders(
    tests: Sequence[OrderTest], significance: float
) -> tuple[Literal["seen", "not shown"], str]:
    """The status, and in one sentence why: seen if an order has a corrected p-value of at most `significance`."""
    best = min(tests, key=lambda test: test.p_adjusted)
    corrected = ""
    strongest = ""
    if len(tests) > 1:
        corrected = f" after Holm's correction for {len(tests)}"
        strongest = f"; the strongest is that of the {best.reordered}"
    numbers = f"{best.n_items} items, p = {best.p_adjusted:.2g}{corrected}"
    if best.p_adjusted <= significance:
        return "seen", (
            f"the published order of the {best.reordered} is likelier than other orders ({numbers})"
        )
    tested = " or of the ".join(test.reordered for test in tests)
    return "not shown", (
        f"the published order of the {tested} is not shown to be likelier than other orders{strongest} ({numbers})"
    )


def order_settings(significance: float) -> dict[str, object]:
    """The settings that decide a status by order."""
    return {
        "level": significance,
        "correction": CORRECTION,
        "order_permutations": PERMUTATIONS,
        "most_in_shard": MAX_IN_SHARD,
        "order_draws": _DRAWS,
    }
