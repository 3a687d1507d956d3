"""The test of published orders: its p-value by enumeration, its rate of false alarms, and its power."""

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


def orders_of(
    values: list[list[float]], *, reordered: str = "items", n_items: int = 3
) -> pd.DataFrame:
    """The table of `measure_orders`, from a list of log-likelihoods for each shard, the published order first."""
    rows = []
    for shard, shard_values in enumerate(values):
        for order, value in enumerate(shard_values):
            rows.append((reordered, shard, n_items, order, value))
    return pd.DataFrame(rows, columns=["reordered", "shard", "n_items", "order", "log_likelihood"])


@pytest.mark.parametrize(
    "values",
    [
        [[5.0, 1.0, 2.0], [3.0, 1.0, 7.0]],
        [[-900.0, -901.0, -902.5], [-3.0, -2.0, -7.0], [0.5, 0.5, 0.5]],
    ],
)
def test_p_is_the_share_of_choices_of_an_order_in_every_shard_with_as_large_a_sum(
    values: list[list[float]],
) -> None:
    sums = np.array([sum(choice) for choice in product(*values)])
    published = sum(row[0] for row in values)
    expected = np.mean(sums >= published - 1e-9)
    # Of 9,999 draws a share has a standard error of 0.005 at most.
    assert exchange_p(np.array(values), 1) == pytest.approx(expected, abs=0.02)


def test_the_lead_is_over_the_mean_permutation_and_per_item() -> None:
    """(5 - 1.5) + (3 - 4) = 2.5 nats, of two shards of three items."""
    (test,) = order_tests(orders_of([[5.0, 1.0, 2.0], [3.0, 1.0, 7.0]]), 1)
    assert test[:4] == ("items", 6, 2, pytest.approx(2.5 / 6))


def test_orders_that_are_exchangeable_alarm_in_one_of_twenty_files() -> None:
    generator = np.random.default_rng(3)
    p = [exchange_p(generator.normal(size=(3, 9)), file) for file in range(30)]
    assert sum(value <= 0.05 for value in p) <= 4  # 5 or more of 30 at 0.05: 2%
    assert sum(value > 0.5 for value in p) > 7


def test_a_small_lead_in_every_shard_alarms() -> None:
    """Half a standard deviation in each of 60 shards: 0.5 sqrt(60) = 3.9 standard errors."""
    values = np.random.default_rng(4).normal(size=(60, 21))
    values[:, 0] += 0.5
    assert exchange_p(values, 1) < 0.01


def test_two_orders_are_corrected_by_holm() -> None:
    """The smaller p is doubled, the larger one stays."""
    leads = np.random.default_rng(5).normal(size=(9, 21))
    leads[:, 0] += 0.9
    even = [[5.0, 1.0, 2.0], [3.0, 1.0, 7.0]]
    both = pd.concat([orders_of(leads.tolist()), orders_of(even, reordered="options")])
    items, options = order_tests(both, 1)
    assert (items.reordered, options.reordered) == ("items", "options")
    assert items.p < 0.05
    assert items.p_adjusted == pytest.approx(2 * items.p)
    assert options.p_adjusted == options.p > 0.3


@pytest.mark.parametrize(
    ("p", "status", "reason"),
    [
        (0.05, "seen", "the published order of the items is likelier than other orders"),
        (
            0.06,
            "not shown",
            "the published order of the options or of the items is not shown to be likelier than other orders; the "
            "strongest is that of the items",
        ),
    ],
)
def test_the_status_follows_from_the_smallest_p(p: float, status: str, reason: str) -> None:
    tests = [OrderTest("options", 30, 30, 0.1, 0.5, 0.5), OrderTest("items", 40, 5, 0.1, p / 2, p)]
    concluded, sentence = conclude_orders(tests, 0.05)
    assert concluded == status
    assert sentence.startswith(reason)
    assert f"(40 items, p = {p} after Holm's correction for 2)" in sentence
