"""The line that sums up a judge's score of a paper, and the rank of a tier in it."""

from mechaware.verdicts.paper.entry_texts import summary_line, trust_text
from mechaware.verdicts.paper.tiers import MEANINGS, tier_rank_text
from tests.unit.verdicts.paper.entries_by_hand import CIRCUIT, HEADS, entry


def test_a_tier_has_a_place_among_the_five() -> None:
    assert list(map(tier_rank_text, MEANINGS)) == [
        "lowest of 5 tiers, 0 to 1.9",
        "second lowest of 5 tiers, 2.0 to 3.9",
        "middle of 5 tiers, 4.0 to 5.9",
        "second highest of 5 tiers, 6.0 to 7.9",
        "highest of 5 tiers, 8.0 to 10",
    ]


def test_the_summary_of_a_rule_judge_has_a_warning_and_how_often_its_tier_is_right() -> None:
    rules = entry("mine", "Rules", [HEADS])._replace(
        rules=True, trust="tier right on 3 of 11 planted papers"
    )

    # By hand: V3 alone, 1 / 18 * 10 = 0.6.
    assert summary_line(rules) == "CVS 0.6, Proposed (lowest of 5 tiers, 0 to 1.9)"
    assert trust_text(rules) == (
        "keyword rules: use them to see the page, never to judge a paper; "
        "tier right on 3 of 11 planted papers"
    )


def test_the_summary_gives_bounds_of_an_open_score() -> None:
    # As on the page: the circuit's tier is open between 3.6 and 4.7.
    assert summary_line(entry("mine", "A", [CIRCUIT])) == "CVS 3.6 to 4.7, tier open"


def test_the_summary_of_a_paper_without_a_claim_says_so() -> None:
    assert summary_line(entry("mine", "A", [])) == "no claim found"
