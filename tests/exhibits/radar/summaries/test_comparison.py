"""RADAR beside its controls: leads and tests against counts worked by hand.

Prompts are single letters. `predictions("radar", "ab", "abc")` are RADAR's predictions of the
prompts a, b and c, right about a and b. `by_seed("radar", ["ab", "c"], "abc")` has it right about a
and b under the first seed, and about c under the second. Matched pairs are given by prompt: with
`dict(zip("abcd", "0011"))` a and b are pair 0, and c and d are pair 1.

`p_against_radar` compares two systems by flipping the signs of their differences: it is the share
of all flips whose sum is at least as far from 0 as the observed sum.
"""

import numpy as np
import pandas as pd
import pytest

from tests.exhibits.radar.summaries.predictions_by_hand import (
    by_seed,
    compared,
    predictions,
)


def test_a_comparison_matches_prompts_by_id() -> None:
    """RADAR is right about a, b, c and d, length about c, d and e; their rows have other orders."""
    table = compared(
        [predictions("radar", "abcd", "abcdef"), predictions("prompt_length", "cde", "fedcba")],
        [by_seed("radar", ["abcd"], "cdefab"), by_seed("prompt_length", ["cde"], "abcdef")],
    )

    assert table["accuracy"].tolist() == pytest.approx([4 / 6, 3 / 6])
    assert table.loc["prompt_length", "radar_lead"] == pytest.approx(1 / 6)
    assert np.isnan(table.loc["radar", "radar_lead"])
    # The differences are +1 for a, +1 for b and -1 for e, with the sum 1. The sum of three signs is
    # never nearer to 0.
    assert table.loc["prompt_length", "p_against_radar"] == 1.0
    assert np.isnan(table.loc["radar", "p_against_radar"])
    # Length agrees with RADAR about c, d and f.
    assert table["same_as_radar"].tolist() == [6, 3]
    # Without pairs or accuracies under permuted labels, guessing is not tested.
    assert table["p_above_guessing"].isna().all()


def test_a_lead_is_averaged_over_the_seeds_of_both() -> None:
    """By seed RADAR has 4 and 2 of 4 right, length 1 and 1: a mean lead of 3 - 1 in 4.

    The predictions, which are of the config's own seed, do not count: RADAR is wrong there.
    """
    table = compared(
        [predictions("radar", "", "abcd"), predictions("prompt_length", "abcd", "abcd")],
        [by_seed("radar", ["abcd", "ab"], "abcd"), by_seed("prompt_length", ["a", "a"], "abcd")],
    )

    assert table.loc["prompt_length", "radar_lead"] == pytest.approx(0.5)
    seeds = ["seeds", "seed_mean", "seed_min", "seed_max"]
    assert table.loc["radar", seeds].tolist() == [2, 0.75, 0.5, 1.0]
    # The mean differences over seeds are 0 for a, 1 for b, and 0.5 for c and d, with the sum 2. Of
    # the 8 flips of the last three, all + and all - reach 2 or -2.
    assert table.loc["prompt_length", "p_against_radar"] == pytest.approx(2 / 8)


def test_the_interval_of_radars_lead_draws_pairs_whole() -> None:
    """RADAR is right about all prompts, length only about those of pairs 2 and 3: a lead of 4 in 8.

    In 1 of 16 resamples all four drawn pairs are of 2 and 3, with a lead of 0; in as many all are
    of 0 and 1, with a lead of 1. Each is more than 2.5%, so the 95% interval is 0 to 1. If single
    prompts were drawn, eight of them would be of pairs 2 and 3 in only 1 of 256 resamples.
    """
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
    # Pairs 0 and 1 differ, both in RADAR's favour: of the 4 flips all + and all - are as far out.
    assert table.loc["prompt_length", "p_against_radar"] == 0.5


