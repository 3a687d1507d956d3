"""Accuracy of trained models, and their conditions compared, on tables small enough to be counted by hand."""

import itertools
from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from mechaware.core.stats import crossed_interval
from mechaware.instruments.grounding.training_conditions import compare_conditions, contrast_models
from tests.unit.core.exact_tests import exact_p
from tests.unit.instruments.grounding.gaps_by_hand import (
    CONTRASTED,
    DRAWS,
    VERDICTS,
    compared,
    judged,
)
from tests.unit.instruments.grounding.scores_by_hand import scored

CATEGORIES = ("db_synonyms", "db_scramble", "non_db_synonyms", "non_db_scramble", "super_scramble")

# Of each of the two pairs the differences of both seeds: of its values in `GAPS` (gaps_by_hand.py), the first minus
# the third, and the second minus the fourth.
BY_SEED = {
    "db_synonyms": ((1.5, 0.5), (1.0, 0.0)),
    "db_scramble": ((-1.0, -3.0), (0.5, -1.5)),
    "non_db_synonyms": ((-1.0, 1.0), (0.5, -0.5)),
    "non_db_scramble": ((3.0, 1.0), (-1.0, -1.0)),
    "super_scramble": ((4.0, 4.0), (1.0, 1.0)),
}
# Their means over the seeds.
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
        ("db_synonyms", 1.25, 0.5, 0.75, 2 / 4),  # sums of 1 and 0.5: 1.5 is reached by ++ and --
        ("db_scramble", 0.0, 1.25, -1.25, 2 / 4),
        ("non_db_synonyms", 1.25, 1.25, 0.0, 1.0),
        ("non_db_scramble", 1.75, 1.25, 0.5, 1.0),  # 2 and -1 sum to 1, the least of all signings
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

    by_pair_and_seed = np.array(BY_SEED[category], float)
    low, high = crossed_interval(by_pair_and_seed, confidence_level=0.8)
    assert row["low"] == pytest.approx(low)
    assert row["high"] == pytest.approx(high)


@pytest.mark.parametrize("category", CATEGORIES)
def test_a_difference_has_the_range_of_its_seeds(category: str) -> None:
    row = compared().loc[(category, "delta")]

    first_pair, second_pair = BY_SEED[category]
    of_seed_0 = (first_pair[0] + second_pair[0]) / 2
    of_seed_1 = (first_pair[1] + second_pair[1]) / 2
    assert row["lowest"] == pytest.approx(min(of_seed_0, of_seed_1))
    assert row["highest"] == pytest.approx(max(of_seed_0, of_seed_1))
    assert row["seeds"] == 2


def test_the_seeds_of_all_categories_have_their_range_over_ten_pairs() -> None:
    row = compared().loc[("overall", "delta")]

    # Seed 0: 1.5 + 1 - 1 + 0.5 - 1 + 0.5 + 3 - 1 + 4 + 1 = 8.5 of ten pairs; seed 1: 1.5.
    assert row["lowest"] == pytest.approx(0.15)
    assert row["highest"] == pytest.approx(0.85)


def test_p_of_verdicts_is_mcnemars() -> None:
    # By category, which of its four pairs, from 0, pass R2 in either condition.
    schema = [{0, 1, 2, 3}, {0, 1, 2}, {0, 1}, {2, 3}, {0, 1, 2, 3}]
    no_schema = [{0, 1}, {3}, {0, 1}, set(), {0, 1, 2, 3}]
    rows = []
    for condition, by_category in (("schema", schema), ("no_schema", no_schema)):
        for name, passing in zip(CATEGORIES, by_category, strict=True):
            for number in range(4):
                passes = "r2" if number in passing else ""
                rows.append(judged(f"{condition}-s0", f"{name} {number}", name, 1.0, passes))
    table = compare_conditions(pd.DataFrame(rows), confidence_level=0.95, **DRAWS)
    table = table.set_index(["category", "quantity"])

    # By category, the pairs that pass in one condition alone.
    only_schema = [2, 3, 0, 2, 0]
    only_no_schema = [0, 1, 0, 0, 0]

    for name, more, fewer in zip(CATEGORIES, only_schema, only_no_schema, strict=True):
        expected = binomtest(more, more + fewer).pvalue if more + fewer else 1.0
        assert table.loc[(name, "r2"), "p"] == pytest.approx(expected), name
        assert table.loc[(name, "r2"), "difference"] == pytest.approx((more - fewer) / 4), name

    overall = table.loc[("overall", "r2")]
    assert overall["p"] == pytest.approx(binomtest(7, 8).pvalue)
    # 4 + 3 + 2 + 2 + 4 = 15 and 2 + 1 + 2 + 0 + 4 = 9 of 20
    assert overall["schema"] == pytest.approx(0.75)
    assert overall["no_schema"] == pytest.approx(0.45)
    assert overall["difference"] == pytest.approx(0.3)
    assert overall["n"] == 20

    # No pair passes these, and all gaps are equal.
    for quantity in ("delta", "r1", "r1_signed", "r3", "r3_top", "r3_signed"):
        row = table.loc[("overall", quantity)]
        assert row["difference"] == 0, quantity
        assert row["low"] == 0, quantity
        assert row["high"] == 0, quantity
        assert row["p"] == 1, quantity


@pytest.mark.parametrize("reading", ["r3", "r3_top", "r3_signed", "r3_embedding", "r3_both"])
def test_each_reading_of_the_three_rules_is_compared_by_its_own_verdicts(reading: str) -> None:
    # Of two pairs in each category both pass with the schema and the first without.
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


