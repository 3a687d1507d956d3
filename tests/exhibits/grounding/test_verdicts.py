"""Verdicts, scores of both sets of rules and grids of thresholds, of runs that are written by hand."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import pytest
from scipy.stats import beta

from exhibits.grounding.verdicts import (
    GridValues,
    block_set_table,
    category_table,
    score_drawn,
    score_rule_sets,
    scored_grid,
    threshold_grid,
    verdict_table,
)
from mechaware.core.stats import area_under_roc_interval, clopper_pearson
from mechaware.instruments.grounding.rules import Thresholds
from mechaware.instruments.grounding.rules.registry import (
    BASELINES,
    RULE_SETS,
    VARIANTS,
    judge_pairs,
)
from mechaware.verdicts.cases.hand_pairs import THRESHOLDS, HandPair, pair_measurements, several
from tests.exhibits.grounding.rule_tables import (
    ANSWERS,
    CUTS,
    NAMES,
    RULE_TABLE,
    UNREAD,
    answered,
    cut,
    judged,
    verdicts,
)


def test_behaviour_is_the_share_of_clean_prompts_answered_rightly_by_place() -> None:
    table = verdicts()
    assert table.loc["grounded_2", ["right_first", "right_elsewhere"]].tolist() == [0.5, 1.0]
    assert table.loc["schema-s0", "right_elsewhere"] == pytest.approx(1 / 3)
    assert pd.isna(table.loc["schema-s0", "right_first"])
    assert pd.isna(table.loc["first_column", "right_elsewhere"])
    assert table["prefers_absent"].tolist() == [0.5, 0.0, 1.0]  # of corrupted prompts


def test_rules_and_sets_have_the_shares_of_pairs_of_which_they_hold() -> None:
    row = verdicts().loc["grounded_2"]
    # Without G5, which holds of none, a, c and d are left with G1 and G4; of these a and c have the others.
    assert (row["grounded_but_g5"], row["grounded_but_g1"]) == (0.5, 0.0)
    assert [row[name] for name in NAMES] == [1.0, 0.75, 0.5, 1.0, 0.5, 0.5, 0.75, 0.0, 0.5, 0.5]
    assert (row["grounded_first"], row["grounded_elsewhere"]) == (0.5, 0.5)  # of a, b; of c, d
    other = verdicts().loc["schema-s0"]
    assert pd.isna(other["paper_first"])
    assert other["paper_elsewhere"] == pytest.approx(1 / 3)
    assert other["grounded_elsewhere"] == 0
    rules = RULE_TABLE.assign(paper=RULE_TABLE["pair"].isin(["a", "b"]))
    row = verdicts(rules=rules).loc["grounded_2"]
    assert (row["paper_first"], row["paper_elsewhere"]) == (1.0, 0.0)


@pytest.mark.parametrize("confidence_level", [0.95, 0.8])
def test_sets_have_an_exact_interval(confidence_level: float) -> None:
    table = verdicts(confidence_level)
    grounded = table.loc["schema-s0"]
    # None of 3: (1 - p)^3 = (1 - confidence_level) / 2 at the upper end.
    assert (grounded["grounded_low"], grounded["grounded_high"]) == pytest.approx(
        (0, 1 - ((1 - confidence_level) / 2) ** (1 / 3))
    )


@pytest.mark.parametrize(("share", "reads"), [(0.5, True), (0.51, False), (0.25, True)])
def test_the_verdict_needs_at_least_the_share_of_the_pairs(share: float, reads: bool) -> None:
    table = verdicts(verdict_share=share)
    assert bool(table.loc["grounded_2", "paper_verdict"]) is reads
    assert bool(table.loc["grounded_2", "grounded_verdict"]) is reads
    assert not table.loc["first_column", "paper_verdict"]


def test_a_verdict_counts_the_pairs_beyond_the_best_place_shortcut() -> None:
    """Of the four pairs of grounded_2 the first column is wanted in two and the last in one; two of four pass."""
    chosen = {"a": (True, False), "b": (True, False), "c": (False, True), "d": (False, False)}
    columns = ["shortcut_first", "shortcut_last"]
    answers = ANSWERS.copy()
    answers[columns] = [
        chosen[pair] if run == "grounded_2" else (False, False)
        for run, pair in ANSWERS[["run", "pair"]].to_numpy()
    ]
    table = verdict_table(
        RULE_TABLE, answers, CUTS, alpha=0.9, verdict_share=0.3, confidence_level=0.95
    ).set_index("run")
    names = ["shortcut", "paper", "paper_corrected", "paper_verdict", "answer", "answer_verdict"]
    # The answer is right in three: (3/4 - 1/2) / (1 - 1/2) is 1/2.
    assert table.loc["grounded_2", names].tolist() == [0.5, 0.5, 0.0, False, 0.75, True]
    assert table.loc["schema-s0", names[:4]].tolist() == [
        0.0,
        pytest.approx(1 / 3),
        pytest.approx(1 / 3),
        True,
    ]


def test_controls_have_their_known_blocks_beside_the_most_common_one_found() -> None:
    table = verdicts()
    assert list(table["known_blocks"]) == ["2", "", "2"]
    found = [None if pd.isna(block) else block for block in table["found_block"]]
    # Of grounded_2 the earlier of a tie; alpha 0.9 finds none in first_column.
    assert found == [
        2,
        3,
        None,
    ]
    # Of the sets 2, 2 3 and 3 the first of a tie.
    assert list(table["found_blocks"]) == [
        "2",
        "3",
        "",
    ]
    split = verdict_table(
        judged("split", {"a": "r1"}),
        answered("split", {"a": (1, "price")}),
        cut("split", {"a": UNREAD}),
        alpha=0.9,
        verdict_share=0.5,
        confidence_level=0.95,
    )
    assert split["known_blocks"].tolist() == ["1 3"]
    assert split["found_block"].isna().all()
    assert split["found_block"].dtype == "Int64"


def test_a_further_rule_gets_its_share_and_its_verdict_and_counts_its_controls() -> None:
    rules = RULE_TABLE.assign(further_a=RULE_TABLE["pair"] == "a")
    table = verdicts(rules=rules)
    assert list(table["further_a"]) == [0.25, pytest.approx(1 / 3), 1.0]
    assert list(table["further_a_verdict"]) == [False, False, True]
    pd.testing.assert_frame_equal(
        table.drop(columns=list(table.filter(like="further_a"))), verdicts()
    )
    # It misses the one control that grounds, and accepts the one shortcut.
    counts = score_rule_sets(table.reset_index(), confidence_level=0.95).iloc[-2:]
    assert counts[["rules", "right", "n", "wrong"]].to_numpy().tolist() == [
        ["further_a", 0, 1, "grounded_2"],
        ["further_a", 0, 1, "first_column"],
    ]
    assert category_table(rules, ANSWERS).iloc[0]["further_a"] == 0.5  # of the pairs a and b


def test_other_readings_of_the_papers_rules_have_verdicts_of_their_own() -> None:
    row = verdicts().loc["grounded_2"]
    # Of a, b, c and d all pass R1, a and d R3, and the gap of d is negative.
    assert (row["paper_verdict"], row["paper_signed_verdict"]) == (True, False)
    assert (row["paper_embedding_verdict"], row["paper_both_verdict"]) == (True, True)
    strict = verdicts(verdict_share=0.8).loc["grounded_2"]
    assert (strict["paper_embedding_verdict"], strict["paper_both_verdict"]) == (True, False)
    assert not row["paper_top_verdict"]
    assert verdicts(verdict_share=0.25).loc["grounded_2", "paper_top_verdict"]


def test_baselines_ask_for_the_right_answer_to_the_clean_prompt() -> None:
    """Of grounded_2 a, c and d are answered rightly, R1 holds in all, R3 in a and d; of schema-s0 b, a and a."""
    names = ["answer_verdict", "answer_and_gap_verdict", "answer_and_paper_verdict"]
    assert verdicts(verdict_share=0.6).loc["grounded_2", names].tolist() == [True, True, False]
    table = verdicts(verdict_share=0.3)
    assert table.loc["grounded_2", names].tolist() == [True, True, True]
    assert table.loc["schema-s0", names].tolist() == [True, False, False]


def test_categories_have_the_shares_of_their_own_pairs() -> None:
    """Pairs a and b of a run are synonyms, c and d scrambles; where the wanted column is first, absent words win."""
    table = category_table(RULE_TABLE, ANSWERS).set_index(["run", "category"])
    assert table["n"].to_dict() == {
        ("grounded_2", "db_synonyms"): 2,
        ("grounded_2", "db_scramble"): 2,
        ("schema-s0", "db_synonyms"): 2,
        ("schema-s0", "db_scramble"): 1,
        ("first_column", "db_synonyms"): 1,
    }
    columns = ["delta", "right", "absent", "r3", "g1", "grounded", "answer_and_gap"]
    assert table.loc[("grounded_2", "db_synonyms"), columns].tolist() == [
        1,
        0.5,
        1,
        0.5,
        1,
        0.5,
        0.5,
    ]
    assert table.loc[("grounded_2", "db_scramble"), columns].tolist() == [0, 1, 0, 0.5, 1, 0.5, 1]
    assert table.loc[("schema-s0", "db_synonyms"), ["right", "absent"]].tolist() == [0.5, 0]


def test_sets_of_blocks_have_their_size_and_say_where_reading_is_redundant() -> None:
    """Of a and b two blocks remove what one recovers; of c one does both; of d one recovers, and none remove."""
    pairs = {
        "a": HandPair(ranking=(1, 3, 2), removed=(0.5, 1.0, 1.0)),
        "b": HandPair(ranking=(3, 1, 2), removed=(0.0, 1.0, 1.0)),
        "c": HandPair(ranking=(2, 1, 3)),
        "d": HandPair(ranking=(2, 1, 3), removed=(0.0, 0.0, 0.0)),
        "e": HandPair(ranking=(2, 1, 3), recovered=(0.0, 1.0, 1.0)),
    }
    row = block_set_table(cut("split", pairs), alpha=0.9).iloc[0]
    assert (row["run"], row["n"], row["known_blocks"]) == ("split", 5, "1 3")
    # Sizes 2, 2, 1 and 2.
    assert (row["has_set"], row["all_blocks"], row["size"], row["redundant"]) == (
        0.8,
        0.0,
        7 / 4,
        0.6,
    )
    assert (row["found_blocks"], row["found_share"]) == ("1 3", 0.4)
    unread = block_set_table(
        cut("schema-s0", {"a": HandPair(removed=(0.0,) * 3, recovered=(0.0,) * 3)}), alpha=0.9
    ).iloc[0]
    assert (
        unread["has_set"],
        unread["redundant"],
        unread["found_blocks"],
        unread["found_share"],
    ) == (0, 0, "", 0)
    assert pd.isna(unread["size"])


# How often a set of rules is right


def control_verdicts(**of_runs: tuple[str, bool, bool]) -> pd.DataFrame:
    rows = [(run, *values) for run, values in of_runs.items()]
    table = pd.DataFrame(rows, columns=["run", "group", "paper_verdict", "grounded_verdict"])
    others = (*VARIANTS, *BASELINES)
    return table.assign(
        **{f"{name}_verdict": table["run"] == f"grounded_{at}" for at, name in enumerate(others, 1)}
    )


SCORED: dict[str, Any] = {
    "grounded_1": ("grounded", True, True),
    "grounded_2": ("grounded", False, True),
    "relay": ("grounded", False, True),
    "first_column": ("shortcut", True, False),
    "any_column": ("shortcut", True, False),
    "suppressor": ("shortcut", False, True),
    "schema_blind": ("shortcut", False, False),
    "schema-s0": ("trained", True, True),
    "smollm2.few-shot": ("pretrained", False, False),
}


@pytest.mark.parametrize("confidence_level", [0.95, 0.8])
def test_sets_are_scored_on_controls_that_ground_and_on_shortcuts(confidence_level: float) -> None:
    table = score_rule_sets(
        control_verdicts(**SCORED), confidence_level=confidence_level
    ).set_index(["rules", "measure"])
    expected = {
        ("paper", "sensitivity"): (1, 3, "grounded_2, relay"),
        ("paper", "specificity"): (2, 4, "first_column, any_column"),
        ("grounded", "sensitivity"): (3, 3, ""),
        ("grounded", "specificity"): (3, 4, "suppressor"),
        ("paper_signed", "sensitivity"): (1, 3, "grounded_2, relay"),
        ("paper_signed", "specificity"): (4, 4, ""),
        ("paper_embedding", "sensitivity"): (1, 3, "grounded_1, relay"),
        ("paper_embedding", "specificity"): (4, 4, ""),
        ("paper_both", "sensitivity"): (0, 3, "grounded_1, grounded_2, relay"),
        ("paper_both", "specificity"): (4, 4, ""),
    }
    for name in ("paper_top", "answer", "answer_and_gap", "answer_and_paper", "answers"):
        expected[name, "sensitivity"] = (0, 3, "grounded_1, grounded_2, relay")
        expected[name, "specificity"] = (4, 4, "")
    assert list(table.index) == list(expected)
    for key, (right, n, wrong) in expected.items():
        row = table.loc[key]
        assert (row["right"], row["n"], row["wrong"]) == (right, n, wrong), key
        assert row["value"] == pytest.approx(right / n)
        # No two of these controls answer alike.
        assert (row["low"], row["high"]) == pytest.approx(
            clopper_pearson(right, n, confidence_level)
        ), key


def test_controls_that_answer_alike_count_as_one() -> None:
    """Of two copiers of the first column and of two with a habit one each is judged rightly: 1 of 2 policies."""
    runs = {
        "first_column": ("shortcut", True, True),
        "late_first_column": ("shortcut", False, True),
        "schema_blind": ("shortcut", False, True),
        "habit": ("shortcut", True, True),
    }
    table = score_rule_sets(control_verdicts(**runs), confidence_level=0.95).set_index(
        ["rules", "measure"]
    )
    paper = table.loc[("paper", "specificity")]
    assert (paper["right"], paper["n"], paper["value"]) == (2, 4, 0.5)
    assert (paper["low"], paper["high"]) == pytest.approx(clopper_pearson(1, 2, 0.95))
    # None is judged rightly: 1 - 0.025^(1/2).
    grounded = table.loc[("grounded", "specificity")]
    assert (grounded["low"], grounded["high"]) == (0, pytest.approx(1 - 0.025**0.5))


def test_without_controls_nothing_is_known_of_a_set() -> None:
    table = score_rule_sets(
        control_verdicts(**{"schema-s0": ("trained", True, True)}), confidence_level=0.95
    )
    assert table["value"].isna().all()
    assert table[["n", "low", "high", "wrong"]].to_numpy().tolist() == [[0, 0, 1, ""]] * 20


def test_drawn_controls_are_ranked_and_judged_by_half() -> None:
    """Each half has controls whose pairs a and b are both read, one of them or none; G1 to G5 pass as they read."""
    reads = {
        "drawn_01": "ab",
        "drawn_02": "ab",
        "drawn_03": "",
        "drawn_04": "a",
        "drawn_05": "ab",
        "drawn_07": "a",
    }
    passing = {
        "drawn_01": "ab",
        "drawn_02": "",
        "drawn_03": "",
        "drawn_04": "a",
        "drawn_05": "b",
        "drawn_07": "ab",
    }
    rows = []
    for run, read in reads.items():
        held_out = run in ("drawn_02", "drawn_04")
        rows.append((run, "a", held_out, "a" in read))
        rows.append((run, "b", held_out, "b" in read))
    truth = pd.DataFrame(rows, columns=["run", "pair", "held_out", "reads"])
    judged_runs = truth[["run", "pair"]].assign(
        grounded=[pair in passing[run] for run, pair in truth[["run", "pair"]].to_numpy()],
        paper=True,
    )
    names = (*RULE_SETS, *VARIANTS, *BASELINES)
    table = pd.DataFrame(
        {"run": list(passing)} | {name: [len(p) / 2 for p in passing.values()] for name in names}
    )
    table = table.assign(**{f"{name}_verdict": table[name] >= 0.5 for name in names})
    table = table.assign(answer_and_gap=[1, 1, 0, 0, 1, 0])  # an area of 1 in each half
    draws = {"confidence_level": 0.95, "resamples": 200, "seed": 0}
    scored = score_drawn(table, judged_runs, truth, verdict_share=0.5, **draws).set_index(
        ["rules", "half"]
    )
    developed = scored.loc[("grounded", "developed")]
    held_out = scored.loc[("grounded", "held_out")]
    # Shares 1 and 1/2 against 0 and 1: above, above, tied with and below: (1 + 1/2 + 1 + 0) / 4.
    assert (developed["grounded"], developed["others"], developed["auroc"]) == (2, 2, 0.625)
    # From half of the pairs on 04 and 07 ground, too: of all six only 03 does not, which ties with 02.
    assert (developed["auroc_by_share"], scored.loc[("grounded", "all"), "auroc_by_share"]) == (
        1,
        4.5 / 5,
    )
    assert pd.isna(held_out["auroc_by_share"])
    assert (developed["sensitivity"], developed["specificity"]) == (1, 0.5)
    assert (held_out["auroc"], held_out["sensitivity"], held_out["specificity"]) == (0, 0, 0)
    # Of all, 03 is refused; 04 is not, which also copies the first column, nor 07, which copies the last: one of three
    # controls, but two policies. For two thirds of two successes P(X >= 2/3) = 0.025 at the lower end.
    on_all = scored.loc[("grounded", "all")]
    assert (on_all["specificity"], on_all["specificity_n"]) == (pytest.approx(1 / 3), 3)
    ends = (on_all["specificity_low"], on_all["specificity_high"])
    assert ends == pytest.approx((beta.ppf(0.025, 2 / 3, 7 / 3), beta.ppf(0.975, 5 / 3, 4 / 3)))
    three = clopper_pearson(1, 3, 0.95)
    assert ends[1] - ends[0] > three.high - three.low
    # The area's interval also counts two policies, and three controls that ground.
    assert (on_all["low"], on_all["high"]) == area_under_roc_interval(on_all["auroc"], 3, 2, 0.95)
    # Right in both pairs of 01 and 03, in one of 05 and of 07; in 02 in none, and in 04 in both.
    assert (developed["pairs_right"], held_out["pairs_right"]) == (6 / 8, 2 / 4)
    assert scored.loc[("paper", "developed"), "pairs_right"] == 5 / 8
    # All six: 01 above two and tied with 07, 02 tied with 03, 05 above 03 and tied with 04: 4.5 of 9.
    assert [
        scored.loc[("grounded", half), "lead"] for half in ("developed", "held_out", "all")
    ] == [-0.375, -1, -0.5]
    assert tuple(held_out[["lead_low", "lead_high"]]) == (-1, -1)
    assert pd.isna(scored.loc[("answer", "developed"), "pairs_right"])


def test_a_grid_counts_the_pairs_of_which_all_rules_of_a_set_hold_at_every_point() -> None:
    pair = HandPair(category="db_scramble")
    shares = (
        (2.0, 0.4, 0.9, 0.0),
        (-1.0, 0.6, 0.5, 0.8),
        (0.5, 1.0, 0.0, 0.5),
        (0.2, 0.5, 1.0, 0.9),
    )
    runs = {
        "grounded_2": pair_measurements(
            several(
                in_two=pair._replace(
                    ranking=(1, 2, 3), recovered=(0.85, 1.0, 1.0)
                ),  # in block 2 at alpha 0.9 alone
                other=pair._replace(unasked=2.0),  # 1 of an unasked word, 3 of the asked one
                backwards=pair._replace(clean=-2.0, corrupted=2.0),  # fails G1 everywhere
            )
        ),
        "split": pair_measurements(
            {
                f"p{i}": HandPair(clean=gap, corrupted=0.0, patched=tuple(patched))
                for i, (gap, *patched) in enumerate(shares)
            }
        ),
        "schema_blind": pair_measurements({"p0": pair._replace(clean=1.0, corrupted=1.0)}),
    }
    values = GridValues(
        taus=[0.2, 0.5],
        alphas=[0.5, 0.9],
        grounded_alphas=[0.8, 0.9],
        unasked_shares=[0.25, 0.5],
        null_quantiles=[0.95, 0.5],
        significances=[0.05, 1e-9],
    )
    grid = threshold_grid(runs, THRESHOLDS, values)
    # R1 to R3 have each tau with each alpha. G1 to G5 have each alpha with each unasked share, and then each value of
    # the last two thresholds with the others as in THRESHOLDS.
    n_points = grid.groupby(["run", "rules"]).size()
    for run in runs:
        assert n_points[run, "paper"] == 4
        assert n_points[run, "grounded"] == 4 + 2
    for row in grid.to_dict("records")[::3]:  # to judge a point takes a quarter of a second
        point = Thresholds(*(row[name] for name in Thresholds._fields))
        table = judge_pairs(runs[row["run"]], point)
        assert row["passed"] == table[row["rules"]].sum(), row
        assert row["n"] == len(table)
        assert row["shortcut"] == 0
    # By hand: the gaps of p0 to p2 reach 0.5; layer 2 is the best of most, and recovers half but in p2.
    by_hand = grid.query("rules == 'paper' and run == 'split' and tau == 0.5 and alpha == 0.5")
    assert by_hand["passed"].tolist() == [2]
    assert set(grid.query("rules == 'grounded' and run == 'grounded_2'")["passed"]) == {0, 6, 7, 8}


# By run, how many of four pairs pass at tau 0.4 and at tau 1.
PASSED = {
    "grounded_1": (4, 2),
    "grounded_2": (2, 1),
    "relay": (1, 0),
    "first_column": (3, 2),
    "schema_blind": (0, 0),
    "schema-s0": (4, 1),
    "schema-s1": (2, 0),
    "no_schema-s0": (1, 0),
    "smollm2.few-shot": (3, 3),
}


def grid_of(passed_by_run: Mapping[str, tuple[int, int]]) -> pd.DataFrame:
    """A grid of R1 to R3 with two values of tau."""
    rows = []
    for run, (at_low_tau, at_high_tau) in passed_by_run.items():
        rows.append(("paper", run, *THRESHOLDS._replace(tau=0.4), at_low_tau, 4))
        rows.append(("paper", run, *THRESHOLDS._replace(tau=1.0), at_high_tau, 4))
    columns = ["rules", "run", *THRESHOLDS._fields, "passed", "n"]
    return pd.DataFrame(rows, columns=columns).assign(shortcut=0.0)


GRID = grid_of(PASSED)


def test_a_point_of_a_grid_has_sensitivity_specificity_and_the_rates_of_both_conditions() -> None:
    table = scored_grid(GRID, 0.5).set_index("tau")
    assert list(table.columns[-4:]) == ["sensitivity", "specificity", "schema", "no_schema"]
    # At 0.4: half of the pairs or more pass in two of three controls that ground, and in one of two shortcuts.
    assert table.loc[0.4].tolist()[-4:] == pytest.approx([2 / 3, 1 / 2, (4 / 4 + 2 / 4) / 2, 1 / 4])
    assert table.loc[1.0].tolist()[-4:] == pytest.approx([1 / 3, 1 / 2, 1 / 8, 0])
    # More than 3 of 4 pairs pass in one control that grounds, and in no shortcut; so they do beyond a half.
    for grid, share in ((GRID, 0.76), (GRID.assign(shortcut=0.5), 0.51)):
        assert scored_grid(grid, share).loc[0, ["sensitivity", "specificity"]].tolist() == [
            1 / 3,
            1,
        ]
