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
from scipy.stats import binomtest, bootstrap

from mechaware.grounding.study.accuracy import score_by_condition
from mechaware.grounding.study.summaries import (
    compare_conditions,
    judge_controls,
    layer_usage,
    recovery_profile,
    runs_trained_with,
    summarise_rules,
    threshold_grid,
    triangulate,
)
from mechaware.stats import paired_permutation

CATEGORIES = ("db_synonyms", "db_scramble", "non_db_synonyms", "non_db_scramble", "super_scramble")
MODES = ("denoise", "noise", "mean_ablation", "zero_ablation")
VERDICTS = ("r1", "r1_signed", "r2", "r3", "r3_top")
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


def patched(
    run: str, pair: str, clean: float, corrupted: float, modes: dict[str, Sequence[float]]
) -> list[dict[str, object]]:
    """Rows of a patching table; `modes` gives the patched differences of the layers 1, 2, ... ."""
    return [
        {
            "run": run,
            "pair": pair,
            "category": "db_synonyms",
            "mode": mode,
            "layer": layer,
            "clean_diff": clean,
            "corrupted_diff": corrupted,
            "patched_diff": value,
        }
        for mode, values in modes.items()
        for layer, value in enumerate((clean if mode == "denoise" else corrupted, *values))
    ]


def patching_table(*parts: list[dict[str, object]]) -> pd.DataFrame:
    """One row per run, mode, pair and layer, modes outermost within a run as in the files."""
    table = pd.DataFrame(list(itertools.chain(*parts)))
    rank = table["mode"].map(MODES.index)
    return table.assign(rank=rank).sort_values(["run", "rank"], kind="stable", ignore_index=True).drop(columns="rank")


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


# --- summarise_rules --------------------------------------------------------------------------------------------------

# Two pairs per category. `passes` lists the verdicts of the first pair and of the second; r1 of run `a` thus holds in
# 2, 1, 0, 2, 2 of 2 pairs, 7 of 10 overall.
IN_RUN_A = {
    "db_synonyms": ((1.0, "r1 r1_signed r2 r3 r3_top"), (3.0, "r1 r1_signed r2 r3_top")),
    "db_scramble": ((-0.5, "r1"), (0.1, "")),
    "non_db_synonyms": ((0.0, ""), (0.2, "")),
    "non_db_scramble": ((2.0, "r1 r1_signed r2"), (4.0, "r1 r1_signed")),
    "super_scramble": ((-1.0, "r1 r2 r3"), (1.0, "r1 r1_signed")),
}


def one_run(run: str, pairs: dict[str, tuple[tuple[float, str], tuple[float, str]]]) -> list[dict[str, object]]:
    """Rows of one run: pairs `<category> 0` and `<category> 1`."""
    return [
        judged(run, f"{category} {i}", category, delta, passes)
        for category, both in pairs.items()
        for i, (delta, passes) in enumerate(both)
    ]


def summary_of(level: float = 0.95) -> pd.DataFrame:
    """Run `a` as above, run `b` with gaps ten times as large and no passes."""
    nothing = {category: tuple((10 * d, "") for d, _ in both) for category, both in IN_RUN_A.items()}
    rules = rules_table([*one_run("a", IN_RUN_A), *one_run("b", nothing)])
    return summarise_rules(rules, level=level, **DRAWS).set_index(["run", "category", "quantity"])


def test_every_run_category_and_quantity_is_summarised_once() -> None:
    expected = set(itertools.product("ab", (*CATEGORIES, "overall"), ("delta", *VERDICTS)))
    index = summary_of().index
    assert set(index) == expected
    assert len(index) == len(expected)


@pytest.mark.parametrize(
    ("category", "quantity", "passed", "n"),
    [
        ("db_synonyms", "r1", 2, 2),
        ("db_scramble", "r1", 1, 2),
        ("non_db_synonyms", "r1", 0, 2),
        ("super_scramble", "r1_signed", 1, 2),
        ("super_scramble", "r2", 1, 2),
        ("db_synonyms", "r3", 1, 2),
        ("db_synonyms", "r3_top", 2, 2),
        ("overall", "r1", 7, 10),
        ("overall", "r1_signed", 5, 10),
        ("overall", "r2", 4, 10),
        ("overall", "r3", 2, 10),
        ("overall", "r3_top", 2, 10),
    ],
)
@pytest.mark.parametrize("level", [0.95, 0.8])
def test_passes_are_counted_with_an_exact_interval(
    category: str, quantity: str, passed: int, n: int, level: float
) -> None:
    row = summary_of(level).loc[("a", category, quantity)]
    assert (row["passed"], row["n"]) == (passed, n)
    assert row["value"] == pytest.approx(passed / n)
    interval = binomtest(passed, n).proportion_ci(level, method="exact")
    assert (row["low"], row["high"]) == pytest.approx((interval.low, interval.high), abs=1e-9)


