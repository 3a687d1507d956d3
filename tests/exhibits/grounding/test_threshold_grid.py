"""The number of passing pairs over grids of the rules' thresholds,
and the scores at each point of a grid.
"""

from collections.abc import Mapping

import pandas as pd
import pytest

from exhibits.grounding.threshold_grid import GridValues, scored_grid, threshold_grid
from mechaware.instruments.grounding.rules import PairMeasurements, Thresholds
from mechaware.instruments.grounding.rules.registry import judge_pairs
from mechaware.verdicts.cases.hand_pairs import THRESHOLDS, HandPair, pair_measurements, several

SCRAMBLE = HandPair(category="db_scramble")


@pytest.fixture(scope="module")
def measurements() -> dict[str, PairMeasurements]:
    """The pairs of three runs.

    - grounded_2: six pairs that pass all rules at `THRESHOLDS`, with a gap of 4 logits and block 2
      as their set, and four pairs that fail one of G1 to G5 at some thresholds.
    - split: four pairs named by their gaps; patches after blocks 1, 2 and 3 recover the shares in
      `patched`.
    - schema_blind: one pair without a gap.
    """
    grounded = several(
        # Its set is block 1 at alpha 0.8, which no other pair has, and blocks 1 and 2 at 0.9: fails
        # G3 at 0.8.
        in_one_or_two=SCRAMBLE._replace(ranking=(1, 2, 3), recovered=(0.85, 1.0, 1.0)),
        # An unasked word moves its logit by 1 and the asked one by 3, a third: fails G4 at 0.25.
        unasked=SCRAMBLE._replace(unasked=2.0),
        # Its gap is negative: fails G1 everywhere.
        backwards=SCRAMBLE._replace(clean=-2.0, corrupted=2.0),
        # Its own irrelevant effect of 2 is the largest of ten, of which the others are 0. The 0.95
        # quantile lies 0.55 of the way from the ninth to the tenth, at 1.1: its gap of 1 fails G1
        # at 0.95 and passes at 0.5.
        small_gap=SCRAMBLE._replace(clean=0.5, corrupted=-0.5, irrelevant=2.0),
    )
    split = {
        "gap_2": HandPair(clean=2.0, corrupted=0.0, patched=(0.4, 0.9, 0.0)),
        "gap_minus_1": HandPair(clean=-1.0, corrupted=0.0, patched=(0.6, 0.5, 0.8)),
        "gap_half": HandPair(clean=0.5, corrupted=0.0, patched=(1.0, 0.0, 0.5)),
        "gap_fifth": HandPair(clean=0.2, corrupted=0.0, patched=(0.5, 1.0, 0.9)),
    }
    no_gap = {"no_gap": SCRAMBLE._replace(clean=1.0, corrupted=1.0)}
    return {
        "grounded_2": pair_measurements(grounded),
        "split": pair_measurements(split),
        "schema_blind": pair_measurements(no_gap),
    }


@pytest.fixture(scope="module")
def grid(measurements: dict[str, PairMeasurements]) -> pd.DataFrame:
    """A grid over two values of each threshold."""
    values = GridValues(
        taus=[0.2, 0.5],
        alphas=[0.5, 0.9],
        grounded_alphas=[0.8, 0.9],
        unasked_shares=[0.25, 0.5],
        null_quantiles=[0.95, 0.5],
        significances=[0.05, 1e-9],
    )
    return threshold_grid(measurements, THRESHOLDS, values)


def test_a_grid_has_each_point_once(grid: pd.DataFrame) -> None:
    """R1 to R3 have each tau with each alpha.

    G1 to G5 have each alpha with each unasked share, and each value of the last two thresholds with
    the others as in `THRESHOLDS`, which is itself one of the first four points.
    """
    n_points = grid.groupby(["run", "rules"]).size()

    for run in ("grounded_2", "split", "schema_blind"):
        assert n_points[run, "paper"] == 2 * 2
        assert n_points[run, "grounded"] == 2 * 2 + 2


