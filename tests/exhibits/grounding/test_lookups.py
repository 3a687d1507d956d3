"""How many prompts tell a control that reads the schema from a look-up, which does not.

A prompt of the data tells if the control's answer differs from the look-up's. A pair tells, or
moves, if the control answers its clean and its corrupted prompt differently. The prompts that are
needed tell with a probability of at least 0.8 (`POWER`).
"""

import pandas as pd
import pytest

from exhibits.grounding.lookups import POWER, needed, needed_by_score, score_lookups
from exhibits.grounding.tables import grounding_lookups
from mechaware.core.stats.intervals import clopper_pearson
from tests.exhibits.grounding.lookup_answers import SETTINGS, answers


def test_shares_and_needed_prompts_are_those_computed_by_hand() -> None:
    """Of five prompts the reader answers all rightly, and the look-up three (`answers`).

    One of the five has the request word `town`, which fixes the column. All three pairs move the
    reader, and none the look-up.
    """
    scores = score_lookups(answers(), **SETTINGS).set_index("control")
    reader = scores.loc["reads_all"]

    assert (reader["n"], reader["n_pairs"], reader["right"]) == (5, 3, 1)
    assert reader["fixed"] == pytest.approx(1 / 5)
    assert reader["fixed_differs"] == 0
    assert reader["differs"] == pytest.approx(2 / 5)
    # Neither of two prompts tells with the probability 0.6 * 0.6: 1 - 0.36.
    assert reader["two_differ"] == pytest.approx(0.64)
    # At least one tells with the probability 1 - 0.6^3 = 0.784 < 0.8, or 1 - 0.6^4 = 0.870 > 0.8.
    assert reader["prompts_needed"] == 4
    # At the look-up's share, 0.6, five of five are right with the probability 0.6^5 = 0.078 > 0.05,
    # and six of six with 0.6^6 = 0.047 < 0.05.
    assert reader["by_score"] == 6
    assert (reader["moves"], reader["pairs_needed"]) == (1, 1)

    look_up = scores.loc["look_up"]
    assert (look_up["right"], look_up["differs"], look_up["moves"]) == (0.6, 0, 0)
    assert look_up[["prompts_needed", "by_score", "pairs_needed"]].isna().all()


def test_intervals_are_over_request_words() -> None:
    reader = score_lookups(answers(), **SETTINGS).set_index("control").loc["reads_all"]

    # All pairs move. They have two request words: 2 of 2.
    exact = clopper_pearson(2, 2)
    assert (reader["moves_low"], reader["moves_high"]) == (exact.low, exact.high)
    # The lower end is 0.025^(1/2) = 0.158: 1 - 0.842^9 = 0.787 < 0.8, 1 - 0.842^10 = 0.821 > 0.8.
    assert (reader["pairs_needed_low"], reader["pairs_needed_high"]) == (1, 10)

    # The prompts of the data have three request words, and those of one word tell. A resample of
    # words may have this word only, or lack it.
    assert (reader["differs_low"], reader["differs_high"]) == (0, 1)
    assert reader["prompts_needed_low"] == 1
    assert pd.isna(reader["prompts_needed_high"])


def test_one_prompt_is_enough_if_the_share_that_tells_reaches_the_power() -> None:
    assert POWER == 0.8

    assert needed(0.79) == 2
    # 1 - 0.2^1 = 0.8 exactly.
    assert needed(0.8) == 1
    assert needed(1) == 1


def test_no_number_of_prompts_is_enough_if_none_tells() -> None:
    assert needed(0) is None


def test_a_share_of_right_answers_nearer_to_chance_needs_more_prompts_or_too_many() -> None:
    # By chance four of four are right with 1 / 16 > 0.05, and five of five with 1 / 32 < 0.05.
    assert needed_by_score(0.5, 1.0, significance=0.05) == 5
    assert needed_by_score(0.5, 0.5, significance=0.05) is None
    assert needed_by_score(0.5, 0.501, significance=0.05) is None

    # The normal approximation with the 95% and 80% quantiles 1.645 and 0.842:
    # ((1.645 sqrt(0.25) + 0.842 sqrt(0.24)) / 0.1)^2 = 152. The exact test needs more or fewer,
    # because numbers of right answers are whole.
    n_prompts = needed_by_score(0.5, 0.6, significance=0.05)
    assert n_prompts is not None
    assert abs(n_prompts - 152) < 12


def test_the_table_shows_infinity_if_perhaps_no_prompt_tells_and_nothing_if_none_does() -> None:
    table = grounding_lookups.fill(answers=answers(), **SETTINGS)
    reader, look_up = table.shown.to_dict("records")

    assert reader["Schema read"] == "100.0"
    assert reader["Right"] == "100.0"
    assert reader["Tell"] == "40.0 (0.0 to 100.0)"
    assert reader["Needed"] == "4 (1 to ∞)"
    assert reader["Needed, by score"] == "6"
    assert reader["Pairs that tell"] == "100.0 (15.8 to 100.0)"
    assert reader["Pairs needed"] == "1 (1 to 10)"

    assert look_up["Right"] == "60.0"
    assert (look_up["Needed"], look_up["Needed, by score"], look_up["Pairs needed"]) == ("", "", "")