def test_the_exact_interval_of_one_in_two_has_a_closed_form() -> None:
    # 1 - (1 - p)^2 = 0.025 gives the lower end, p^2 = 0.975 the upper one.
    row = summary_of().loc[("a", "db_scramble", "r1")]
    assert row["low"] == pytest.approx(1 - 0.975**0.5)
    assert row["high"] == pytest.approx(0.975**0.5)


def test_a_run_without_passes_has_none() -> None:
    summary = summary_of().drop(index="delta", level="quantity").loc["b"]
    assert (summary["passed"] == 0).all()
    assert (summary["value"] == 0).all()
    assert summary.loc[("overall", "r3"), "high"] == pytest.approx(1 - 0.025**0.1)


@pytest.mark.parametrize(
    ("run", "category", "low", "middle", "high"),
    [("a", "db_synonyms", 1.0, 2.0, 3.0), ("a", "super_scramble", -1.0, 0.0, 1.0), ("b", "db_scramble", -5, -2, 1)],
)
def test_the_gap_has_a_bootstrap_interval_over_pairs(
    run: str, category: str, low: float, middle: float, high: float
) -> None:
    # Of the draws of two pairs a quarter is the lower one twice, a half both, a quarter the higher one twice: 95% of
    # them span everything, 40% only the middle.
    wide, narrow = (summary_of(level).loc[(run, category, "delta")] for level in (0.95, 0.4))
    assert wide["value"] == pytest.approx(middle)
    assert (wide["low"], wide["high"]) == pytest.approx((low, high))
    assert (narrow["low"], narrow["high"]) == pytest.approx((middle, middle))
    assert wide["n"] == 2
    assert pd.isna(wide["passed"])


def test_the_overall_gap_draws_from_all_pairs() -> None:
    row = summary_of().loc[("a", "overall", "delta")]
    gaps = [1.0, 3.0, -0.5, 0.1, 0.0, 0.2, 2.0, 4.0, -1.0, 1.0]  # their sum is 9.8
    assert row["value"] == pytest.approx(0.98)
    assert row["n"] == 10
    theirs = bootstrap((gaps,), np.mean, n_resamples=20_000, method="percentile", rng=3).confidence_interval
    assert (row["low"], row["high"]) == pytest.approx((theirs.low, theirs.high), abs=0.12)


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
SCHEMA, NO_SCHEMA = ["schema-s0", "schema-s1"], ["no_schema-s0", "no_schema-s1"]


def compared(level: float = 0.95, gaps: dict[str, Any] = GAPS) -> pd.DataFrame:
    """The comparison of GAPS; the pairs of each run come in another order, beside a control that no condition has."""
    rows = [
        judged(run, f"{category} {i}", category, values[place])
        for place, run in enumerate([*SCHEMA, *NO_SCHEMA])
        for category, both in list(gaps.items())[:: 1 - 2 * (place % 2)]
        for i, values in enumerate(both)
    ]
    control = [judged("copy_head", f"{category} {i}", category, 100.0) for category in gaps for i in range(2)]
    rules = rules_table([*control, *rows])
    return compare_conditions(rules, SCHEMA, NO_SCHEMA, level=level, **DRAWS).set_index(["category", "quantity"])


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
def test_a_difference_has_a_bootstrap_interval_over_pairs(category: str) -> None:
    # As for the gap: 95% of the draws of two pairs span both, 40% only their mean.
    wide, narrow = (compared(level).loc[(category, "delta")] for level in (0.95, 0.4))
    low, high = sorted(DIFFERENCES[category])
    assert (wide["low"], wide["high"]) == pytest.approx((low, high))
    assert (narrow["low"], narrow["high"]) == pytest.approx(((low + high) / 2,) * 2)


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
    names = sorted({str(row["run"]) for row in rows})
    with_schema = [name for name in names if name.startswith("schema")]
    without = [name for name in names if name.startswith("no_schema")]
    result = compare_conditions(rules_table(rows), with_schema, without, level=0.95, **DRAWS)
    return result.set_index(["category", "quantity"])


