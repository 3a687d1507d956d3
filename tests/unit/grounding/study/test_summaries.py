"""Summaries of verdicts and patching results on tables small enough to be counted by hand."""

import itertools
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from mechaware.grounding.study.summaries import compare_conditions, recovery_profile
from mechaware.stats import crossed_interval, paired_permutation

CATEGORIES = ("db_synonyms", "db_scramble", "non_db_synonyms", "non_db_scramble", "super_scramble")
VERDICTS = ("r1", "r1_signed", "r2", "r3", "r3_top", "r3_embedding", "grounded")
DRAWS: dict[str, Any] = {"resamples": 2000, "seed": 7}


def judged(run: str, pair: str, category: str = "db_synonyms", delta: float = 1.0, passes: str = "", **more: object):
    """A row of `apply_rules`: `passes` names the verdicts that hold."""
    row: dict[str, object] = {
        "run": run,
        "pair": pair,
        "category": category,
        "clean_diff": delta,
        "corrupted_diff": 0.0,
        "delta": delta,
        "best_recovery": 0.0,
        "top_layer": None,
        "recovered": 0.0,
        "top_layers": "",
        **{verdict: verdict in passes.split() for verdict in VERDICTS},
    }
    return row | more


def rules_table(rows: Iterable[dict[str, object]]) -> pd.DataFrame:
    """Rows of `apply_rules` with its missing layers."""
    return pd.DataFrame(list(rows)).astype({"top_layer": "Int64"})


def patched(run: str, pair: str, clean: float, corrupted: float, values: Sequence[float]) -> list[dict[str, object]]:
    """Rows of a patching table; `values` are the patched differences of the layers 1, 2, ... ."""
    return [
        {
            "run": run,
            "pair": pair,
            "category": "db_synonyms",
            "layer": layer,
            "clean_diff": clean,
            "corrupted_diff": corrupted,
            "patched_diff": value,
        }
        for layer, value in enumerate((clean, *values))
    ]


def patching_table(*parts: list[dict[str, object]]) -> pd.DataFrame:
    return pd.DataFrame(list(itertools.chain(*parts)))


# --- paired_permutation -----------------------------------------------------------------------------------------------


def exact_p(differences: Sequence[Fraction | int]) -> float:
    """The share of all 2^n signings whose sum is at least as far from 0 as the one seen."""
    seen = abs(sum(differences))
    signings = list(itertools.product((1, -1), repeat=len(differences)))
    far = sum(abs(sum(s * d for s, d in zip(signs, differences, strict=True))) >= seen for signs in signings)
    return far / len(signings)


def test_three_pairs_of_one_sign_have_p_of_a_quarter() -> None:
    # Of 8 signings of 1, 2, 3 only +++ and --- reach 6. Of -1, 2, 3: |4| is reached by sums 6, 4, -4, -6.
    assert paired_permutation(np.array([1.0, 2.0, 3.0]), resamples=1000, seed=0) == pytest.approx(2 / 8)
    assert paired_permutation(np.array([-1.0, 2.0, 3.0]), resamples=1000, seed=0) == pytest.approx(4 / 8)


def test_pairs_without_a_difference_count_for_nothing() -> None:
    assert paired_permutation(np.array([0.0, 1.0, 2.0, 0.0, 3.0]), resamples=1000, seed=0) == pytest.approx(2 / 8)
    assert paired_permutation(np.zeros(4), resamples=1000, seed=0) == 1.0


@pytest.mark.parametrize("difference", [[0.5], [0.0, 1.0, 0.0], [-2.0]])
def test_a_single_difference_proves_nothing(difference: list[float]) -> None:
    # Both signings are as far from 0 as the one seen: p = 1.
    assert paired_permutation(np.array(difference), resamples=1000, seed=0) == 1.0


def test_differences_that_cancel_out_prove_nothing() -> None:
    # Shares of three seeds, as in 2/3 - 1/3 or 0 - 2/3: their sum is 0, and no signing's is nearer to 0.
    difference = np.array([1 / 3, 2 / 3, -1 / 3, -2 / 3])
    assert paired_permutation(difference, resamples=1000, seed=0) == 1.0


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-9, 9), min_size=2, max_size=8), st.sampled_from([1, 3, 10]))
def test_p_of_few_pairs_is_that_of_all_signings(tenths: list[int], divisor: int) -> None:
    # Divided by 3 or 10, sums that tie in whole numbers differ in their last bits.
    if sum(value != 0 for value in tenths) == 1 or sum(tenths) == 0:
        return  # see above
    p = paired_permutation(np.array(tenths) / divisor, resamples=2**8, seed=0)
    assert p == pytest.approx(exact_p(tenths))


