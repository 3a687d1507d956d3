"""Right answers by place, counted by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from mechaware.instruments.grounding.right_answers import behaviour_table

ANSWERS = pd.DataFrame(
    [
        ("a", "clean", 1, "price", "price", "price", True),
        ("a", "clean", 1, "price", "pet", "price", False),
        ("a", "clean", 3, "price", "city", "city", False),
        ("a", "clean", 3, "price", "price", "city", True),
        ("a", "clean", 3, "price", "price", "city", False),
        ("a", "corrupted", 3, "cost", "cost", "city", False),
        ("a", "corrupted", 3, "", "city", "city", False),  # a scramble: no column is right
        ("a", "both", 1, "price", "cost", "cost", False),
        ("b", "clean", 2, "price", "price", "city", True),
    ],
    columns=["run", "prompt", "place", "wanted", "answer", "first", "most_likely"],
).assign(category=["db_synonyms"] * 2 + ["non_db_scramble"] * 7)


# n, right, answered with the first column, wanted most likely of all.
EXPECTED = {
    ("a", "clean", 0): (5, 3, 2 / 5, 2 / 5),
    ("a", "clean", 1): (2, 1, 1 / 2, 1 / 2),
    ("a", "clean", 3): (3, 2, 1 / 3, 1 / 3),
    ("a", "corrupted", 0): (1, 1, 0.0, 0.0),
    ("a", "corrupted", 3): (1, 1, 0.0, 0.0),
    ("a", "both", 0): (1, 0, 1.0, 0.0),
    ("a", "both", 1): (1, 0, 1.0, 0.0),
    ("b", "clean", 0): (1, 1, 0.0, 1.0),
    ("b", "clean", 2): (1, 1, 0.0, 1.0),
}


def behaviour(confidence_level: float = 0.95) -> pd.DataFrame:
    table = behaviour_table(ANSWERS, confidence_level=confidence_level)
    return table.set_index(["run", "prompt", "column"])


def test_answers_are_counted_where_one_is_right_at_all_places_and_at_each() -> None:
    table = behaviour()

    assert list(table.index) == list(EXPECTED)
    for key, (n, right, first, most_likely) in EXPECTED.items():
        row = table.loc[key]
        assert row["n"] == n, key
        assert row["right"] == pytest.approx(right / n), key
        assert row["first"] == pytest.approx(first), key
        assert row["most_likely"] == pytest.approx(most_likely), key


def test_answers_are_counted_by_whether_the_database_has_the_word() -> None:
    table = behaviour()

    # The first two of five are database words.
    assert table.loc[("a", "clean", 0), "right_db"] == pytest.approx(1 / 2)
    assert table.loc[("a", "clean", 0), "right_other"] == pytest.approx(2 / 3)
    assert np.isnan(table.loc[("a", "clean", 1), "right_other"])


@pytest.mark.parametrize("confidence_level", [0.95, 0.8])
def test_the_share_of_right_answers_has_its_exact_interval(confidence_level: float) -> None:
    table = behaviour(confidence_level)

    for key, (n, right, _, _) in EXPECTED.items():
        row = table.loc[key]
        interval = binomtest(right, n).proportion_ci(confidence_level, method="exact")
        assert row["low"] == pytest.approx(interval.low), key
        assert row["high"] == pytest.approx(interval.high), key