class Model(NamedTuple):
    """A trained model: the gaps of two pairs, whether each passes (in every verdict alike), and exact match."""

    gaps: tuple[float, float]
    passes: tuple[bool, bool]
    exact_match: float


# By seed; the model with the schema of seed 5 did not meet the criterion.
MODELS = {
    0: {
        "schema": Model((3.0, 2.0), (True, True), 0.95),
        "no_schema": Model((1.0, 0.0), (True, False), 0.8),
    },
    5: {
        "schema": Model((2.0, 1.0), (False, False), 0.7),
        "no_schema": Model((0.5, 0.5), (True, False), 0.75),
    },
    7: {
        "schema": Model((1.0, 0.6), (True, False), 0.97),
        "no_schema": Model((0.4, 0.0), (False, False), 0.81),
    },
}


def contrasts(seeds: Iterable[int] = tuple(MODELS), confidence_level: float = 0.95) -> pd.DataFrame:
    """The contrasts of MODELS, with a control that has no condition."""
    rules = [{"run": "grounded_2", "pair": "a", "delta": 9.0} | dict.fromkeys(CONTRASTED, True)]
    trained = []
    for seed in seeds:
        for condition, model in MODELS[seed].items():
            run = f"{condition}-s{seed}"
            for pair, gap, passed in zip("ab", model.gaps, model.passes, strict=True):
                verdicts = dict.fromkeys(CONTRASTED, passed)
                rules.append({"run": run, "pair": pair, "delta": gap} | verdicts)
            trained.append((run, condition, seed, seed != 5, model.exact_match))
    columns = ["run", "condition", "seed", "met_criterion", "exact_match"]
    models = pd.DataFrame(trained, columns=columns)
    table = contrast_models(pd.DataFrame(rules), models, confidence_level=confidence_level)
    return table.set_index(["models", "quantity"])


def test_models_of_one_seed_are_compared_and_seeds_drawn() -> None:
    row = contrasts().loc[("all", "delta")]

    # Means over pairs 2.5, 1.5, 0.8 and 0.5, 0.5, 0.2.
    assert row["schema"] == pytest.approx(4.8 / 3)
    assert row["no_schema"] == pytest.approx(1.2 / 3)

    # Differences 2, 1, 0.6: mean 1.2, squared deviations 0.64 + 0.04 + 0.36 = 1.04; t(2) at 97.5% is 4.302653.
    reach = 4.302653 * (1.04 / 2 / 3) ** 0.5
    assert row["difference"] == pytest.approx(1.2)
    assert row["low"] == pytest.approx(1.2 - reach)
    assert row["high"] == pytest.approx(1.2 + reach)
    assert row["smallest"] == pytest.approx(reach)
    assert row["lowest"] == pytest.approx(0.6)
    assert row["highest"] == pytest.approx(2.0)
    assert row["seeds"] == 3


def test_shares_are_contrasted_and_their_interval_ends_at_one() -> None:
    row = contrasts().loc[("all", "r3")]

    # Shares 1, 0, 0.5 and 0.5, 0.5, 0: differences 0.5, -0.5, 0.5, mean 1/6, squared deviations 1/9 + 4/9 + 1/9.
    reach = 4.302653 * (6 / 9 / 2 / 3) ** 0.5
    assert row["difference"] == pytest.approx(1 / 6)
    assert row["smallest"] == pytest.approx(reach)
    assert reach > 1
    assert row["low"] == -1
    assert row["high"] == 1


def test_exact_match_is_contrasted_as_shares_are() -> None:
    table = contrasts()

    # Differences 0.15, -0.05, 0.16.
    assert table.loc[("all", "exact_match"), "difference"] == pytest.approx(0.26 / 3)
    assert table.loc["all"].index.tolist() == ["exact_match", "delta", *CONTRASTED]


def test_seeds_at_the_criterion_are_contrasted_once_more() -> None:
    row = contrasts().loc[("criterion", "r3")]

    # Both differ by 0.5.
    assert row["difference"] == pytest.approx(0.5)
    assert row["smallest"] == pytest.approx(0.0)
    assert row["seeds"] == 2


@pytest.mark.parametrize(("seed", "difference"), [(5, 1.0), (7, 0.6)])
def test_one_seed_has_no_interval(seed: int, difference: float) -> None:
    row = contrasts([seed]).loc[("all", "delta")]

    assert row["difference"] == pytest.approx(difference)
    assert row[["low", "high", "smallest"]].isna().all()


def test_without_a_seed_at_the_criterion_there_is_no_mean_of_them() -> None:
    row = contrasts([5]).loc[("criterion", "delta")]

    assert row["seeds"] == 0
    assert pd.isna(row["difference"])


def test_one_seed_at_the_criterion_has_a_mean() -> None:
    row = contrasts([7]).loc[("criterion", "delta")]

    assert row["seeds"] == 1
    assert row["difference"] == pytest.approx(0.6)


# The values of the two seeds.
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
    wide = scored().loc[key]
    narrow = scored(confidence_level=0.1).loc[key]

    # Of two requests and two seeds.
    assert wide["low"] == 0
    assert wide["high"] == 1

    by_request = np.array(sums, float)
    low, high = crossed_interval(by_request, np.array(sizes, float), confidence_level=0.1)
    assert narrow["low"] == pytest.approx(low)
    assert narrow["high"] == pytest.approx(high)
    assert 0 < narrow["low"] < narrow["high"] < 1
