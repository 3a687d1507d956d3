"""Accuracy, comparison, recovery, reading and behaviour, on tables small enough to be counted by hand."""

import itertools
from collections.abc import Iterable, Sequence
from fractions import Fraction

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
    rows = [
        (run, pair, "db_synonyms", layer, clean, corrupted, value)
        for layer, value in enumerate((clean, *values))
    ]
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
        # sums over the ten pairs: 16.5 and 11.5, and 1.5 - 2.5 + 0 + 1 + 5 = 5 of the differences
        ("overall", 1.65, 1.15, 0.5, None),
    ],
)
def test_gaps_are_averaged_over_seeds_and_compared_pair_by_pair(
    category: str, schema: float, no_schema: float, difference: float, p: float | None
) -> None:
    row = compared().loc[(category, "delta")]
    assert row["schema"] == pytest.approx(schema)
    assert row["no_schema"] == pytest.approx(no_schema)
    assert row["difference"] == pytest.approx(difference)
    chosen = (
        itertools.chain(*DIFFERENCES.values()) if category == "overall" else DIFFERENCES[category]
    )
    expected = exact_p([Fraction(value) for value in chosen]) if p is None else p
    assert row["p"] == pytest.approx(expected)
    assert row["n"] == (10 if category == "overall" else 2)


def test_a_difference_has_its_interval_over_pairs_and_seeds_and_the_range_of_its_seeds() -> None:
    table = compared(0.8)
    for category, by_pair in BY_SEED.items():
        of_seeds = [(by_pair[0][seed] + by_pair[1][seed]) / 2 for seed in (0, 1)]
        row = table.loc[(category, "delta")]
        assert (row["low"], row["high"]) == pytest.approx(
            crossed_interval(np.array(by_pair, float), confidence_level=0.8)
        )
        assert (row["lowest"], row["highest"]) == pytest.approx((min(of_seeds), max(of_seeds))), (
            category
        )
        assert row["seeds"] == 2
    # Over ten pairs, seed 0: 1.5 + 1 - 1 + 0.5 - 1 + 0.5 + 3 - 1 + 4 + 1 = 8.5, seed 1: 1.5.
    overall = table.loc[("overall", "delta")]
    assert (overall["lowest"], overall["highest"]) == pytest.approx((0.15, 0.85))


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
    assert (overall["schema"], overall["no_schema"], overall["difference"]) == pytest.approx(
        (0.75, 0.45, 0.3)
    )
    assert overall["n"] == 20
    # No pair passes these, and all gaps are equal.
    for quantity in ("delta", "r1", "r1_signed", "r3", "r3_top", "r3_signed"):
        row = table.loc[("overall", quantity)]
        numbers = (row["difference"], row["low"], row["high"], row["p"])
        assert numbers == (0.0, 0.0, 0.0, 1.0), quantity


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
    assert overall["difference"].to_dict() == {
        quantity: 0.5 if quantity == reading else 0.0 for quantity in ("delta", *VERDICTS)
    }


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
    assert wide["recovered"] == pytest.approx((up + down) / 2)
    assert (wide["low"], wide["high"]) == pytest.approx((min(up, down), max(up, down)))
    assert (narrow["low"], narrow["high"]) == pytest.approx(((up + down) / 2,) * 2)
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
    return cut_profile(cuts, tau=tau, confidence_level=confidence_level, **DRAWS).set_index(
        ["run", "mode", "block"]
    )


@pytest.mark.parametrize("key", SHARES, ids=" ".join)
def test_a_block_has_the_mean_share_of_the_pairs_that_pass_r1(key: tuple[str, str]) -> None:
    up, down = SHARES[key]
    wide = cut_shares_of(CUTS, confidence_level=0.95).loc[("a", *key)]
    narrow = cut_shares_of(CUTS, confidence_level=0.4).loc[("a", *key)]
    assert wide["share"] == pytest.approx((up + down) / 2)
    # Of the draws of two pairs a quarter is the lower one twice: 95% span both, 40% only the mean.
    assert (wide["low"], wide["high"]) == pytest.approx((min(up, down), max(up, down)))
    assert (narrow["low"], narrow["high"]) == pytest.approx(((up + down) / 2,) * 2)
    assert wide["n"] == 2