def test_the_runs_of_a_condition_are_those_of_its_seeds() -> None:
    rules = rules_table(
        judged(run, pair) for run in ("schema-s1", "no_schema-s0", "schema-s0", "copy_head") for pair in ("a", "b")
    )
    assert runs_trained_with(rules, "schema") == ["schema-s1", "schema-s0"]
    assert runs_trained_with(rules, "no_schema") == ["no_schema-s0"]


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
    # Three seeds against one. Pair 0 passes in 3 of 3 against 0, pair 1 in 1 of 3 against 0, pair 2 in 1 against 1.
    # Their differences 1, 1/3, -2/3 sum to 2/3; other signs of the last two give 2, 4/3 and 0, and all of them have
    # opposites: 6 of 8 sums are as far from 0.
    runs = {name: ["111", "100", "100"] for name in CATEGORIES}
    table = verdict_comparison(runs, {name: ["001"] for name in CATEGORIES})
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


# --- layer_usage ------------------------------------------------------------------------------------------------------


def test_layers_are_counted_in_the_pairs_that_pass_r3() -> None:
    rules = rules_table(
        [
            judged("a", "p0", passes="r3", top_layer=2, top_layers="1 2"),
            judged("a", "p1", passes="r3", top_layer=1, top_layers="1 2 12"),
            judged("a", "p2", passes="r3", top_layer=2, top_layers="2"),
            judged("a", "p3", passes="r3_top r2", top_layer=4, top_layers="1 4"),
            judged("a", "p4", passes="", top_layer=4, top_layers=""),
            judged("a", "p5", passes="r2", top_layer=4, top_layers="4"),
            judged("a", "p6", passes="r1"),
            judged("b", "p0", passes="r2", top_layer=1, top_layers="1"),
            judged("b", "p1", passes=""),
            judged("c", "p0", passes=""),
        ]
    )
    usage = layer_usage(rules, [1, 2, 3, 4, 12]).set_index(["run", "layer"])
    assert len(usage) == 15
    # Layers 1, 2, 3, 4, 12 in the three pairs p0, p1, p2 of run a.
    assert list(usage.loc["a", "best"]) == [1, 2, 0, 0, 0]
    assert list(usage.loc["a", "top"]) == [2, 3, 0, 0, 1]
    assert list(usage.loc["a", "passing"]) == [3] * 5
    # L*_i over all seven pairs: 1 once, 2 twice, 4 three times; L* = 4, though no passing pair is best there.
    assert list(usage.loc["a", "most_common"]) == [False, False, False, True, False]
    assert list(usage.loc["b", "most_common"]) == [True, False, False, False, False]
    assert not usage.loc["c", "most_common"].any()
    for run in "bc":
        assert (usage.loc[run, ["best", "top", "passing"]] == 0).all(axis=None)


# --- recovery_profile -------------------------------------------------------------------------------------------------


def profile(table: pd.DataFrame, tau: float = 0.4, level: float = 0.95) -> pd.DataFrame:
    return recovery_profile(table, tau=tau, level=level, **DRAWS).set_index(["run", "mode", "layer"]).sort_index()


PROFILED = patching_table(
    # Gap 2. Denoising shifts 1 and 3: shares 0.5, 1 (capped). Noising falls from 2 by 0.5 and by -1: 0.25, 0 (capped).
    # Mean ablation falls by 2 and 0: 1, 0. Zero ablation by 5 and 1: 1 (capped), 0.5.
    patched(
        "a",
        "up",
        2.0,
        0.0,
        {"denoise": (1.0, 3.0), "noise": (1.5, 3.0), "mean_ablation": (0, 2), "zero_ablation": (-3, 1)},
    ),
    # Gap -1. Denoising shifts -0.25 and +0.5: 0.25, 0 (capped). Noising rises from -1 by 0.5 and 1: 0.5, 1.
    # Mean ablation rises by 0 and 0.5: 0, 0.5. Zero ablation falls by 1: 0, 0.
    patched(
        "a",
        "down",
        -1.0,
        0.0,
        {"denoise": (-0.25, 0.5), "noise": (-0.5, 0.0), "mean_ablation": (-1, -0.5), "zero_ablation": (-2, -2)},
    ),
    # Gap 0.3 fails R1 at 0.4.
    patched("a", "small", 0.3, 0.0, dict.fromkeys(MODES, (0.3, 0.3))),
    patched("b", "small", 0.3, 0.0, dict.fromkeys(MODES, (0.3, 0.3))),
    patched("c", "up", 1.0, 0.0, dict.fromkeys(MODES, (0.8, 0.8))),
)


