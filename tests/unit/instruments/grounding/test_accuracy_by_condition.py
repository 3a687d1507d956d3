"""Accuracy by condition of training and of evaluation, on scores counted by hand."""

import numpy as np
import pytest

from mechaware.core.stats.intervals import crossed_interval
from tests.unit.instruments.grounding.scores_by_hand import scored

# By conditions of training and of evaluation and by metric: the values of seeds 0 and 1.
BY_HAND = {
    ("schema", "schema", "exact_match"): (1 / 2, 2 / 2),
    ("schema", "schema", "field_accuracy"): (3 / 5, 5 / 5),
    ("no_schema", "schema", "exact_match"): (0, 0),
    ("no_schema", "schema", "field_accuracy"): (2 / 5, 1 / 5),
    ("schema", "no_schema", "exact_match"): (0, 0),
    ("no_schema", "no_schema", "field_accuracy"): (0, 0),
}


@pytest.mark.parametrize("key", BY_HAND, ids=" ".join)
def test_accuracy_is_the_mean_over_seeds_with_their_range(key: tuple[str, str, str]) -> None:
    first, second = BY_HAND[key]

    row = scored().loc[key]

    assert row["value"] == pytest.approx((first + second) / 2)
    assert row["lowest"] == pytest.approx(min(first, second))
    assert row["highest"] == pytest.approx(max(first, second))
    assert row["seeds"] == 2


def test_n_counts_the_requests_or_names_of_one_seed() -> None:
    sizes = scored()["n"].xs("schema", level="trained_with")

    # Two requests are evaluated with the schema, with 2 + 3 names; without it a third, of 4 names.
    assert sizes.loc[("schema", "exact_match")] == 2
    assert sizes.loc[("schema", "field_accuracy")] == 5
    assert sizes.loc[("no_schema", "exact_match")] == 3
    assert sizes.loc[("no_schema", "field_accuracy")] == 9


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
    """`sums`: what is right, by request and seed. `sizes`: what can be right, by request."""
    wide = scored().loc[key]
    narrow = scored(confidence_level=0.1).loc[key]

    # Over so few requests and seeds, the interval at 95% reaches beyond both bounds.
    assert wide["low"] == 0
    assert wide["high"] == 1

    by_request = np.array(sums, float)
    low, high = crossed_interval(by_request, np.array(sizes, float), confidence_level=0.1)
    assert narrow["low"] == pytest.approx(low)
    assert narrow["high"] == pytest.approx(high)
    assert 0 < narrow["low"] < narrow["high"] < 1