def test_at_each_point_the_pairs_are_counted_of_which_all_rules_of_a_set_hold(
    grid: pd.DataFrame,
) -> None:
    grounded = grid.query("rules == 'grounded' and run == 'grounded_2'")
    columns = ["alpha", "unasked_share", "null_quantile", "significance"]

    # Of ten pairs, of which `backwards` fails everywhere, and `small_gap` wherever the quantile is
    # 0.95.
    assert grounded.set_index(columns)["passed"].to_dict() == {
        (0.8, 0.25, 0.95, 0.05): 6,  # `in_one_or_two` and `unasked` fail
        (0.8, 0.5, 0.95, 0.05): 7,  # `in_one_or_two` fails
        (0.9, 0.25, 0.95, 0.05): 7,  # `unasked` fails
        (0.9, 0.5, 0.95, 0.05): 8,
        (0.9, 0.5, 0.5, 0.05): 9,  # `small_gap` passes
        (0.9, 0.5, 0.95, 1e-9): 0,  # no p-value of G3 is below 1 / 1000
    }


def test_the_papers_rules_are_counted_at_each_tau_and_alpha(grid: pd.DataFrame) -> None:
    """Layer 2 is the best of most pairs, and recovers 0.9, 0.5, 0 and 1 of the gap;
    all gaps reach 0.2, three 0.5.
    """
    paper = grid.query("rules == 'paper' and run == 'split'")

    assert paper.set_index(["tau", "alpha"])["passed"].to_dict() == {
        (0.2, 0.5): 3,  # all but gap_half
        (0.2, 0.9): 2,  # gap_2 and gap_fifth
        (0.5, 0.5): 2,  # gap_2 and gap_minus_1
        (0.5, 0.9): 1,  # gap_2
    }


def test_a_grid_counts_as_the_verdicts_of_single_pairs_do(
    grid: pd.DataFrame, measurements: dict[str, PairMeasurements]
) -> None:
    # To judge a point takes a quarter of a second: every third one.
    for row in grid.to_dict("records")[::3]:
        point = Thresholds(*(row[name] for name in Thresholds._fields))
        judged = judge_pairs(measurements[row["run"]], point)

        assert row["passed"] == judged[row["rules"]].sum(), row
        assert row["n"] == len(judged)
        assert row["shortcut"] == 0


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
    """A grid of R1 to R3 with two values of tau, without a place shortcut."""
    rows = []
    for run, (at_low_tau, at_high_tau) in passed_by_run.items():
        rows.append(("paper", run, *THRESHOLDS._replace(tau=0.4), at_low_tau, 4))
        rows.append(("paper", run, *THRESHOLDS._replace(tau=1.0), at_high_tau, 4))
    columns = ["rules", "run", *Thresholds._fields, "passed", "n"]
    return pd.DataFrame(rows, columns=columns).assign(shortcut=0.0)


def test_a_point_of_a_grid_has_sensitivity_specificity_and_the_rates_of_both_conditions() -> None:
    table = scored_grid(grid_of(PASSED), verdict_share=0.5).set_index("tau")

    assert list(table.columns[-4:]) == ["sensitivity", "specificity", "schema", "no_schema"]
    # At 0.4 two pairs or more pass in two of three controls that ground, and in one of two
    # shortcuts.
    assert table.loc[0.4].tolist()[-4:] == pytest.approx([2 / 3, 1 / 2, (4 / 4 + 2 / 4) / 2, 1 / 4])
    # At 1 in one of three, and in one of two.
    assert table.loc[1.0].tolist()[-4:] == pytest.approx([1 / 3, 1 / 2, (1 / 4 + 0) / 2, 0])


def test_a_larger_share_of_the_pairs_is_needed_for_a_verdict() -> None:
    """At tau 0.4 more than three of four pairs pass in one of three controls that
    ground, and in no shortcut.
    """
    at_low_tau = scored_grid(grid_of(PASSED), verdict_share=0.76).loc[0]

    assert at_low_tau["tau"] == 0.4
    assert (at_low_tau["sensitivity"], at_low_tau["specificity"]) == (1 / 3, 1)


def test_a_grid_counts_pairs_beyond_the_place_shortcut() -> None:
    """Beyond a shortcut that is right in half of the pairs, three of four count as
    (3/4 - 1/2) / (1 - 1/2) = 1/2.

    So only grounded_1, of which all four pass at tau 0.4, reaches 0.51.
    """
    grid = grid_of(PASSED).assign(shortcut=0.5)

    at_low_tau = scored_grid(grid, verdict_share=0.51).loc[0]

    assert at_low_tau["tau"] == 0.4
    assert (at_low_tau["sensitivity"], at_low_tau["specificity"]) == (1 / 3, 1)
