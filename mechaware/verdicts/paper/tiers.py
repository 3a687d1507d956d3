"""A tier in words: its rank, its range of scores, and what it means."""

from collections.abc import Mapping

from mechaware.instruments.claims.rubric.criteria import TIERS, Tier, tier_index

RANKS = ("lowest", "second lowest", "middle", "second highest", "highest")
# By the paper's section 3.4, in our words. Only the score decides the tier, so a claim may reach a
# tier by other evidence than the tier's name or meaning suggests.
MEANINGS: Mapping[str, str] = {
    "Proposed": "stated, with little evidence",
    "Causally Suggestive": "some causal or structural evidence",
    "Mechanistically Supported": "several kinds of evidence agree",
    "Triangulated": "strong evidence throughout, with controls",
    "Validated": "replicated, also in other models",
}


def tier_rank_text(name: str) -> str:
    """A tier's rank in words and its range of scores: "middle of 5 tiers, 4.0 to 5.9"."""
    return f"{RANKS[tier_index(name)]} of {len(TIERS)} tiers, {tier_range(name)}"


def tier_range(name: str) -> str:
    """The scores of a tier, to one decimal as pages show them: "0 to 1.9" or "2.0 to 3.9".

    A tier ends 0.1 below the next one; the last tier ends at 10, the highest score.
    """
    rank = tier_index(name)
    least = f"{TIERS[rank].boundary:.1f}" if rank else "0"
    if TIERS[rank] is TIERS[-1]:
        return f"{least} to 10"
    return f"{least} to {TIERS[rank + 1].boundary - 0.1:.1f}"


def middle_of_tier(name: str) -> float:
    """The CVS in the middle of a tier."""
    bounds = [*(tier.boundary for tier in TIERS), 10.0]
    rank = tier_index(name)
    return (bounds[rank] + bounds[rank + 1]) / 2


def next_tier(score: float) -> Tier:
    """The tier above the tier of a score. Raises StopIteration in the highest tier."""
    return next(tier for tier in TIERS if tier.boundary > score)
