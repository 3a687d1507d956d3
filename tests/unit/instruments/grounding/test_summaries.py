"""Accuracy, comparison, recovery, reading and behaviour, on tables small enough to be counted by hand."""

import itertools
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from mechaware.core.stats import crossed_interval
from mechaware.instruments.grounding.summaries import (
    INTERACTION,
    behaviour_table,
    compare_conditions,
    contrast_models,
    cut_profile,
    map_profile,
    recovery_profile,
)
from tests.unit.core.exact_tests import exact_p
from tests.unit.instruments.grounding.tables_by_hand import (
    CONTRASTED,
    CUTS,
    DRAWS,
    VERDICTS,
    compared,
    judged,
    scored,
    single_cuts,
)

CATEGORIES = ("db_synonyms", "db_scramble", "non_db_synonyms", "non_db_scramble", "super_scramble")


def patched(
    run: str, pair: str, clean: float, corrupted: float, values: Sequence[float]
) -> pd.DataFrame:
    """Rows of a patching table; `values` are the patched differences of the layers 1, 2, ... ."""
    rows = []
    for layer, value in enumerate((clean, *values)):
        rows.append((run, pair, "db_synonyms", layer, clean, corrupted, value))
    columns = ["run", "pair", "category", "layer", "clean_diff", "corrupted_diff", "patched_diff"]
    return pd.DataFrame(rows, columns=columns)


# --- compare_conditions -----------------------------------------------------------------------------------------------

# The differences of the two pairs by seed: the first value minus the third, the second minus the fourth.
BY_SEED = {
    "db_synonyms": ((1.5, 0.5), (1.0, 0.0)),
    "db_scramble": ((-1.0, -3.0), (0.5, -1.5)),
    "non_db_synonyms": ((-1.0, 1.0), (0.5, -0.5)),
    "non_db_scramble": ((3.0, 1.0), (-1.0, -1.0)),
    "super_scramble": ((4.0, 4.0), (1.0, 1.0)),
}
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


# --- recovery_profile -------------------------------------------------------------------------------------------------


PROFILED = pd.concat(
    [
        patched("a", "up", 2.0, 0.0, (1.0, 3.0)),  # gap 2, shifts 1 and 3: shares 0.5, 1 (capped)
        # Gap -1, shifts -0.25 and 0.5: 0.25, 0 (capped).
        patched("a", "down", -1.0, 0.0, (-0.25, 0.5)),
        patched("a", "small", 0.3, 0.0, (0.3, 0.3)),  # fails R1 at 0.4
    ],
    ignore_index=True,
)


@pytest.mark.parametrize(("layer", "up", "down"), [(1, 0.5, 0.25), (2, 1.0, 0.0)])
def test_the_profile_is_the_mean_share_of_the_gap(layer: int, up: float, down: float) -> None:
    def profiled(confidence_level: float) -> pd.Series:
        profile = recovery_profile(PROFILED, tau=0.4, confidence_level=confidence_level, **DRAWS)
        return profile.set_index(["run", "layer"]).loc[("a", layer)]

    wide = profiled(0.95)
    narrow = profiled(0.4)

    mean = (up + down) / 2
    assert wide["recovered"] == pytest.approx(mean)
    # Of the draws of two pairs a quarter is the lower one twice: 95% span both, 40% only the mean.
    assert wide["low"] == pytest.approx(min(up, down))
    assert wide["high"] == pytest.approx(max(up, down))
    assert narrow["low"] == pytest.approx(mean)
    assert narrow["high"] == pytest.approx(mean)
    assert wide["n"] == 2


DIRECTIONS = ("denoise", "noise")
# The shares of `up` and of `down`.
SHARES = {
    ("denoise", "1"): (0.25, 0.75),
    ("denoise", "2"): (0.75, 1.25),
    ("denoise", INTERACTION): (0.0, -1.0),
    ("noise", "1"): (0.75, 0.0),
    ("noise", "2"): (-0.25, 1.0),
    ("noise", INTERACTION): (0.5, 0.0),
}


def cut_shares_of(
    cuts: pd.DataFrame, tau: float = 0.4, confidence_level: float = 0.95
) -> pd.DataFrame:
    profile = cut_profile(cuts, tau=tau, confidence_level=confidence_level, **DRAWS)
    return profile.set_index(["run", "mode", "block"])