@pytest.mark.parametrize(("only_first", "only_second"), [(2, 0), (7, 2), (3, 3), (1, 9), (10, 0)])
def test_p_of_right_answers_is_mcnemars(only_first: int, only_second: int) -> None:
    difference = np.array([1.0] * only_first + [-1.0] * only_second + [0.0] * 30)
    expected = binomtest(only_first, only_first + only_second).pvalue
    assert paired_permutation(difference, resamples=1024, seed=0) == pytest.approx(expected)


def test_p_of_many_pairs_is_drawn() -> None:
    # 30 pairs, 20 up and 10 down: McNemar's p is 0.0987; 2000 draws are off by sqrt(0.1 * 0.9 / 2000) = 0.0067 or so,
    # and twice that where both tails are read off one.
    difference = np.array([1.0] * 20 + [-1.0] * 10)
    p = paired_permutation(difference, resamples=2000, seed=1)
    assert p == pytest.approx(binomtest(10, 30).pvalue, abs=0.04)
    assert p == paired_permutation(difference, resamples=2000, seed=1)
    assert len({paired_permutation(difference, resamples=2000, seed=seed) for seed in range(5)}) > 1


def test_drawn_signings_never_give_p_of_0() -> None:
    # None of 999 draws will reach the sum of 40 equal differences; the one seen is counted among them.
    assert 0 < paired_permutation(np.ones(40), resamples=999, seed=0) <= 0.002 + 1e-12


# --- compare_conditions -----------------------------------------------------------------------------------------------

# Gaps of two pairs per category in the runs schema-s0, schema-s1, no_schema-s0, no_schema-s1. By hand: the mean of the
# first two, of the last two, and their difference.
GAPS = {
    "db_synonyms": ((2.0, 1.0, 0.5, 0.5), (1.0, 1.0, 0.0, 1.0)),  # 1.5 - 0.5 = 1.0;  1.0 - 0.5 = 0.5
    "db_scramble": ((0.0, 0.0, 1.0, 3.0), (1.0, -1.0, 0.5, 0.5)),  # 0 - 2 = -2;  0 - 0.5 = -0.5
    "non_db_synonyms": ((1.0, 3.0, 2.0, 2.0), (0.5, 0.5, 0.0, 1.0)),  # 0;  0
    "non_db_scramble": ((4.0, 2.0, 1.0, 1.0), (0.0, 1.0, 1.0, 2.0)),  # 3 - 1 = 2;  0.5 - 1.5 = -1
    "super_scramble": ((5.0, 5.0, 1.0, 1.0), (2.0, 4.0, 1.0, 3.0)),  # 5 - 1 = 4;  3 - 2 = 1
}
DIFFERENCES = {
    "db_synonyms": (1.0, 0.5),
    "db_scramble": (-2.0, -0.5),
    "non_db_synonyms": (0.0, 0.0),
    "non_db_scramble": (2.0, -1.0),
    "super_scramble": (4.0, 1.0),
}
# The same differences of the two pairs by seed: the first value minus the third, the second minus the fourth.
BY_SEED = {
    "db_synonyms": ((1.5, 0.5), (1.0, 0.0)),
    "db_scramble": ((-1.0, -3.0), (0.5, -1.5)),
    "non_db_synonyms": ((-1.0, 1.0), (0.5, -0.5)),
    "non_db_scramble": ((3.0, 1.0), (-1.0, -1.0)),
    "super_scramble": ((4.0, 4.0), (1.0, 1.0)),
}
RUNS = ["schema-s0", "schema-s1", "no_schema-s0", "no_schema-s1"]


def compared(level: float = 0.95, gaps: dict[str, Any] = GAPS) -> pd.DataFrame:
    """The comparison of GAPS; the pairs of each run come in another order, beside a control that no condition has."""
    rows = [
        judged(run, f"{category} {i}", category, values[place])
        for place, run in enumerate(RUNS)
        for category, both in list(gaps.items())[:: 1 - 2 * (place % 2)]
        for i, values in enumerate(both)
    ]
    control = [judged("grounded_2", f"{category} {i}", category, 100.0) for category in gaps for i in range(2)]
    rules = rules_table([*control, *rows])
    return compare_conditions(rules, level=level, **DRAWS).set_index(["category", "quantity"])


def test_every_category_and_quantity_is_compared_once() -> None:
    expected = set(itertools.product((*CATEGORIES, "overall"), ("delta", *VERDICTS)))
    index = compared().index
    assert set(index) == expected
    assert len(index) == len(expected)


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
    chosen = itertools.chain(*DIFFERENCES.values()) if category == "overall" else DIFFERENCES[category]
    expected = exact_p([Fraction(value) for value in chosen]) if p is None else p
    assert row["p"] == pytest.approx(expected)
    assert row["n"] == (10 if category == "overall" else 2)


