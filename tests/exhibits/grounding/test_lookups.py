"""How many prompts tell a reader from a look-up, by hand."""

import pandas as pd
import pytest

from exhibits.grounding.lookups import needed, needed_by_score, score_lookups
from exhibits.grounding.tables import grounding_lookups
from mechaware.core.stats.intervals import clopper_pearson
from tests.exhibits.grounding.lookup_answers import SETTINGS, answers


def test_shares_and_numbers_by_hand() -> None:
    scores = score_lookups(answers(), **SETTINGS).set_index("control")
    reader = scores.loc["reads_all"]

    assert (reader["n"], reader["n_pairs"], reader["right"]) == (5, 3, 1)
    assert reader["fixed"] == pytest.approx(2 / 5)
    assert reader["fixed_differs"] == 0
    assert reader["differs"] == pytest.approx(2 / 5)
    # One of two prompts tells unless neither does: 1 - 0.6 * 0.6.
    assert reader["two_differ"] == pytest.approx(0.64)
    # 1 - 0.6^3 = 0.784 and 1 - 0.6^4 = 0.870.
    assert reader["prompts_needed"] == 4
    # 0.6^5 = 0.078 and 0.6^6 = 0.047: six of six right are significantly more than the look-up's
    # 60%.
    assert reader["by_score"] == 6
    assert (reader["moves"], reader["pairs_needed"]) == (1, 1)

    look_up = scores.loc["look_up"]
    assert (look_up["right"], look_up["differs"], look_up["moves"]) == (0.6, 0, 0)
    assert look_up[["prompts_needed", "by_score", "pairs_needed"]].isna().all()


def test_intervals_are_over_request_words() -> None:
    """All three pairs move, which are two words; of three words of the data one tells:
    a resample may leave it out.
    """
    reader = score_lookups(answers(), **SETTINGS).set_index("control").loc["reads_all"]
    exact = clopper_pearson(2, 2)

    assert (reader["moves_low"], reader["moves_high"]) == (exact.low, exact.high)
    # The exact interval begins at 0.025^(1/2) = 0.158; 1 - 0.842^9 = 0.787 and
    # 1 - 0.842^10 = 0.821.
    assert (reader["pairs_needed_low"], reader["pairs_needed_high"]) == (1, 10)

    assert (reader["differs_low"], reader["differs_high"]) == (0, 1)
    assert reader["prompts_needed_low"] == 1
    assert pd.isna(reader["prompts_needed_high"])


def test_the_prompts_needed_at_the_ends() -> None:
    assert needed(0) is None
    assert needed(1) == 1
    # 1 - 0.2^1 = 0.8 exactly is enough; a little less is not.
    assert needed(0.8) == 1
    assert needed(0.79) == 2


def test_a_score_needs_more_prompts_the_nearer_it_is_and_may_need_too_many() -> None:
    """Against 0.5, five of five have a probability of 1 / 32;
    a model that is always right needs no more.
    """
    assert needed_by_score(0.5, 1.0, significance=0.05) == 5
    assert needed_by_score(0.5, 0.5, significance=0.05) is None
    assert needed_by_score(0.5, 0.501, significance=0.05) is None

    # The normal approximation: ((1.645 sqrt(0.25) + 0.842 sqrt(0.24)) / 0.1)^2 = 152.
    some = needed_by_score(0.5, 0.6, significance=0.05)
    assert some is not None
    assert abs(some - 152) < 12


def test_the_table_shows_what_is_needed() -> None:
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
