"""Whether a paper's evidence supports its claims, by a judge's scores of the paper."""

from typing import Literal, NamedTuple

from mechaware.instruments.claims.rubric.criteria import CRITERIA, TIERS, tier_index
from mechaware.instruments.claims.rubric.records import Scored, Scores

# What a judge finds about a whole paper. A criterion's status is another thing (`criteria.Status`).
Finding = Literal["supported", "not supported", "no claim", "cannot tell"]
# The lowest tier with "Supported" in its name (section 3.4). A paper whose score reaches it is
# supported.
SUPPORTED_TIER = "Mechanistically Supported"


class Support(NamedTuple):
    """A judge's finding about a paper, and the reason for it in a sentence."""

    status: Finding
    reason: str


def least_score() -> float:
    """The least CVS, 0 to 10, of a paper that is supported: the boundary of `SUPPORTED_TIER`."""
    return TIERS[tier_index(SUPPORTED_TIER)].boundary


def find_support(scores: Scores) -> Support:
    """The judge's finding by its scores, whether or not the judge beats a constant answer.

    If criteria of a claim have no status, the claim's score has a lower and an upper bound;
    otherwise the two are equal. Only claims about the whole mechanism (`Claim.system`) count, as in
    the paper's score. The main claim is the one with the highest lower bound.

    - supported: the lower bound of the main claim reaches `SUPPORTED_TIER`;
    - not supported: no claim's upper bound reaches `SUPPORTED_TIER`;
    - cannot tell: neither of these, or the judge gave no score;
    - no claim: the judge found no claim about the whole mechanism.

    The reason of the first two gives the score of the main claim.
    """
    if scores.fault is not None:
        return Support(
            "cannot tell", f"the judge gave no score ({scores.fault.kind}: {scores.fault.message})"
        )
    if scores.main is None:
        return Support("no claim", "the judge found no claim about a whole mechanism")

    pairs = zip(scores.claims, scores.scored, strict=True)
    highest = max(scored.high for claim, scored in pairs if claim.system)
    main = scores.scored[scores.main]
    if main.low >= least_score():
        return Support("supported", f"the evidence scores {_range_of(main)}, {_needed_score()}")
    if highest < least_score():
        return Support("not supported", f"the evidence scores {_range_of(main)}, {_needed_score()}")

    index = _first_that_may_reach_tier(scores)
    judgements = scores.claims[index].criteria.values()
    missing = sum(judgement.status is None for judgement in judgements)
    return Support(
        "cannot tell",
        f"{missing} of {len(CRITERIA)} criteria of claim {index + 1} have no status: its score is "
        f"{_range_of(scores.scored[index])}, {_needed_score()}",
    )


def _first_that_may_reach_tier(scores: Scores) -> int:
    """The index of the first claim about the whole mechanism that may reach `SUPPORTED_TIER`.

    It need not be the main claim: even the upper bound of the main claim may be below the tier
    while the upper bound of another claim reaches it.
    """
    for index, (claim, scored) in enumerate(zip(scores.claims, scores.scored, strict=True)):
        if claim.system and scored.high >= least_score():
            return index
    raise AssertionError("no claim may reach the tier")


def _needed_score() -> str:
    """The end of a reason: which score is needed."""
    return f"and {least_score():g} of 10 is needed ({SUPPORTED_TIER})"


def _range_of(scored: Scored) -> str:
    """The score of a claim, or its bounds: "4.2", "3.1 to 5.0"."""
    if scored.low == scored.high:
        return f"{scored.low:.1f}"
    return f"{scored.low:.1f} to {scored.high:.1f}"