@pytest.mark.parametrize(
    ("mode", "layer", "up", "down"),
    [
        ("denoise", 1, 0.5, 0.25),
        ("denoise", 2, 1.0, 0.0),
        ("noise", 1, 0.25, 0.5),
        ("noise", 2, 0.0, 1.0),
        ("mean_ablation", 1, 1.0, 0.0),
        ("mean_ablation", 2, 0.0, 0.5),
        ("zero_ablation", 1, 1.0, 0.0),
        ("zero_ablation", 2, 0.5, 0.0),
    ],
)
def test_the_profile_is_the_mean_share_of_the_gap(mode: str, layer: int, up: float, down: float) -> None:
    wide, narrow = (profile(PROFILED, level=level).loc[("a", mode, layer)] for level in (0.95, 0.4))
    assert wide["recovered"] == pytest.approx((up + down) / 2)
    assert (wide["low"], wide["high"]) == pytest.approx((min(up, down), max(up, down)))
    assert (narrow["low"], narrow["high"]) == pytest.approx(((up + down) / 2,) * 2)
    assert wide["n"] == 2


def test_the_profile_has_every_run_mode_and_scored_layer() -> None:
    index = profile(PROFILED).index
    assert set(index) == set(itertools.product("ac", MODES, (1, 2)))  # in run b no pair passes R1
    assert len(index) == 16
    # 1 shifts by 0.8 of 1 when denoised, and falls by 0.2 of 1 otherwise.
    found = profile(PROFILED).loc["c", "recovered"]
    assert list(found.loc["denoise"]) == pytest.approx([0.8, 0.8])
    assert list(found.loc["noise"]) == pytest.approx([0.2, 0.2])


@pytest.mark.parametrize(("clean", "corrupted"), [(0.5, 0.1), (0.7, 0.3), (2.4, 2.0), (0.3, 0.7)])
def test_a_gap_of_exactly_tau_is_in_the_profile(clean: float, corrupted: float) -> None:
    # It passes R1, though in floating point 0.7 - 0.3 is less than 0.4.
    table = patching_table(patched("a", "p", clean, corrupted, dict.fromkeys(MODES, (clean, corrupted))))
    found = profile(table)
    assert list(found["n"].unique()) == [1]
    assert list(found.loc[("a", "denoise"), "recovered"]) == pytest.approx([1.0, 0.0])


def test_pairs_without_a_gap_recover_nothing_of_it_at_tau_0() -> None:
    # At tau = 0 they pass R1, and their share is 0 as RecFrac is: the mean of 1 and 0.
    table = patching_table(
        patched("a", "gap", 1.0, 0.0, dict.fromkeys(MODES, (1.0, 0.0))),
        patched("a", "flat", 1.0, 1.0, dict.fromkeys(MODES, (2.0, 0.0))),
    )
    row = profile(table, tau=0.0).loc[("a", "denoise", 1)]
    assert row["n"] == 2
    assert row["recovered"] == pytest.approx(0.5)


def test_a_clean_run_without_a_preference_loses_none() -> None:
    # Nothing moves: a share of 0 under every mode, and never 0 / 0.
    unmoved = {"denoise": (1.0, 1.0), "noise": (0.0, 0.0), "mean_ablation": (0.0, 0.0), "zero_ablation": (0.0, 0.0)}
    found = profile(patching_table(patched("a", "p", 0.0, 1.0, unmoved)))
    assert len(found) == 8
    assert list(found["recovered"]) == [0.0] * 8


# --- threshold_grid ---------------------------------------------------------------------------------------------------