def test_the_lead_over_a_system_without_seeds_or_over_guessing_in_pairs_has_no_p() -> None:
    """Only RADAR has rows by seed.

    Against guessing, which is `majority_class`, RADAR has a p only outside pairs; in pairs
    `p_above_guessing` is the test against guessing.
    """
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
    # RADAR leads on all four prompts, and of the 16 flips all + and all - are as far out.
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


def test_guessing_is_tested_by_permuted_labels_or_for_trained_systems_by_flipped_pairs() -> None:
    pairs = dict(zip("abcdef", "001122", strict=True))
    null = pd.DataFrame(
        {
            "radar": [0.5, 0.6, 0.7],
            "prompt_length": [0.5, 0.5, 0.5],
            "bag_of_words": [0.5, 0.5, 0.5],
        }
    )
    # Cross-validated: accuracies under permuted labels, p = (1 + number reaching the accuracy) / 4.
    table = compared(
        [predictions("radar", "abcde", "abcdef", pairs, "cross_validated")],
        [by_seed("radar", ["abcde", "ace"], "abcdef", "cross_validated")],
        null,
    )

    # 5 of 6 is reached by no permutation, 3 of 6 by all three: (1/4 + 4/4) / 2.
    assert table.loc["radar", "p_above_guessing"] == pytest.approx(0.625)
    # The mean accuracy, 4 of 6, is reached by one of the three permutations: (1 + 1) / 4.
    assert table.loc["radar", "p_of_mean"] == 0.5

    # Trained: a flip turns a pair's accuracy a into 1 - a.
    table = compared(
        [predictions("radar", "abcde", "abcdef", pairs)],
        [by_seed("radar", ["abcde", "abcdf"], "abcdef")],
        null,
    )

    # Under both seeds pairs 0 and 1 are right and pair 2 is half right, which a flip does not
    # change. Of the 4 flips of pairs 0 and 1, only the observed one reaches this accuracy.
    assert table.loc["radar", "p_above_guessing"] == 0.25


def test_only_the_configured_reduction_is_tested_by_permuted_labels() -> None:
    """5 of 6 right is reached by none of three permutations: p = 1/4.

    The configured reduction is `sum`. The accuracies under permuted labels are of this reduction,
    so `mean` is not tested.
    """
    pairs = dict(zip("abcdef", "001122", strict=True))
    null = pd.DataFrame({"radar": [0.5, 0.6, 0.7]})
    rows = predictions("radar", "abcde", "abcdef", pairs, "cross_validated")
    seeds = by_seed("radar", ["abcde"], "abcdef", "cross_validated")
    both_rows = [rows, rows.assign(reduction="mean")]
    both_seeds = [seeds, seeds.assign(reduction="mean")]
    table = compared(both_rows, both_seeds, null).set_index("reduction")

    assert table.loc["sum", "p_above_guessing"] == 0.25
    assert np.isnan(table.loc["mean", "p_above_guessing"])


def test_a_pair_whose_two_differences_cancel_but_for_rounding_is_no_difference() -> None:
    """Under all ten seeds RADAR is right about the prompts of seven pairs, and length never.

    About o RADAR is right under 3 seeds and length under 1, about p under 2 and 4: the differences
    of their pair are 0.2 and -0.2, whose sum is not 0 in binary fractions. So of 2^7 = 128 flips,
    which are within the limit of 200, all + and all - are as far out.
    """
    letters = "abcdefghijklmnop"
    pairs = {letter: str(number // 2) for number, letter in enumerate(letters)}
    radar = []
    length = []
    for seed in range(10):
        radar.append("abcdefghijklmn" + "o" * (seed < 3) + "p" * (seed < 2))
        length.append("o" * (seed < 1) + "p" * (seed < 4))
    assert (0.3 - 0.1) + (0.2 - 0.4) != 0

    table = compared(
        [
            predictions("radar", letters, letters, pairs),
            predictions("prompt_length", "", letters, pairs),
        ],
        [by_seed("radar", radar, letters), by_seed("prompt_length", length, letters)],
    )

    assert table.loc["prompt_length", "p_against_radar"] == 2 / 128