@pytest.mark.parametrize("category", CATEGORIES)
def test_a_difference_has_an_interval_over_pairs_and_seeds(category: str) -> None:
    row = compared(0.8).loc[(category, "delta")]
    assert (row["low"], row["high"]) == pytest.approx(crossed_interval(np.array(BY_SEED[category], float), level=0.8))


def test_a_difference_has_the_range_of_its_seeds() -> None:
    table = compared()
    for category, by_pair in BY_SEED.items():
        of_seeds = [(by_pair[0][seed] + by_pair[1][seed]) / 2 for seed in (0, 1)]
        row = table.loc[(category, "delta")]
        assert (row["lowest"], row["highest"]) == pytest.approx((min(of_seeds), max(of_seeds))), category
        assert row["seeds"] == 2
    # Over ten pairs, seed 0: 1.5 + 1 - 1 + 0.5 - 1 + 0.5 + 3 - 1 + 4 + 1 = 8.5, seed 1: 1.5.
    overall = table.loc[("overall", "delta")]
    assert (overall["lowest"], overall["highest"]) == pytest.approx((0.15, 0.85))


def test_seeds_that_agree_leave_the_interval_over_pairs() -> None:
    # Differences 4 and 1 of two pairs: mean 2.5, error 1.5, and the t of one degree of freedom at a level of 0.5 is 1.
    alone = {category: tuple((v[0], v[0], v[2], v[2]) for v in both) for category, both in GAPS.items()}
    row = compared(0.5, alone).loc[("super_scramble", "delta")]
    assert (row["low"], row["high"]) == pytest.approx((1.0, 4.0))


def test_exchanging_the_conditions_changes_the_sign_of_the_difference() -> None:
    exchanged = {category: [(*v[2:], *v[:2]) for v in both] for category, both in GAPS.items()}
    ours, other = compared().loc[("overall", "delta")], compared(gaps=exchanged).loc[("overall", "delta")]
    assert other["difference"] == pytest.approx(-ours["difference"])
    assert (other["low"], other["high"]) == pytest.approx((-ours["high"], -ours["low"]))
    assert other["p"] == pytest.approx(ours["p"])


def verdict_comparison(schema: dict[str, list[str]], no_schema: dict[str, list[str]]) -> pd.DataFrame:
    """A string of 1 and 0 per category and seed tells which of its pairs pass R2; no other rule is passed."""
    rows = [
        judged(f"{condition}-s{seed}", f"{category} {i}", category, 1.0, "r2" if digit == "1" else "")
        for condition, passes in (("schema", schema), ("no_schema", no_schema))
        for category, runs in passes.items()
        for seed, digits in enumerate(runs)
        for i, digit in enumerate(digits)
    ]
    return compare_conditions(rules_table(rows), level=0.95, **DRAWS).set_index(["category", "quantity"])


def test_p_of_verdicts_is_mcnemars() -> None:
    schema = ["1111", "1110", "1100", "0011", "1111"]
    no_schema = ["1100", "0001", "1100", "0000", "1111"]
    only_schema, only_no_schema = [2, 3, 0, 2, 0], [0, 1, 0, 0, 0]
    table = verdict_comparison(
        {name: [digits] for name, digits in zip(CATEGORIES, schema, strict=True)},
        {name: [digits] for name, digits in zip(CATEGORIES, no_schema, strict=True)},
    )
    for name, more, fewer in zip(CATEGORIES, only_schema, only_no_schema, strict=True):
        expected = binomtest(more, more + fewer).pvalue if more + fewer else 1.0
        assert table.loc[(name, "r2"), "p"] == pytest.approx(expected), name
        assert table.loc[(name, "r2"), "difference"] == pytest.approx((more - fewer) / 4), name
    overall = table.loc[("overall", "r2")]
    assert overall["p"] == pytest.approx(binomtest(7, 8).pvalue)
    # 4 + 3 + 2 + 2 + 4 = 15 and 2 + 1 + 2 + 0 + 4 = 9 of 20
    assert (overall["schema"], overall["no_schema"], overall["difference"]) == pytest.approx((0.75, 0.45, 0.3))
    assert overall["n"] == 20