def test_the_grid_counts_passes_at_every_pair_of_thresholds() -> None:
    def denoised(run: str, pair: str, delta: float, *shifts: float) -> list[dict[str, object]]:
        return patched(run, pair, delta, 0.0, {"denoise": shifts, "noise": (delta,) * len(shifts)})

    table = patching_table(
        # Run a. Shares of the gap at the layers 1, 2, 3; L*_i; the TopLayers at alpha 0.5 and at 0.9:
        denoised("a", "p0", 2.0, 0.8, 1.8, 0.0),  # 0.4, 0.9, 0      2    {2}     {2}
        denoised("a", "p1", -1.0, -0.6, -0.5, -0.8),  # 0.6, 0.5, 0.8    3    {1 2 3} {}
        denoised("a", "p2", 0.5, 0.5, 0.0, 0.25),  # 1, 0, 0.5        1    {1 3}   {1}
        denoised("a", "p3", 0.2, 0.1, 0.2, 0.18),  # 0.5, 1, 0.9      2    {1 2 3} {2 3}
        denoised("b", "p0", 1.0, -1.0, -1.0, -1.0),
    )
    # L* of run a is 2. |delta| is 2, 1, 0.5, 0.2.
    expected = {
        # R1: p0-p3; R2 at 0.5: all, at 0.9: p0, p2, p3; R3 at 0.5: p0, p1, p3 (2 is in all but p2's), at 0.9: p0, p3
        ("a", 0.2, 0.5): (4, 4, 3),
        ("a", 0.2, 0.9): (4, 3, 2),
        # R1: p0, p1, p2
        ("a", 0.5, 0.5): (3, 3, 2),
        ("a", 0.5, 0.9): (3, 2, 1),
        # R1: p0
        ("a", 1.5, 0.5): (1, 1, 1),
        ("a", 1.5, 0.9): (1, 1, 1),
        # R1 at 0.2 and 0.5 only; nothing is recovered
        ("b", 0.2, 0.5): (1, 0, 0),
        ("b", 0.2, 0.9): (1, 0, 0),
        ("b", 0.5, 0.5): (1, 0, 0),
        ("b", 0.5, 0.9): (1, 0, 0),
        ("b", 1.5, 0.5): (0, 0, 0),
        ("b", 1.5, 0.9): (0, 0, 0),
    }
    grid = threshold_grid(table, [0.2, 0.5, 1.5], [0.5, 0.9])
    found = {(r.run, r.tau, r.alpha): (r.r1, r.r2, r.r3) for r in grid.itertuples()}
    assert found == expected
    assert len(grid) == len(expected)
    assert list(grid["n"]) == [4 if run == "a" else 1 for run in grid["run"]]


# --- triangulate ------------------------------------------------------------------------------------------------------

# Clean 1, corrupted 0, so that a share s is patched to s when denoised and to 1 - s otherwise. Shares of three layers.
SHARES = {
    #               denoise          noise            mean ablation    zero ablation
    "p0": ((1.0, 0.5, 0.0), (1.0, 0.0, 0.0), (0.5, 0.95, 0.0), (-1.0, -1.0, -1.0)),
    "p1": ((0.95, 1.0, 0.0), (0.0, 1.0, 0.0), (0.0, 1.0, 0.95), (-1.0, -1.0, -1.0)),
    "p2": ((1.0, 0.0, 0.0), (0.95, 1.0, 0.0), (0.0, 0.0, 0.5), (-1.0, -1.0, -1.0)),
    "p3": ((0.0, 0.0, 0.5), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (-1.0, -1.0, -1.0)),
}
# Denoising: L*_i 1, 2, 1, 3; TopLayers {1} {1 2} {1} {}; R2 in p0 p1 p2; L* = 1; R3 in p0 p1 p2.
# Noising: L*_i 1, 2, 2, 2; TopLayers {1} {2} {1 2} {2}; R2 in all; L* = 2; R3 in p1 p2 p3.
#   Same R2: p0 p1 p2; same R3: p1 p2. Denoising's L*_i of p0 p1 p2: 1 in {1}, 2 in {2}, 1 in {1 2}.
# Mean ablation: L*_i 2, 2, 3, 3; TopLayers {2} {2 3} {} {3}; R2 in p0 p1 p3; L* = 2 (tie); R3 in p0 p1.
#   Same R2: p0 p1; same R3: p0 p1, and p3 which passes neither; 1 not in {2}, 2 in {2 3}, 1 not in {}.
#   (p3's 3 is in {3}, but p3 fails R2 under denoising.)
# Zero ablation: nothing recovers; same R2 and R3: p3.
TRIANGULATED = {
    "denoise": (3, 3, 1, 4, 4, 3, 3, 4),
    "noise": (4, 3, 2, 3, 2, 3, 3, 4),
    "mean_ablation": (3, 2, 2, 2, 3, 1, 3, 4),
    "zero_ablation": (0, 0, None, 1, 1, 0, 3, 4),
}
COUNTS = ["r2", "r3", "most_common", "same_r2", "same_r3", "in_top", "both", "n"]


