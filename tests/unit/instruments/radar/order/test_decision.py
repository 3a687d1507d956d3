"""The test of published orders: its p-value by enumeration, its false alarms, and its power."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from mechaware.instruments.radar.order.decision import (
    OrderTest,
    conclude_orders,
    exchange_p,
    order_tests,
)

# The log-likelihoods of two shards, each in the published order and in two permutations. The
# published order leads in the first shard and not in the second.
TWO_SHARDS = [[5.0, 1.0, 2.0], [3.0, 1.0, 7.0]]


def orders_table(values: list[list[float]], *, reordered: str = "items") -> pd.DataFrame:
    """The table of `measure_orders` for shards of three items.

    `values` has a list of log-likelihoods for each shard, that of the published order first.
    """
    rows = []
    for shard, shard_values in enumerate(values):
        for order, value in enumerate(shard_values):
            row = {
                "reordered": reordered,
                "shard": shard,
                "n_items": 3,
                "order": order,
                "log_likelihood": value,
            }
            rows.append(row)
    return pd.DataFrame(rows)


@pytest.mark.parametrize(
    "values",
    [TWO_SHARDS, [[-900.0, -901.0, -902.5], [-3.0, -2.0, -7.0], [0.5, 0.5, 0.5]]],
    ids=["two shards", "three shards, the last without a difference"],
)
def test_p_is_the_share_of_choices_of_an_order_in_every_shard_with_as_large_a_sum(
    values: list[list[float]],
) -> None:
    sums = np.array([sum(choice) for choice in product(*values)])
    published = sum(row[0] for row in values)
    expected = np.mean(sums >= published - 1e-9)
    # The share of 9,999 draws has a standard error of 0.005 at most.
    assert exchange_p(np.array(values), seed=1) == pytest.approx(expected, abs=0.02)


def test_the_lead_is_over_the_mean_permutation_and_per_item() -> None:
    """(5 - 1.5) + (3 - 4) = 2.5 nats, in two shards of three items."""
    (test,) = order_tests(orders_table(TWO_SHARDS), seed=1)
    assert test.reordered == "items"
    assert test.n_items == 6
    assert test.n_shards == 2
    assert test.lead == pytest.approx(2.5 / 6)


def test_orders_that_are_exchangeable_alarm_in_one_of_twenty_files() -> None:
    generator = np.random.default_rng(3)
    p_values = [exchange_p(generator.normal(size=(3, 9)), seed=file) for file in range(30)]
    # 5 or more of 30 files alarm with a probability of 2%; 7 or fewer have p > 0.5 with 0.3%.
    assert sum(p <= 0.05 for p in p_values) <= 4
    assert sum(p > 0.5 for p in p_values) > 7


def test_a_small_lead_in_every_shard_alarms() -> None:
    """Half a standard deviation in each of 60 shards: 0.5 sqrt(60) = 3.9 standard errors."""
    values = np.random.default_rng(4).normal(size=(60, 21))
    values[:, 0] += 0.5
    assert exchange_p(values, seed=1) < 0.01


def test_two_orders_are_corrected_by_holm() -> None:
    """The smaller p is doubled, the larger one stays."""
    leading = np.random.default_rng(5).normal(size=(9, 21))
    leading[:, 0] += 0.9
    items_table = orders_table(leading.tolist())
    options_table = orders_table(TWO_SHARDS, reordered="options")
    items, options = order_tests(pd.concat([items_table, options_table]), seed=1)
    assert (items.reordered, options.reordered) == ("items", "options")
    assert items.p < 0.05
    assert items.p_adjusted == pytest.approx(2 * items.p)
    assert options.p_adjusted == options.p > 0.3


OPTIONS_TEST = OrderTest("options", n_items=30, n_shards=30, lead=0.1, p=0.5, p_adjusted=0.5)
ITEMS_TEST = OrderTest("items", n_items=40, n_shards=5, lead=0.1, p=0.025, p_adjusted=0.05)


def test_the_verdict_is_seen_if_the_smallest_adjusted_p_is_at_most_the_level() -> None:
    status, reason = conclude_orders([OPTIONS_TEST, ITEMS_TEST], 0.05)
    assert status == "seen"
    assert reason == (
        "the published order of the items is likelier than other orders "
        "(40 items, p = 0.05 after Holm's correction for 2)"
    )


def test_the_verdict_is_not_shown_if_the_smallest_adjusted_p_is_above_the_level() -> None:
    items_test = ITEMS_TEST._replace(p=0.03, p_adjusted=0.06)
    status, reason = conclude_orders([OPTIONS_TEST, items_test], 0.05)
    assert status == "not shown"
    assert reason == (
        "the published order of the options or of the items is not shown to be likelier than "
        "other orders; the strongest is that of the items "
        "(40 items, p = 0.06 after Holm's correction for 2)"
    )
