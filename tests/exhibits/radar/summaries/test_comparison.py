"""RADAR beside its controls: leads and tests against counts worked by hand."""

import numpy as np
import pandas as pd
import pytest

from tests.exhibits.radar.summaries.predictions_by_hand import (
    by_seed,
    compared,
    predictions,
)


def test_a_comparison_matches_prompts_by_id() -> None:
    """RADAR is right on a, b, c and d, and length on c, d and e, whatever the order of the rows."""
    table = compared(
        [predictions("radar", "abcd", "abcdef"), predictions("prompt_length", "cde", "fedcba")],
        [by_seed("radar", ["abcd"], "cdefab"), by_seed("prompt_length", ["cde"], "abcdef")],
    )

    # RADAR leads on a and b and is behind on e: all of the 8 signings of three prompts sum to 1 or more either way.
    assert table.loc["prompt_length", "p_against_radar"] == 1.0
    assert np.isnan(table.loc["radar", "p_against_radar"])
    assert table.loc["prompt_length", "radar_lead"] == pytest.approx(1 / 6)
    assert np.isnan(table.loc["radar", "radar_lead"])
    assert table["accuracy"].tolist() == pytest.approx([4 / 6, 3 / 6])
    assert table["same_as_radar"].tolist() == [6, 3]  # c, d and f
    assert table["p_above_guessing"].isna().all()  # no pairs, no null


def test_a_lead_is_averaged_over_the_seeds_of_both() -> None:
    # RADAR has 4 and 2 of 4 right, length 1 and 1: a lead of 3 - 1 in 4. The config's own seed does not count.
    table = compared(
        [predictions("radar", "", "abcd"), predictions("prompt_length", "abcd", "abcd")],
        [by_seed("radar", ["abcd", "ab"], "abcd"), by_seed("prompt_length", ["a", "a"], "abcd")],
    )

    assert table.loc["prompt_length", "radar_lead"] == pytest.approx(0.5)
    seeds = ["seeds", "seed_mean", "seed_min", "seed_max"]
    assert table.loc["radar", seeds].tolist() == [2, 0.75, 0.5, 1.0]
    # The mean differences are 0, 1, 0.5 and 0.5: of 8 signings of the last three two reach a sum of 2 either way.
    assert table.loc["prompt_length", "p_against_radar"] == pytest.approx(2 / 8)


def test_radars_lead_draws_pairs_whole() -> None:
    # RADAR is right everywhere, length in pairs 2 and 3 alone: ahead by 4 of 8. Four drawn pairs are all of 2 and 3 in
    # 1 of 16 draws, and all of 0 and 1 in as many: more than 2.5% at either end, so the interval is 0 to 1. Eight drawn
    # prompts would all be of one half in 1 of 256.
    pairs = dict(zip("abcdefgh", "00112233", strict=True))
    table = compared(
        [
            predictions("radar", "abcdefgh", "abcdefgh", pairs),
            predictions("prompt_length", "efgh", "hagbfced", pairs),
        ],
        [
            by_seed("radar", ["abcdefgh"], "abcdefgh"),
            by_seed("prompt_length", ["efgh"], "abcdefgh"),
        ],
    )
    lead = table.loc["prompt_length", ["radar_lead", "radar_lead_low", "radar_lead_high"]]

    assert lead.tolist() == [0.5, 0.0, 1.0]
    # Two pairs differ, both in RADAR's favour: 2 of the 4 signs are as far out.
    assert table.loc["prompt_length", "p_against_radar"] == 0.5


def test_the_lead_over_a_system_of_one_seed_or_over_guessing_in_pairs_has_no_p() -> None:
    seeds = [by_seed("radar", ["abcd"], "abcd")]
    table = compared(
        [
            predictions("radar", "abcd", "abcd"),
            predictions("surface_only", "", "abcd"),
            predictions("majority_class", "", "abcd"),
        ],
        seeds,
    )

    assert np.isnan(table.loc["surface_only", "p_against_radar"])
    # RADAR leads on all of four prompts: 2 of 16 signings are as far out.
    assert table.loc["majority_class", "p_against_radar"] == pytest.approx(2 / 16)

    pairs = {"a": "0", "b": "0", "c": "1", "d": "1"}
    in_pairs = compared(
        [
            predictions("radar", "abcd", "abcd", pairs),
            predictions("majority_class", "", "abcd", pairs),
        ],
        seeds,
    )

    assert np.isnan(in_pairs.loc["majority_class", "p_against_radar"])


def test_guessing_is_tested_by_refitted_permutations_or_by_pairs_that_change_sides() -> None:
    pairs = dict(zip("abcdef", "001122", strict=True))
    null = pd.DataFrame(
        {
            "radar": [0.5, 0.6, 0.7],
            "prompt_length": [0.5, 0.5, 0.5],
            "bag_of_words": [0.5, 0.5, 0.5],
        }
    )
    # 5 of 6 right is reached by no permutation, 3 of 6 by all three: (1/4 + 4/4) / 2.
    table = compared(
        [predictions("radar", "abcde", "abcdef", pairs, "cross_validated")],
        [by_seed("radar", ["abcde", "ace"], "abcdef", "cross_validated")],
        null,
    )

    assert table.loc["radar", "p_above_guessing"] == pytest.approx(0.625)
    # The mean accuracy, 4 of 6, is reached by one of the three permutations: (1 + 1) / (1 + 3).
    assert table.loc["radar", "p_of_mean"] == 0.5

    # Trained, both seeds have pairs 0 and 1 right and half of pair 2: 1 of the 4 signings of two pairs reaches that.
    table = compared(
        [predictions("radar", "abcde", "abcdef", pairs)],
        [by_seed("radar", ["abcde", "abcdf"], "abcdef")],
        null,
    )

    assert table.loc["radar", "p_above_guessing"] == 0.25


def test_accuracies_under_permuted_labels_exist_under_the_configured_reduction_alone() -> None:
    """5 of 6 right is reached by none of three permutations: p = 1/4. Under `mean` there are no permutations."""
    pairs = dict(zip("abcdef", "001122", strict=True))
    null = pd.DataFrame({"radar": [0.5, 0.6, 0.7]})
    rows = predictions("radar", "abcde", "abcdef", pairs, "cross_validated")
    seeds = by_seed("radar", ["abcde"], "abcdef", "cross_validated")
    both_rows = [rows, rows.assign(reduction="mean")]
    both_seeds = [seeds, seeds.assign(reduction="mean")]
    table = compared(both_rows, both_seeds, null).set_index("reduction")

    assert table.loc["sum", "p_above_guessing"] == 0.25
    assert np.isnan(table.loc["mean", "p_above_guessing"])
