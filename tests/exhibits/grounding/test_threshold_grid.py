"""A grid of thresholds has the number of pairs that pass a set of rules at each of its points."""

import pandas as pd
import pytest

from exhibits.grounding.threshold_grid import GridValues, threshold_grid
from mechaware.instruments.grounding.rules import PairMeasurements, Thresholds
from mechaware.instruments.grounding.rules.registry import judge_pairs
from mechaware.verdicts.cases.hand_pairs import THRESHOLDS, HandPair, pair_measurements, several

SCRAMBLE = HandPair(category="db_scramble")


@pytest.fixture(scope="module")
def measurements() -> dict[str, PairMeasurements]:
    """The pairs of three runs.

    - grounded_2: ten pairs, for G1 to G5. Six pass all rules at `THRESHOLDS`; they have a gap of 4
      logits, and their smallest set of blocks is block 2. Each of the other four fails one rule at
      some of the thresholds, or at all.
    - split: four pairs, for R1 to R3, named by their gaps. Patches after blocks 1, 2 and 3 recover
      the shares in `patched`.
    - schema_blind: one pair without a gap.
    """
    grounded = several(
        # At alpha 0.8 the pair's set is block 1 and lacks block 2, which most pairs share: it fails
        # G3. At alpha 0.9 the set is blocks 1 and 2, and it passes.
        in_one_or_two=SCRAMBLE._replace(ranking=(1, 2, 3), recovered=(0.85, 1.0, 1.0)),
        # For G4, the effect of an unasked word is half of `unasked`, 1, and the effect of the asked
        # word is the rest of the gap, 4 - 1 = 3. The ratio 1/3 fails at the share 0.25, and passes
        # at 0.5.
        unasked=SCRAMBLE._replace(unasked=2.0),
        # The gap is negative: the pair fails G1 everywhere.
        backwards=SCRAMBLE._replace(clean=-2.0, corrupted=2.0),
        # The gap is 1. The irrelevant effects of the ten pairs are nine times 0, and 2 for this
        # pair. Their 0.95 quantile is at the position 0.95 * 9 = 8.55 from 0, between 0 (the ninth)
        # and 2 (the tenth): 0.55 * 2 = 1.1, so the pair fails G1. Their 0.5 quantile is 0, and it
        # passes.
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

    G1 to G5 have each alpha with each unasked share: 2 * 2 points, one of which is `THRESHOLDS`.
    They also have each of two null quantiles and each of two significances, with the other
    thresholds as in `THRESHOLDS`. One of the two quantiles, and one of the two significances, gives
    `THRESHOLDS` again.
    """
    n_points = grid.groupby(["run", "rules"]).size()

    for run in ("grounded_2", "split", "schema_blind"):
        assert n_points[run, "paper"] == 2 * 2
        assert n_points[run, "grounded"] == 2 * 2 + 1 + 1


def test_each_point_counts_the_pairs_that_pass_all_rules_of_a_set(grid: pd.DataFrame) -> None:
    grounded = grid.query("rules == 'grounded' and run == 'grounded_2'")
    columns = ["alpha", "unasked_share", "null_quantile", "significance"]

    # Of ten pairs, `backwards` fails everywhere, and `small_gap` wherever the quantile is 0.95.
    assert grounded.set_index(columns)["passed"].to_dict() == {
        (0.8, 0.25, 0.95, 0.05): 6,  # `in_one_or_two` and `unasked` fail
        (0.8, 0.5, 0.95, 0.05): 7,  # `in_one_or_two` fails
        (0.9, 0.25, 0.95, 0.05): 7,  # `unasked` fails
        (0.9, 0.5, 0.95, 0.05): 8,
        (0.9, 0.5, 0.5, 0.05): 9,  # `small_gap` passes
        (0.9, 0.5, 0.95, 1e-9): 0,  # no p-value of G3 is below 1 / 1000
    }


def test_the_papers_rules_are_counted_at_each_tau_and_alpha(grid: pd.DataFrame) -> None:
    """L*, the best layer of more pairs than any other, is layer 2: the best of gap_2 and gap_fifth.

        pair         size of the gap  share that layer 2 recovers
        gap_2        2                0.9
        gap_minus_1  1                0.5
        gap_half     0.5              0
        gap_fifth    0.2              1

    A pair passes R1 to R3 if the size of its gap is at least tau, and layer 2 recovers at least
    alpha.
    """
    paper = grid.query("rules == 'paper' and run == 'split'")

    assert paper.set_index(["tau", "alpha"])["passed"].to_dict() == {
        (0.2, 0.5): 3,  # all but gap_half
        (0.2, 0.9): 2,  # gap_2 and gap_fifth
        (0.5, 0.5): 2,  # gap_2 and gap_minus_1; gap_fifth is too small
        (0.5, 0.9): 1,  # gap_2
    }


def test_the_counts_of_a_grid_agree_with_the_verdicts_on_single_pairs(
    grid: pd.DataFrame, measurements: dict[str, PairMeasurements]
) -> None:
    # Judging the pairs at a point takes a quarter of a second, so only every third point is judged.
    for row in grid.to_dict("records")[::3]:
        point = Thresholds(*(row[name] for name in Thresholds._fields))
        judged = judge_pairs(measurements[row["run"]], point)

        assert row["passed"] == judged[row["rules"]].sum(), row
        assert row["n"] == len(judged)
        assert row["shortcut"] == 0
