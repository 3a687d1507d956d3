"""The two conditions of training compared over pairs and seeds, on tables counted by hand."""

import itertools
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from mechaware.core.stats.intervals import crossed_interval
from mechaware.instruments.grounding.training_conditions import compare_conditions
from tests.unit.core.exact_tests import exact_p
from tests.unit.instruments.grounding.gaps_by_hand import (
    DRAWS,
    VERDICTS,
    compared,
    judged,
)

CATEGORIES = ("db_synonyms", "db_scramble", "non_db_synonyms", "non_db_scramble", "super_scramble")

# By category and pair, the differences between the conditions in seeds 0 and 1. From a pair's four
# values in `GAPS` (gaps_by_hand.py): the first minus the third, and the second minus the fourth.
DIFFERENCES_BY_SEED = {
    "db_synonyms": ((1.5, 0.5), (1.0, 0.0)),
    "db_scramble": ((-1.0, -3.0), (0.5, -1.5)),
    "non_db_synonyms": ((-1.0, 1.0), (0.5, -0.5)),
    "non_db_scramble": ((3.0, 1.0), (-1.0, -1.0)),
    "super_scramble": ((4.0, 4.0), (1.0, 1.0)),
}
# By category and pair, the means over the two seeds.
DIFFERENCES = {
    "db_synonyms": (1.0, 0.5),
    "db_scramble": (-2.0, -0.5),
    "non_db_synonyms": (0.0, 0.0),
    "non_db_scramble": (2.0, -1.0),
    "super_scramble": (4.0, 1.0),
}


@pytest.mark.parametrize(
    ("category", "schema", "no_schema", "difference", "p"),
    [
        # p: of the four signings of the differences 1 and 0.5, ++ and -- sum to 1.5 in size.
        ("db_synonyms", 1.25, 0.5, 0.75, 2 / 4),
        ("db_scramble", 0.0, 1.25, -1.25, 2 / 4),
        ("non_db_synonyms", 1.25, 1.25, 0.0, 1.0),
        # p: the differences 2 and -1 sum to 1, and no signing sums to less in size.
        ("non_db_scramble", 1.75, 1.25, 0.5, 1.0),
        ("super_scramble", 4.0, 1.5, 2.5, 2 / 4),
    ],
)
def test_gaps_are_averaged_over_seeds_and_compared_pair_by_pair(
    category: str, schema: float, no_schema: float, difference: float, p: float
) -> None:
    row = compared().loc[(category, "delta")]

    assert row["schema"] == pytest.approx(schema)
    assert row["no_schema"] == pytest.approx(no_schema)
    assert row["difference"] == pytest.approx(difference)
    assert row["p"] == pytest.approx(p)
    assert row["n"] == 2


def test_all_categories_are_compared_over_their_ten_pairs() -> None:
    row = compared().loc[("overall", "delta")]

    # The ten pairs sum to 16.5 and 11.5, and their differences to 1.5 - 2.5 + 0 + 1 + 5 = 5.
    assert row["schema"] == pytest.approx(1.65)
    assert row["no_schema"] == pytest.approx(1.15)
    assert row["difference"] == pytest.approx(0.5)
    assert row["n"] == 10
    differences = itertools.chain.from_iterable(DIFFERENCES.values())
    assert row["p"] == pytest.approx(exact_p([Fraction(value) for value in differences]))


@pytest.mark.parametrize("category", CATEGORIES)
def test_a_difference_has_its_interval_over_pairs_and_seeds(category: str) -> None:
    row = compared(0.8).loc[(category, "delta")]

    by_pair_and_seed = np.array(DIFFERENCES_BY_SEED[category], float)
    low, high = crossed_interval(by_pair_and_seed, confidence_level=0.8)
    assert row["low"] == pytest.approx(low)
    assert row["high"] == pytest.approx(high)


@pytest.mark.parametrize("category", CATEGORIES)
def test_a_difference_has_the_range_of_its_seeds(category: str) -> None:
    row = compared().loc[(category, "delta")]

    first_pair, second_pair = DIFFERENCES_BY_SEED[category]
    mean_of_seed_0 = (first_pair[0] + second_pair[0]) / 2
    mean_of_seed_1 = (first_pair[1] + second_pair[1]) / 2
    assert row["lowest"] == pytest.approx(min(mean_of_seed_0, mean_of_seed_1))
    assert row["highest"] == pytest.approx(max(mean_of_seed_0, mean_of_seed_1))
    assert row["seeds"] == 2


def test_the_seeds_of_all_categories_have_their_range_over_ten_pairs() -> None:
    row = compared().loc[("overall", "delta")]

    # Seed 0: 1.5 + 1 - 1 + 0.5 - 1 + 0.5 + 3 - 1 + 4 + 1 = 8.5 of ten pairs; seed 1: 1.5.
    assert row["lowest"] == pytest.approx(0.15)
    assert row["highest"] == pytest.approx(0.85)


