"""Whether a model finds the published order of a benchmark likelier than permutations of it.

What is permuted is the order of the items, or the order of each item's options.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from mechaware.core.seeds import derive_seed
from mechaware.core.stats.p_values import holm
from mechaware.instruments.radar.order.sharding import MAX_IN_SHARD, PERMUTATIONS, PUBLISHED

CORRECTION = "Holm"  # for testing both orders
# Draws of one order for each shard; with the published orders they are 10,000.
_DRAWS = 9_999
# Bounds memory: a chunk of draws holds this many numbers for each shard.
_DRAWS_AT_ONCE = 1_000
# Nats; a sum up to this much below the observed sum is a tie, because sums are rounded.
_TIE = 1e-9


class OrderTest(NamedTuple):
    """The test of whether the published order is likelier than permutations of it.

    - `reordered`: what is permuted, `items` or `options`.
    - `n_items`, `n_shards`: the numbers of items and of shards that were read. A shard is a run of
      items, or a single item if its options are permuted.
    - `lead`: the log-likelihood of the published order minus the mean over permutations, summed
      over shards and divided by `n_items`; in nats per item.
    - `p`: the one-sided p-value (`exchange_p`).
    - `p_adjusted`: `p` corrected by `method` for the number of tests, one or two.
    """

    reordered: str
    n_items: int
    n_shards: int
    lead: float
    p: float
    p_adjusted: float
    method: str = CORRECTION


def order_tests(orders: pd.DataFrame, seed: int) -> list[OrderTest]:
    """A test of each value of `reordered` in `orders`: of `items`, of `options`, or of both.

    `orders` is a table of `measure_orders`. The tests come in the order of its rows.
    """
    tests = []
    for reordered, rows in orders.groupby("reordered", sort=False):
        n_items = int(rows.groupby("shard")["n_items"].first().sum())
        published, permuted = _by_shard(rows)
        lead = float((published - permuted.mean(axis=1)).sum() / n_items)
        p = exchange_p(np.column_stack([published, permuted]), derive_seed(seed, str(reordered)))
        test = OrderTest(
            str(reordered),
            n_items=n_items,
            n_shards=len(published),
            lead=lead,
            p=p,
            p_adjusted=p,  # corrected below, once all p-values are known
        )
        tests.append(test)

    corrected = holm(np.array([test.p for test in tests]))
    by_test = zip(tests, corrected.tolist(), strict=True)
    return [test._replace(p_adjusted=p_adjusted) for test, p_adjusted in by_test]


def _by_shard(rows: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """The log-likelihoods of the published order of each shard, and of its permutations.

    Their shapes are (shard) and (shard, permutation).
    """
    table = rows.pivot(index="shard", columns="order", values="log_likelihood")
    return table[PUBLISHED].to_numpy(float), table.drop(columns=PUBLISHED).to_numpy(float)


def exchange_p(values: np.ndarray, seed: int) -> float:
    """The one-sided p-value of the published orders, by exchanging orders within shards.

    `values` are log-likelihoods of the shape (shard, order); column 0 is the published order, and
    the others are its m permutations.

    If the order has no meaning, and the model has not read the benchmark, the m + 1 orders of a
    shard are exchangeable, independently in every shard. A draw takes one order of each shard, at
    random, and sums their log-likelihoods. The observed sum is the sum of column 0; it is then
    distributed like the sum of a draw. The p-value is

        p = (1 + draws whose sum is at least the observed sum) / (1 + draws),

    so P(p <= a) <= a for every level a and any number of shards. Oren et al. 2023
    (arXiv:2310.17623, section 3.2) compare the shards' differences with 0 by a t-test, which holds
    for many shards only.
    """
    # A shard's mean is common to its orders. Without it, sums are small and lose no digits.
    centred = values - values.mean(axis=1, keepdims=True)
    observed = centred[:, 0].sum()

    generator = np.random.default_rng(seed)
    n_shards, n_orders = values.shape
    shards = np.arange(n_shards)[:, None]
    reached = 0
    for start in range(0, _DRAWS, _DRAWS_AT_ONCE):
        n_draws = min(_DRAWS_AT_ONCE, _DRAWS - start)
        # chosen[s, d] is the order that draw d takes of shard s.
        chosen = generator.integers(n_orders, size=(n_shards, n_draws))
        sums = centred[shards, chosen].sum(axis=0)
        reached += int((sums >= observed - _TIE).sum())
    return (1 + reached) / (1 + _DRAWS)


def conclude_orders(
    tests: Sequence[OrderTest], significance: float
) -> tuple[Literal["seen", "not shown"], str]:
    """The status, and one sentence that gives the reason.

    The status is seen if the smallest `p_adjusted` of the tests is at most `significance`.
    """
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
        f"the published order of the {tested} is not shown to be likelier than other orders"
        f"{strongest} ({numbers})"
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
