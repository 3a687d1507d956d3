"""Right answers by the place of the wanted column, counted by hand."""

from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from mechaware.instruments.grounding.right_answers import behaviour_table

ANSWERS = pd.DataFrame(
    [
        ("db_synonyms", "a", "clean", 1, "price", "price", "price", True),
        ("db_synonyms", "a", "clean", 1, "price", "pet", "price", False),
        ("non_db_scramble", "a", "clean", 3, "price", "city", "city", False),
        ("non_db_scramble", "a", "clean", 3, "price", "price", "city", True),
        ("non_db_scramble", "a", "clean", 3, "price", "price", "city", False),
        ("non_db_synonyms", "a", "corrupted", 3, "cost", "cost", "city", False),
        # No answer is right, as in a corrupted scramble: the row does not count.
        ("non_db_scramble", "a", "corrupted", 3, "", "city", "city", False),
        ("non_db_scramble", "a", "both", 1, "price", "cost", "price", False),
        ("non_db_scramble", "b", "clean", 2, "price", "price", "city", True),
    ],
    columns=["category", "run", "prompt", "place", "wanted", "answer", "first", "most_likely"],
)


class Counts(NamedTuple):
    """Numbers of prompts.

    - `n`: with a right answer.
    - `right`: those of them whose answer is the wanted column.
    - `first`: those of them whose answer is the first column.
    - `most_likely`: those of them whose wanted column is the most likely token of all.
    """

    n: int
    right: int
    first: int
    most_likely: int


# By run, prompt and place of the wanted column; place 0 is all places together.
EXPECTED = {
    ("a", "clean", 0): Counts(n=5, right=3, first=2, most_likely=2),
    ("a", "clean", 1): Counts(n=2, right=1, first=1, most_likely=1),
    ("a", "clean", 3): Counts(n=3, right=2, first=1, most_likely=1),
    ("a", "corrupted", 0): Counts(n=1, right=1, first=0, most_likely=0),
    ("a", "corrupted", 3): Counts(n=1, right=1, first=0, most_likely=0),
    ("a", "both", 0): Counts(n=1, right=0, first=0, most_likely=0),
    ("a", "both", 1): Counts(n=1, right=0, first=0, most_likely=0),
    ("b", "clean", 0): Counts(n=1, right=1, first=0, most_likely=1),
    ("b", "clean", 2): Counts(n=1, right=1, first=0, most_likely=1),
}


def behaviour(confidence_level: float = 0.95) -> pd.DataFrame:
    table = behaviour_table(ANSWERS, confidence_level=confidence_level)
    return table.set_index(["run", "prompt", "column"])


def test_prompts_with_a_right_answer_are_counted_over_all_places_and_at_each_place() -> None:
    table = behaviour()

    assert list(table.index) == list(EXPECTED)
    for key, counts in EXPECTED.items():
        row = table.loc[key]
        assert row["n"] == counts.n, key
        assert row["right"] == pytest.approx(counts.right / counts.n), key
        assert row["first"] == pytest.approx(counts.first / counts.n), key
        assert row["most_likely"] == pytest.approx(counts.most_likely / counts.n), key


def test_right_answers_are_shared_out_by_whether_the_wanted_column_is_a_database_word() -> None:
    table = behaviour()

    # Run a has five clean prompts: two of db_synonyms, one right, and three of non_db_scramble, two
    # right. Those at place 1 are all of db_synonyms.
    assert table.loc[("a", "clean", 0), "right_db"] == pytest.approx(1 / 2)
    assert table.loc[("a", "clean", 0), "right_other"] == pytest.approx(2 / 3)
    assert np.isnan(table.loc[("a", "clean", 1), "right_other"])


@pytest.mark.parametrize("confidence_level", [0.95, 0.8])
def test_the_share_of_right_answers_has_its_exact_interval(confidence_level: float) -> None:
    table = behaviour(confidence_level)

    for key, counts in EXPECTED.items():
        row = table.loc[key]
        test = binomtest(counts.right, counts.n)
        interval = test.proportion_ci(confidence_level, method="exact")
        assert row["low"] == pytest.approx(interval.low), key
        assert row["high"] == pytest.approx(interval.high), key


@pytest.mark.parametrize("prompt", ["third", "other"])
def test_third_words_and_columns_of_other_requests_are_database_words_in_every_category(
    prompt: str,
) -> None:
    last_row = ANSWERS.tail(1)
    assert last_row["category"].item() == "non_db_scramble"
    assert last_row["answer"].item() == last_row["wanted"].item()

    table = behaviour_table(last_row.assign(prompt=prompt), confidence_level=0.95)

    assert set(table["right_db"]) == {1.0}
    assert table["right_other"].isna().all()