class PassingR2(NamedTuple):
    """Which of a category's four pairs, numbered from 0, pass R2 in each condition."""

    schema: set[int]
    no_schema: set[int]


PASSING_R2 = {
    "db_synonyms": PassingR2({0, 1, 2, 3}, {0, 1}),
    "db_scramble": PassingR2({0, 1, 2}, {3}),
    "non_db_synonyms": PassingR2({0, 1}, {0, 1}),
    "non_db_scramble": PassingR2({2, 3}, set()),
    "super_scramble": PassingR2({0, 1, 2, 3}, {0, 1, 2, 3}),
}


def compared_by_r2() -> pd.DataFrame:
    """The comparison of conditions over PASSING_R2: equal gaps, and no other verdict is true."""
    rows = []
    for condition in ("schema", "no_schema"):
        for category, passing in PASSING_R2.items():
            for number in range(4):
                passes = "r2" if number in getattr(passing, condition) else ""
                rows.append(
                    judged(f"{condition}-s0", f"{category} {number}", category, 1.0, passes)
                )
    table = compare_conditions(pd.DataFrame(rows), confidence_level=0.95, **DRAWS)
    return table.set_index(["category", "quantity"])


@pytest.mark.parametrize(
    ("category", "only_schema", "only_no_schema"),
    [
        ("db_synonyms", 2, 0),
        ("db_scramble", 3, 1),
        ("non_db_synonyms", 0, 0),
        ("non_db_scramble", 2, 0),
        ("super_scramble", 0, 0),
    ],
)
def test_p_of_verdicts_is_mcnemars(category: str, only_schema: int, only_no_schema: int) -> None:
    """`only_schema` pairs pass with the schema alone, `only_no_schema` without it alone."""
    row = compared_by_r2().loc[(category, "r2")]

    n_different = only_schema + only_no_schema
    p = binomtest(only_schema, n_different).pvalue if n_different else 1.0
    assert row["p"] == pytest.approx(p)
    assert row["difference"] == pytest.approx((only_schema - only_no_schema) / 4)


def test_the_interval_of_a_difference_of_shares_is_within_minus_1_and_1() -> None:
    row = compared_by_r2().loc[("db_scramble", "r2")]

    # The pairs' differences 1, 1, 1 and -1 have the mean 0.5 and the standard deviation 1. With
    # t = 3.18, the interval 0.5 -+ 3.18 / sqrt(4) is -1.09 to 2.09.
    assert (row["low"], row["high"]) == (-1, 1)


def test_p_of_verdicts_over_all_categories_is_mcnemars() -> None:
    row = compared_by_r2().loc[("overall", "r2")]

    # 2 + 3 + 2 = 7 pairs pass with the schema alone, 1 pair without it alone.
    assert row["p"] == pytest.approx(binomtest(7, 8).pvalue)
    # 4 + 3 + 2 + 2 + 4 = 15 of 20 and 2 + 1 + 2 + 0 + 4 = 9 of 20
    assert row["schema"] == pytest.approx(0.75)
    assert row["no_schema"] == pytest.approx(0.45)
    assert row["difference"] == pytest.approx(0.3)
    assert row["n"] == 20


@pytest.mark.parametrize("quantity", ["delta", "r1", "r1_signed", "r3", "r3_top", "r3_signed"])
def test_equal_quantities_differ_by_0_with_p_1(quantity: str) -> None:
    """All gaps are equal, and no pair passes the other verdicts."""
    row = compared_by_r2().loc[("overall", quantity)]

    assert row["difference"] == 0
    assert row["low"] == 0
    assert row["high"] == 0
    assert row["p"] == 1


@pytest.mark.parametrize("reading", ["r3", "r3_top", "r3_signed", "r3_embedding", "r3_both"])
def test_each_reading_of_the_three_rules_is_compared_by_its_own_verdicts(reading: str) -> None:
    # Two pairs in each category: both pass with the schema, only the first passes without it.
    rows = []
    for name in CATEGORIES:
        rows.append(judged("schema-s0", f"{name} 0", name, 1.0, reading))
        rows.append(judged("schema-s0", f"{name} 1", name, 1.0, reading))
        rows.append(judged("no_schema-s0", f"{name} 0", name, 1.0, reading))
        rows.append(judged("no_schema-s0", f"{name} 1", name, 1.0, ""))

    table = compare_conditions(pd.DataFrame(rows), confidence_level=0.95, **DRAWS)

    overall = table[table["category"] == "overall"].set_index("quantity")
    expected = dict.fromkeys(("delta", *VERDICTS), 0.0) | {reading: 0.5}
    assert overall["difference"].to_dict() == expected