def test_other_verdicts_are_compared_on_their_own() -> None:
    table = verdict_comparison({name: ["11"] for name in CATEGORIES}, {name: ["00"] for name in CATEGORIES})
    assert table.loc[("overall", "r2"), "difference"] == 1.0
    assert table.loc[("overall", "r2"), "p"] == pytest.approx(2 / 2**10)
    for quantity in ("delta", "r1", "r1_signed", "r3", "r3_top"):
        row = table.loc[("overall", quantity)]
        assert (row["difference"], row["low"], row["high"], row["p"]) == (0.0, 0.0, 0.0, 1.0), quantity


def test_passes_of_several_seeds_are_shares_of_a_pair() -> None:
    # Three seeds of each. Pair 0 passes in 3 of 3 against 0, pair 1 in 1 of 3 against 0, pair 2 in 1 against 3.
    # Their differences 1, 1/3, -2/3 sum to 2/3; other signs of the last two give 2, 4/3 and 0, and all of them have
    # opposites: 6 of 8 sums are as far from 0.
    runs = {name: ["111", "100", "100"] for name in CATEGORIES}
    table = verdict_comparison(runs, {name: ["001"] * 3 for name in CATEGORIES})
    row = table.loc[("db_scramble", "r2")]
    assert row["schema"] == pytest.approx(5 / 9)
    assert row["no_schema"] == pytest.approx(1 / 3)
    assert row["difference"] == pytest.approx(2 / 9)
    assert row["p"] == pytest.approx(6 / 8)
    assert row["n"] == 3


def test_a_category_in_which_one_pair_differs_is_compared() -> None:
    schema = {name: ["10"] for name in CATEGORIES}
    table = verdict_comparison(schema, {name: ["00"] for name in CATEGORIES})
    assert table.loc[("db_synonyms", "r2"), "p"] == 1.0
    assert table.loc[("overall", "r2"), "p"] == pytest.approx(2 / 2**5)


# --- recovery_profile -------------------------------------------------------------------------------------------------


def profile(table: pd.DataFrame, tau: float = 0.4, level: float = 0.95) -> pd.DataFrame:
    return recovery_profile(table, tau=tau, level=level, **DRAWS).set_index(["run", "layer"])


PROFILED = patching_table(
    patched("a", "up", 2.0, 0.0, (1.0, 3.0)),  # gap 2, shifts 1 and 3: shares 0.5, 1 (capped)
    patched("a", "down", -1.0, 0.0, (-0.25, 0.5)),  # gap -1, shifts -0.25 and 0.5: 0.25, 0 (capped)
    patched("a", "small", 0.3, 0.0, (0.3, 0.3)),  # fails R1 at 0.4
    patched("b", "small", 0.3, 0.0, (0.3, 0.3)),
    patched("c", "up", 1.0, 0.0, (0.8, 0.8)),
)


@pytest.mark.parametrize(("layer", "up", "down"), [(1, 0.5, 0.25), (2, 1.0, 0.0)])
def test_the_profile_is_the_mean_share_of_the_gap(layer: int, up: float, down: float) -> None:
    wide, narrow = (profile(PROFILED, level=level).loc[("a", layer)] for level in (0.95, 0.4))
    assert wide["recovered"] == pytest.approx((up + down) / 2)
    assert (wide["low"], wide["high"]) == pytest.approx((min(up, down), max(up, down)))
    assert (narrow["low"], narrow["high"]) == pytest.approx(((up + down) / 2,) * 2)
    assert wide["n"] == 2


def test_the_profile_has_every_run_and_scored_layer() -> None:
    found = profile(PROFILED)["recovered"]
    assert list(found.index) == [("a", 1), ("a", 2), ("c", 1), ("c", 2)]  # in run b no pair passes R1
    assert list(found.loc["c"]) == pytest.approx([0.8, 0.8])


@pytest.mark.parametrize(("clean", "corrupted"), [(0.5, 0.1), (0.7, 0.3), (2.4, 2.0), (0.3, 0.7)])
def test_a_gap_of_exactly_tau_is_in_the_profile(clean: float, corrupted: float) -> None:
    # It passes R1, though in floating point 0.7 - 0.3 is less than 0.4.
    found = profile(patching_table(patched("a", "p", clean, corrupted, (clean, corrupted))))
    assert list(found["n"].unique()) == [1]
    assert list(found["recovered"]) == pytest.approx([1.0, 0.0])


def test_pairs_without_a_gap_recover_nothing_of_it_at_tau_0() -> None:
    # At tau = 0 they pass R1, and their share is 0 as RecFrac is: the mean of 1 and 0.
    table = patching_table(patched("a", "gap", 1.0, 0.0, (1.0, 0.0)), patched("a", "flat", 1.0, 1.0, (2.0, 0.0)))
    row = profile(table, tau=0.0).loc[("a", 1)]
    assert row["n"] == 2
    assert row["recovered"] == pytest.approx(0.5)
