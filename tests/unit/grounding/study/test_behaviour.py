"""Answers counted by hand, by run, prompt and place."""

import pandas as pd
import pytest
from scipy.stats import binomtest

from mechaware.grounding.study.behaviour import behaviour_table

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
)
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


@pytest.mark.parametrize("level", [0.95, 0.8])
def test_answers_are_counted_where_one_is_right_at_all_places_and_at_each(level: float) -> None:
    table = behaviour_table(ANSWERS, level=level).set_index(["run", "prompt", "column"])
    assert list(table.index) == list(EXPECTED)
    for key, (n, right, first, most_likely) in EXPECTED.items():
        row = table.loc[key]
        assert (row["n"], row["right"]) == (n, pytest.approx(right / n)), key
        assert (row["first"], row["most_likely"]) == pytest.approx((first, most_likely)), key
        interval = binomtest(right, n).proportion_ci(level, method="exact")
        assert (row["low"], row["high"]) == pytest.approx((interval.low, interval.high)), key


def test_prompts_without_a_right_answer_have_no_row() -> None:
    table = behaviour_table(ANSWERS.assign(wanted=""), level=0.95)
    assert table.empty
    assert list(table.columns)[:4] == ["run", "prompt", "column", "n"]