def shares_patched(run: str, pair: str, of_modes: Sequence[Sequence[float]] = ()) -> list[dict[str, object]]:
    towards = {
        mode: [share if mode == "denoise" else 1 - share for share in shares]
        for mode, shares in zip(MODES, of_modes or SHARES[pair], strict=True)
    }
    return patched(run, pair, 1.0, 0.0, towards)


def counts(table: pd.DataFrame, run: str) -> dict[str, tuple[int | None, ...]]:
    found = triangulate(table, tau=0.4, alpha=0.9)
    found = found[found["run"] == run].set_index("mode")[COUNTS]
    return {str(mode): tuple(None if pd.isna(value) else int(value) for value in row) for mode, row in found.iterrows()}


def test_other_interventions_are_counted_against_denoising() -> None:
    table = patching_table(*(shares_patched("a", pair) for pair in SHARES), shares_patched("b", "p3"))
    assert counts(table, "a") == TRIANGULATED
    # Run b is p3 alone: L* of each mode is its L*_i; denoising recovers half, noising and mean ablation everything.
    assert counts(table, "b") == {
        "denoise": (0, 0, 3, 1, 1, 0, 0, 1),
        "noise": (1, 1, 2, 0, 0, 0, 0, 1),
        "mean_ablation": (1, 1, 3, 0, 0, 0, 0, 1),
        "zero_ablation": (0, 0, None, 1, 1, 0, 0, 1),
    }


def test_the_layers_of_denoising_are_looked_for_by_number_in_all_pairs_that_pass_r2() -> None:
    # Layers 1, 2, 12. Denoising: L*_i 1, 1, 2; R2 in all, R3 in the first two. Noising: TopLayers {12} {12} {2}, L* 12,
    # R3 in the first two; of the pairs' 1, 1, 2 only the last is there.
    first, second = ((1, 0, 0), (0, 0, 1), (0, 0, 0), (0, 0, 0)), ((0, 1, 0), (0, 1, 0), (0, 0, 0), (0, 0, 0))
    table = patching_table(*(shares_patched("a", f"p{i}", of) for i, of in enumerate((first, first, second))))
    table["layer"] = table["layer"].replace(3, 12)
    assert counts(table, "a")["denoise"] == (3, 2, 1, 3, 3, 3, 3, 3)
    assert counts(table, "a")["noise"] == (3, 2, 12, 3, 3, 1, 3, 3)


def test_interventions_are_compared_pair_by_pair_whatever_the_order_of_rows() -> None:
    table = patching_table(*(shares_patched("a", pair) for pair in SHARES))
    noised = table["mode"] == "noise"
    reordered = pd.concat([table[~noised], table[noised].iloc[::-1]], ignore_index=True)
    assert counts(reordered, "a") == TRIANGULATED


# --- judge_controls ---------------------------------------------------------------------------------------------------