def test_the_profile_has_every_block_by_number_and_then_what_they_leave() -> None:
    ten = single_cuts("c", "p", 1.0, 0.0, {mode: [0.05] * 10 for mode in DIRECTIONS}).iloc[::-1]
    table = cut_shares_of(pd.concat([CUTS, ten], ignore_index=True))
    assert set(table.index.get_level_values("run")) == {"a", "c"}  # in run b no pair passes R1
    assert list(table.loc["c"].loc["denoise"].index) == [*map(str, range(1, 11)), INTERACTION]
    assert table.loc[("c", "denoise", INTERACTION), "share"] == pytest.approx(0.5)  # 1 - 10 * 0.05
    assert table.loc[("c", "noise", INTERACTION), "share"] == pytest.approx(1 - 10 * 0.95)


@pytest.mark.parametrize(("clean", "corrupted"), [(0.7, 0.3), (0.3, 0.7)])
def test_a_gap_of_exactly_tau_has_shares_of_blocks(clean: float, corrupted: float) -> None:
    # In floating point 0.7 - 0.3 is less than 0.4.
    table = cut_shares_of(
        single_cuts("a", "p", clean, corrupted, dict.fromkeys(DIRECTIONS, (clean, corrupted)))
    )
    assert table.loc["a", "n"].unique().tolist() == [1]
    assert table.loc[("a", "denoise"), "share"].tolist() == pytest.approx([1, 0, 0])


def test_a_pair_without_a_gap_has_no_share_of_it_at_tau_0() -> None:
    flat = single_cuts("a", "flat", 1.0, 1.0, dict.fromkeys(DIRECTIONS, (2.0, 0.0)))
    table = cut_shares_of(pd.concat([CUTS[CUTS["pair"] == "up"], flat], ignore_index=True), tau=0.0)
    for key, (up, _) in SHARES.items():
        row = table.loc[("a", *key)]
        assert (row["share"], row["low"], row["high"], row["n"]) == pytest.approx(
            (up, up, up, 1)
        ), key
    assert cut_shares_of(flat, tau=0.0).empty


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


# Of each seed: gaps of two pairs and verdicts on them, with the schema and without. The model with the schema of seed 5
# did not meet the criterion.
MODELS = {
    0: ([3.0, 2.0], [1.0, 0.0], [True, True], [True, False]),
    5: ([2.0, 1.0], [0.5, 0.5], [False, False], [True, False]),
    7: ([1.0, 0.6], [0.4, 0.0], [True, False], [False, False]),
}
EXACT = {0: (0.95, 0.8), 5: (0.7, 0.75), 7: (0.97, 0.81)}


def contrasts(seeds: Iterable[int] = tuple(MODELS), confidence_level: float = 0.95) -> pd.DataFrame:
    """The contrasts of MODELS, with a control that has no condition; every verdict passes alike."""
    rules = [{"run": "grounded_2", "pair": "a", "delta": 9.0} | dict.fromkeys(CONTRASTED, True)]
    trained = []
    for seed in seeds:
        for place, condition in enumerate(("schema", "no_schema")):
            run = f"{condition}-s{seed}"
            (gaps, passes) = MODELS[seed][place::2]
            rules += [
                {"run": run, "pair": pair, "delta": gap} | dict.fromkeys(CONTRASTED, passed)
                for pair, gap, passed in zip("ab", gaps, passes, strict=True)
            ]
            trained.append((run, condition, seed, seed != 5, EXACT[seed][place]))
    columns = ["run", "condition", "seed", "met_criterion", "exact_match"]
    models = pd.DataFrame(trained, columns=columns)
    table = contrast_models(pd.DataFrame(rules), models, confidence_level=confidence_level)
    return table.set_index(["models", "quantity"])


