"""Accuracy by condition from scores written by hand: means, range and interval over requests and seeds."""

import itertools

import numpy as np
import pandas as pd
import pytest

from mechaware.grounding.study.accuracy import score_by_condition
from mechaware.stats import crossed_interval

ASKED = {"10": 2, "9": 3, "11": 4}  # names in the gold SQL of each request
# Of the requests 10 and 9: exact match and names right, by run, all evaluated with the schema.
WITH_SCHEMA = {
    "schema-s0": ((True, 2), (False, 1)),
    "schema-s1": ((True, 2), (True, 3)),
    "no_schema-s0": ((False, 0), (False, 2)),
    "no_schema-s1": ((False, 1), (False, 0)),
}
# Evaluated without, one more request, in another order, and no name is right.
WITHOUT = ("9", "11", "10")


def scores() -> pd.DataFrame:
    rows = []
    for number, (run, of_requests) in enumerate(WITH_SCHEMA.items()):
        with_schema = [
            (run, row, "schema", exact, right, ASKED[row])
            for row, (exact, right) in zip(("10", "9"), of_requests, strict=True)
        ]
        rows += with_schema[:: 2 * (number % 2) - 1]
        rows += [(run, row, "no_schema", False, 0, ASKED[row]) for row in WITHOUT]
    return pd.DataFrame(rows, columns=["run", "row", "evaluated_with", "exact_match", "names_right", "names"])


def scored(level: float = 0.95, table: pd.DataFrame | None = None) -> pd.DataFrame:
    table = scores() if table is None else table
    result = score_by_condition(table, level=level)
    return result.set_index(["trained_with", "evaluated_with", "metric"])


# The values of the two seeds.
BY_HAND = {
    ("schema", "schema", "exact_match"): (1 / 2, 2 / 2),
    ("schema", "schema", "field_accuracy"): (3 / 5, 5 / 5),
    ("no_schema", "schema", "exact_match"): (0, 0),
    ("no_schema", "schema", "field_accuracy"): (2 / 5, 1 / 5),
    ("schema", "no_schema", "exact_match"): (0, 0),
    ("no_schema", "no_schema", "field_accuracy"): (0, 0),
}


def test_every_condition_has_both_metrics() -> None:
    conditions = ("schema", "no_schema")
    index = scored().index
    assert list(index) == list(itertools.product(conditions, conditions, ("exact_match", "field_accuracy")))


@pytest.mark.parametrize("key", BY_HAND, ids=" ".join)
def test_accuracy_is_the_mean_over_seeds_with_their_range(key: tuple[str, str, str]) -> None:
    row = scored().loc[key]
    first, second = BY_HAND[key]
    assert row["value"] == pytest.approx((first + second) / 2)
    assert (row["lowest"], row["highest"]) == pytest.approx((min(first, second), max(first, second)))
    assert row["seeds"] == 2


def test_n_counts_the_requests_or_names_of_one_seed() -> None:
    found = scored()["n"].xs("schema", level="trained_with")
    assert found.loc[("schema", "exact_match")] == 2
    assert found.loc[("schema", "field_accuracy")] == 5
    assert found.loc[("no_schema", "exact_match")] == 3
    assert found.loc[("no_schema", "field_accuracy")] == 9


@pytest.mark.parametrize(
    ("key", "sums", "sizes"),
    [
        (("schema", "schema", "exact_match"), [[1, 1], [0, 1]], [1, 1]),
        (("schema", "schema", "field_accuracy"), [[2, 2], [1, 3]], [2, 3]),
        (("no_schema", "schema", "field_accuracy"), [[0, 1], [2, 0]], [2, 3]),
    ],
)
def test_the_interval_is_over_requests_and_seeds_and_within_0_and_1(
    key: tuple[str, str, str], sums: list[list[float]], sizes: list[float]
) -> None:
    wide, narrow = scored().loc[key], scored(level=0.1).loc[key]
    assert (wide["low"], wide["high"]) == (0, 1)  # two requests, two seeds
    expected = crossed_interval(np.array(sums, float), np.array(sizes, float), level=0.1)
    assert (narrow["low"], narrow["high"]) == pytest.approx(expected)
    assert 0 < narrow["low"] < narrow["high"] < 1


def test_one_seed_has_the_interval_over_requests() -> None:
    # 3 of 5 names: requests of 2 and 3 names with 2 and 1 right, residuals (2 - 1.2) / 5 and (1 - 1.8) / 5; t of one
    # degree of freedom at a level of 0.5 is 1.
    alone = scores()[lambda table: table["run"].str.endswith("-s0")]
    row = scored(0.5, alone).loc[("schema", "schema", "field_accuracy")]
    reach = (2 * (0.16**2 + 0.16**2)) ** 0.5
    assert (row["low"], row["value"], row["high"]) == pytest.approx((0.6 - reach, 0.6, 0.6 + reach))
    assert (row["lowest"], row["highest"], row["seeds"]) == (pytest.approx(3 / 5), pytest.approx(3 / 5), 1)