@pytest.mark.parametrize("key", SHARES, ids=" ".join)
def test_a_block_has_the_mean_share_of_the_pairs_that_pass_r1(key: tuple[str, str]) -> None:
    up, down = SHARES[key]

    wide = cut_shares_of(CUTS, confidence_level=0.95).loc[("a", *key)]
    narrow = cut_shares_of(CUTS, confidence_level=0.4).loc[("a", *key)]

    mean = (up + down) / 2
    assert wide["share"] == pytest.approx(mean)
    # Of the draws of two pairs a quarter is the lower one twice: 95% span both, 40% only the mean.
    assert wide["low"] == pytest.approx(min(up, down))
    assert wide["high"] == pytest.approx(max(up, down))
    assert narrow["low"] == pytest.approx(mean)
    assert narrow["high"] == pytest.approx(mean)
    assert wide["n"] == 2


def test_the_profile_has_every_block_by_number_and_then_what_they_leave() -> None:
    ten = single_cuts("c", "p", 1.0, 0.0, dict.fromkeys(DIRECTIONS, [0.05] * 10)).iloc[::-1]

    table = cut_shares_of(pd.concat([CUTS, ten], ignore_index=True))

    assert set(table.index.get_level_values("run")) == {"a", "c"}  # in run b no pair passes R1
    assert list(table.loc["c"].loc["denoise"].index) == [*map(str, range(1, 11)), INTERACTION]
    assert table.loc[("c", "denoise", INTERACTION), "share"] == pytest.approx(0.5)  # 1 - 10 * 0.05
    assert table.loc[("c", "noise", INTERACTION), "share"] == pytest.approx(1 - 10 * 0.95)


@pytest.mark.parametrize(("clean", "corrupted"), [(0.7, 0.3), (0.3, 0.7)])
def test_a_gap_of_exactly_tau_has_shares_of_blocks(clean: float, corrupted: float) -> None:
    # In floating point 0.7 - 0.3 is less than 0.4.
    cuts = single_cuts("a", "p", clean, corrupted, dict.fromkeys(DIRECTIONS, (clean, corrupted)))

    table = cut_shares_of(cuts)

    assert table.loc["a", "n"].unique().tolist() == [1]
    assert table.loc[("a", "denoise"), "share"].tolist() == pytest.approx([1, 0, 0])


WITHOUT_GAP = single_cuts("a", "flat", 1.0, 1.0, dict.fromkeys(DIRECTIONS, (2.0, 0.0)))


def test_a_pair_without_a_gap_does_not_count_at_tau_0() -> None:
    cuts_of_up = CUTS[CUTS["pair"] == "up"]

    table = cut_shares_of(pd.concat([cuts_of_up, WITHOUT_GAP], ignore_index=True), tau=0.0)

    for key, (up, _) in SHARES.items():
        row = table.loc[("a", *key)]
        assert row["share"] == pytest.approx(up), key
        assert row["low"] == pytest.approx(up), key
        assert row["high"] == pytest.approx(up), key
        assert row["n"] == 1, key


def test_a_run_without_a_gap_has_no_shares_at_tau_0() -> None:
    assert cut_shares_of(WITHOUT_GAP, tau=0.0).empty


def test_the_map_has_the_median_over_pairs() -> None:
    rows = []
    for run, position, layer, values in (
        ("b", "schema word", 0, (0.0, 1.0, 0.4)),
        ("b", "schema word", 1, (0.5, None, 0.7)),  # without a gap a pair has no value
        ("b", "final", 0, (None, None, None)),
        ("a", "schema word", 0, (-2.0, 1.0, 9.0)),
    ):
        for pair, value in zip("pqr", values, strict=True):
            rows.append((run, pair, position, layer, value))
    columns = ["run", "pair", "position", "layer", "recovered"]
    residual_map = pd.DataFrame(rows, columns=columns).astype({"recovered": float})

    table = map_profile(residual_map)

    assert list(table[["run", "position", "layer"]].itertuples(index=False, name=None)) == [
        ("b", "schema word", 0),
        ("b", "schema word", 1),
        ("b", "final", 0),
        ("a", "schema word", 0),
    ]
    assert table["recovered"].tolist() == pytest.approx([0.4, 0.6, float("nan"), 1.0], nan_ok=True)


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
