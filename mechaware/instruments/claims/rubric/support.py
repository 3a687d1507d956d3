"""Whether a paper's evidence supports its claims, and whether its judge beats a constant answer.

`find_support` takes the judge's scores of one paper, `why_no_better` the judge's error rates on
planted papers.
"""

from collections.abc import Mapping
from math import isnan
from typing import Any, Literal, NamedTuple

from mechaware.core.levels import significance_at
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


def why_no_better(rates: Mapping[Any, Any], confidence_level: float) -> str:
    """Why a judge is not shown to be better than one answer to all, in a sentence.

    Empty if the judge is shown to be better.

    Two things must be shown, each at `confidence_level`: that the judge gets more criteria right
    than the better one of two constant answers, and that it calls supported papers supported more
    often than other papers (Fisher's exact test, one-sided).

    `rates` is the judge's row of the calibration on planted papers
    (`verdicts.supported_calibration`):

    - `exact`: the share of criteria that the judge gets right, 0 to 1; NaN if no status can be
      compared with the true one.
    - `exact_low`, `exact_high`: the interval of this share; NaN without an interval.
    - `always_yes`, `always_no`: the shares that the two constant answers get right.
    - `supported`, `others`: the number of papers that are supported, and of papers that are not.
    - `found`, `false`: how many of each the judge calls supported.
    - `p`: the p-value of the difference between these two rates.
    """
    constants = {"YES": float(rates["always_yes"]), "NO": float(rates["always_no"])}
    best_constant = max(constants, key=constants.__getitem__)
    right_by_constant = constants[best_constant]
    right = float(rates["exact"])
    low = float(rates["exact_low"])
    high = float(rates["exact_high"])
    if isnan(right):
        return "on planted papers the judge gave no status that can be compared with the true one"

    if isnan(low) or low <= right_by_constant:
        interval = "" if isnan(low) else f" ({low:.0%} to {high:.0%})"
        return (
            f"of the criteria of planted papers the judge has {right:.0%} right{interval}, which "
            f"is not shown to be better than answering {best_constant} throughout "
            f"({right_by_constant:.0%})"
        )

    p = float(rates["p"])
    if p > significance_at(confidence_level):
        return (
            f"of planted papers the judge calls supported {rates['found']} of the "
            f"{rates['supported']} that are, and {rates['false']} of the {rates['others']} that "
            f"are not, which is not shown to be better than one answer to all (p = {p:.2g})"
        )
    return ""
