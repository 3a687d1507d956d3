"""Tiers in words and numbers: their ranges of scores, their middles, and the tier above a score."""

import pytest

from mechaware.verdicts.paper.tiers import middle_of_tier, next_tier, tier_range, tier_rank_text


@pytest.mark.parametrize(
    ("score", "above"),
    [
        # The boundaries are 2, 4, 6 and 8; a score on one is in the upper tier already.
        (0.0, "Causally Suggestive"),
        (1.9, "Causally Suggestive"),
        (2.0, "Mechanistically Supported"),
        (5.6, "Triangulated"),
        (6.0, "Validated"),
        (7.8, "Validated"),
    ],
)
def test_the_tier_above_a_score_has_a_higher_boundary(score: float, above: str) -> None:
    assert next_tier(score).name == above


def test_no_tier_is_above_the_highest() -> None:
    with pytest.raises(StopIteration):
        next_tier(8.0)


@pytest.mark.parametrize(
    ("name", "scores", "middle"),
    [
        ("Proposed", "0 to 1.9", 1),
        ("Mechanistically Supported", "4.0 to 5.9", 5),
        ("Validated", "8.0 to 10", 9),
    ],
)
def test_a_tier_ends_below_the_next_boundary(name: str, scores: str, middle: float) -> None:
    assert tier_range(name) == scores
    assert middle_of_tier(name) == middle


def test_a_tier_is_named_by_its_rank() -> None:
    assert tier_rank_text("Triangulated") == "second highest of 5 tiers, 6.0 to 7.9"
