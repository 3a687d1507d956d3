"""How far the committed lists of tiers agree, against counts by hand."""

import pytest

from exhibits.author.tier_lists import tier_list_agreement, tiers_by_list
from exhibits.claims.tables import claims_lists
from tests.exhibits.reanalysis.printed import printed_tables


def test_two_lists_agree_on_41_percent_and_the_printed_tiers_with_a_list_on_51() -> None:
    ranks = tiers_by_list(**printed_tables(claims_lists))
    assert len(ranks) == 7

    rows = tier_list_agreement(ranks, resamples=200, seed=3, confidence_level=0.95)
    rows = rows.set_index(["first", "second"])

    # The ten pairs of lists have the same tier for so many of seven papers:
    #   own list with README 3, theory paper 4, case pages 4, audits 2;
    #   README with theory paper 3, case pages 1, audits 2;
    #   theory paper with case pages 3, audits 4;
    #   case pages with audits 3.
    assert rows.loc[("two lists", ""), "exact"] == pytest.approx(29 / 70)
    # The printed tiers have the same tier as their own list for 4, as the others for 3, 5, 3 and 3.
    assert rows.loc[("printed tiers and a list", ""), "exact"] == pytest.approx(18 / 35)

    august = rows.loc[("printed tiers", "audits of August")]
    # In August Grokking is two tiers lower, IOI and Othello are one lower, and Successor Heads is
    # one higher, so its printed tier is too low.
    assert (august["exact"], august["within_one"]) == pytest.approx((3 / 7, 6 / 7))
    assert (august["lower"], august["higher"]) == (3, 1)

    # All but Copy Suppression and Othello have another tier in August than in the own list.
    moved = rows.loc[("own list", "audits of August")]
    assert moved["lower"] + moved["higher"] == 5