def test_models_of_one_seed_are_compared_and_seeds_drawn() -> None:
    row = contrasts().loc[("all", "delta")]
    # Means over pairs 2.5, 1.5, 0.8 and 0.5, 0.5, 0.2.
    assert (row["schema"], row["no_schema"]) == pytest.approx((4.8 / 3, 1.2 / 3))
    # Differences 2, 1, 0.6: mean 1.2, squared deviations 0.64 + 0.04 + 0.36 = 1.04; t(2) at 97.5% is 4.302653.
    reach = 4.302653 * (1.04 / 2 / 3) ** 0.5
    assert (row["difference"], row["low"], row["high"]) == pytest.approx(
        (1.2, 1.2 - reach, 1.2 + reach)
    )
    assert row["smallest"] == pytest.approx(reach)
    assert (row["lowest"], row["highest"]) == pytest.approx((0.6, 2.0))
    assert row["seeds"] == 3


def test_shares_and_exact_match_are_contrasted_alike_and_the_interval_of_shares_ends_at_one() -> (
    None
):
    found = contrasts()
    # Shares 1, 0, 0.5 and 0.5, 0.5, 0: differences 0.5, -0.5, 0.5, mean 1/6, squared deviations 1/9 + 4/9 + 1/9.
    row = found.loc[("all", "r3")]
    reach = 4.302653 * (6 / 9 / 2 / 3) ** 0.5
    assert row["difference"] == pytest.approx(1 / 6)
    assert row["smallest"] == pytest.approx(reach)
    assert reach > 1
    assert (row["low"], row["high"]) == (-1, 1)
    # Differences 0.15, -0.05, 0.16.
    assert found.loc[("all", "exact_match"), "difference"] == pytest.approx(0.26 / 3)
    quantities = found.loc["all"].index
    assert quantities.tolist() == ["exact_match", "delta", *CONTRASTED]


def test_seeds_at_the_criterion_are_contrasted_once_more() -> None:
    row = contrasts().loc[("criterion", "r3")]
    # Both differ by 0.5.
    assert (row["difference"], row["smallest"], row["seeds"]) == pytest.approx((0.5, 0.0, 2))


@pytest.mark.parametrize(("seeds", "at_the_criterion"), [((7,), 1), ((5,), 0)])
def test_one_seed_has_no_interval_and_no_seed_no_mean(
    seeds: tuple[int, ...], at_the_criterion: int
) -> None:
    found = contrasts(seeds)
    one = found.loc[("all", "delta")]
    assert one["difference"] == pytest.approx({5: 1.0, 7: 0.6}[seeds[0]])
    assert one[["low", "high", "smallest"]].isna().all()
    row = found.loc[("criterion", "delta")]
    assert row["seeds"] == at_the_criterion
    assert pd.isna(row["difference"]) == (at_the_criterion == 0)


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
    row = scored().loc[key]
    first, second = BY_HAND[key]
    assert row["value"] == pytest.approx((first + second) / 2)
    assert (row["lowest"], row["highest"]) == pytest.approx(
        (min(first, second), max(first, second))
    )
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
    assert (wide["low"], wide["high"]) == (0, 1)  # two requests, two seeds
    expected = crossed_interval(np.array(sums, float), np.array(sizes, float), confidence_level=0.1)
    assert (narrow["low"], narrow["high"]) == pytest.approx(expected)
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


@pytest.mark.parametrize("confidence_level", [0.95, 0.8])
def test_answers_are_counted_where_one_is_right_at_all_places_and_at_each(
    confidence_level: float,
) -> None:
    table = behaviour_table(ANSWERS, confidence_level=confidence_level).set_index(
        ["run", "prompt", "column"]
    )
    assert list(table.index) == list(EXPECTED)
    # The first two of five are database words.
    assert table.loc[("a", "clean", 0), ["right_db", "right_other"]].tolist() == pytest.approx(
        [1 / 2, 2 / 3]
    )
    assert np.isnan(table.loc[("a", "clean", 1), "right_other"])
    for key, (n, right, first, most_likely) in EXPECTED.items():
        row = table.loc[key]
        assert (row["n"], row["right"]) == (n, pytest.approx(right / n)), key
        assert (row["first"], row["most_likely"]) == pytest.approx((first, most_likely)), key
        interval = binomtest(right, n).proportion_ci(confidence_level, method="exact")
        assert (row["low"], row["high"]) == pytest.approx((interval.low, interval.high)), key