def test_controls_are_judged_beside_what_is_known_of_them() -> None:
    def control(run: str, pair: str, clean: float, corrupted: float, top_layer: int | None) -> dict[str, object]:
        row = judged(run, pair, delta=clean - corrupted, top_layer=top_layer)
        return row | {"clean_diff": clean, "corrupted_diff": corrupted}

    rules = rules_table(
        [
            # Clean right in 3 of 4 (0 is no preference), corrupted followed in 2 of 4; L* = 1.
            control("copy_head", "p0", 2.0, -2.0, 1),
            control("copy_head", "p1", 1.0, 0.0, 1),
            control("copy_head", "p2", 0.0, -1.0, 2),
            control("copy_head", "p3", 1.0, 1.0, None),
            # Right in 2 of 2, followed in 2 of 2; L* = 2, the earlier of a tie.
            control("late_copy_head", "p0", 2.0, -2.0, 3),
            control("late_copy_head", "p1", 1.0, -1.0, 2),
            # Right in 1 of 2, followed in 1 of 2; no L*.
            control("schema_blind", "p0", 1.0, 1.0, None),
            control("schema_blind", "p1", -1.0, -1.0, None),
            control("schema-s0", "p0", 1.0, 0.5, 4),
        ]
    )
    summary = pd.DataFrame(
        [
            (run, category, quantity, base + number / 10, base + number / 10 - 0.05, base + number / 10 + 0.05)
            for run, base in (("copy_head", 0.6), ("late_copy_head", 0.3), ("schema_blind", 0.0), ("schema-s0", 0.5))
            for category, shift in (("db_synonyms", 3), ("overall", 0))
            for number, quantity in enumerate(["r1", "r2", "r3", "delta", "r1_signed", "r3_top"], start=shift)
        ],
        columns=["run", "category", "quantity", "value", "low", "high"],
    )
    table = judge_controls(rules, summary).set_index(["run", "rule"])
    assert set(table.index) == set(
        itertools.product(("copy_head", "late_copy_head", "schema_blind"), ("r1", "r2", "r3"))
    )
    assert len(table) == 9
    # A head in block 2 reads what block 1 leaves behind, one in block 4 what the blocks 1 to 3 do; both make every
    # rule hold, and a model that is blind to the schema makes none hold.
    known = {
        "copy_head": (1.0, "1", 1, 3 / 4, 2 / 4, 4),
        "late_copy_head": (1.0, "1 2 3", 2, 1.0, 1.0, 2),
        "schema_blind": (0.0, "", None, 1 / 2, 1 / 2, 2),
    }
    for (run, base), (number, rule) in itertools.product(
        [("copy_head", 0.6), ("late_copy_head", 0.3), ("schema_blind", 0.0)], enumerate(["r1", "r2", "r3"])
    ):
        row = table.loc[(run, rule)]
        expected, layers, layer, right, follows, n = known[run]
        value = base + number / 10
        assert (row["found"], row["low"], row["high"]) == pytest.approx((value, value - 0.05, value + 0.05))
        assert (row["expected"], row["expected_layers"], row["n"]) == (expected, layers, n)
        assert (None if pd.isna(row["found_layer"]) else row["found_layer"]) == layer
        assert (row["clean_right"], row["follows_schema"]) == pytest.approx((right, follows))


# --- score_by_condition -----------------------------------------------------------------------------------------------

SCORES = pd.DataFrame(
    [
        # 2 of 2 and 1 of 3 names right; the other condition has the requests in another order and one more.
        ("10", "schema", True, 2, 2),
        ("9", "schema", False, 1, 3),
        ("9", "no_schema", False, 0, 3),
        ("11", "no_schema", False, 0, 4),
        ("10", "no_schema", False, 0, 2),
    ],
    columns=["row", "evaluated_with", "exact_match", "names_right", "names"],
)


def scored(level: float = 0.95, table: pd.DataFrame = SCORES) -> pd.DataFrame:
    return score_by_condition(table, level=level, **DRAWS).set_index(["evaluated_with", "metric"])


def test_exact_match_is_the_share_of_requests_with_its_exact_interval() -> None:
    row = scored().loc[("schema", "exact_match")]
    assert (row["value"], row["n"]) == (0.5, 2)
    assert (row["low"], row["high"]) == pytest.approx((1 - 0.975**0.5, 0.975**0.5))  # as of one in two above
    row = scored(0.8).loc[("no_schema", "exact_match")]
    assert (row["value"], row["n"]) == (0.0, 3)
    assert (row["low"], row["high"]) == pytest.approx((0.0, 1 - 0.1 ** (1 / 3)))


def test_field_accuracy_is_the_share_of_names_drawn_by_whole_requests() -> None:
    # 3 of 5 names. Draws of two requests: 2/2 twice gives 4/4, 1/3 twice 2/6, both 3/5: 95% of the draws span
    # everything, 40% only the middle.
    wide, narrow = (scored(level).loc[("schema", "field_accuracy")] for level in (0.95, 0.4))
    assert wide["value"] == pytest.approx(3 / 5)
    assert (wide["low"], wide["high"]) == pytest.approx((1 / 3, 1.0))
    assert (narrow["low"], narrow["high"]) == pytest.approx((3 / 5, 3 / 5))
    assert wide["n"] == 5
    none_right = scored().loc[("no_schema", "field_accuracy")]
    assert (none_right["value"], none_right["low"], none_right["high"], none_right["n"]) == (0.0, 0.0, 0.0, 9)


def test_every_condition_has_both_metrics() -> None:
    index = scored().index
    assert set(index) == set(itertools.product(("schema", "no_schema"), ("exact_match", "field_accuracy")))
    assert len(index) == 4
