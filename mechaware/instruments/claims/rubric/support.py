"""Whether a judge finds that a paper's evidence supports its claims, and whether the judge beats a constant answer."""

from collections.abc import Mapping
from math import isnan
from typing import Any, Literal, NamedTuple

from mechaware.core.levels import significance_at
from mechaware.instruments.claims.rubric.criteria import CRITERIA, TIERS, tier_index
from mechaware.instruments.claims.rubric.records import Scored, Scores

# What a judge finds of a paper, not the status of a criterion (`criteria.Status`).
Finding = Literal["supported", "not supported", "no claim", "cannot tell"]
# The lowest tier with "Supported" in its name (section 3.4). A paper whose score reaches it is supported.
SUPPORTED_TIER = "Mechanistically Supported"


class Support(NamedTuple):
    """What a judge finds: its status, and the reason in a sentence."""

    status: Finding
    reason: str


def least_score() -> float:
    """The least CVS, 0 to 10, of a paper that is supported: the boundary of `SUPPORTED_TIER`."""
    return TIERS[tier_index(SUPPORTED_TIER)].boundary


def find_support(scores: Scores) -> Support:
    """The judge's finding by its scores, whether or not the judge beats a constant answer.

    The score of a claim with criteria without a status has a lower and an upper bound; otherwise the two are equal.
    Only claims about the whole mechanism count, as in the paper's score:

    - supported: the lower bound of the main claim, the highest lower bound, reaches `SUPPORTED_TIER`;
    - not supported: no claim's upper bound reaches it;
    - cannot tell: neither;
    - no claim: the judge found no claim about the whole mechanism.
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
        return Support("supported", f"the evidence scores {_range_of(main)}, {_needed()}")
    if highest < least_score():
        return Support("not supported", f"the evidence scores {_range_of(main)}, {_needed()}")

    number = _first_open(scores)
    judgements = scores.claims[number].criteria.values()
    missing = sum(judgement.status is None for judgement in judgements)
    return Support(
        "cannot tell",
        f"{missing} of {len(CRITERIA)} criteria of claim {number + 1} have no status: its score is "
        f"{_range_of(scores.scored[number])}, {_needed()}",
    )


def _first_open(scores: Scores) -> int:
    """The index of the first claim about the whole mechanism that may reach the tier.

    The main claim, whose lower bound is the highest, may be certain to fall short while another claim is open.
    """
    for number, (claim, scored) in enumerate(zip(scores.claims, scores.scored, strict=True)):
        if claim.system and scored.high >= least_score():
            return number
    raise AssertionError("no claim is open")


def _needed() -> str:
    """The end of a reason: which score is needed."""
    return f"and {least_score():g} of 10 is needed ({SUPPORTED_TIER})"


def _range_of(scored: Scored) -> str:
    """The score of a claim, or its bounds: "4.2", "3.1 to 5.0"."""
    if scored.low == scored.high:
        return f"{scored.low:.1f}"
    return f"{scored.low:.1f} to {scored.high:.1f}"


def why_no_better(rates: Mapping[Any, Any], confidence_level: float) -> str:
    """Why a judge is not shown to be better than one answer to all, in a sentence; empty if it is shown to be better.

    Two things must be shown, each at `confidence_level`: that the judge gets more criteria right than the better one of
    two constant answers, and that it calls supported papers supported more often than other papers (Fisher's exact
    test, one-sided).

    `rates` is the judge's row of the calibration (`verdicts.supported_calibration`), of planted papers:

    - `exact`, `exact_low`, `exact_high`: the share of criteria that the judge gets right, 0 to 1, and its interval; NaN
      without a comparable status, or without an interval.
    - `always_yes`, `always_no`: the shares that the constant answers get right.
    - `found` of `supported` papers that are supported, and `false` of `others` that are not, are called supported; `p`
      is the p-value of their difference.
    """
    constants = {"YES": float(rates["always_yes"]), "NO": float(rates["always_no"])}
    best = max(constants, key=constants.__getitem__)
    right = float(rates["exact"])
    low = float(rates["exact_low"])
    if isnan(right):
        return "on planted papers the judge gave no status that can be compared with the true one"

    if isnan(low) or low <= constants[best]:
        interval = "" if isnan(low) else f" ({low:.0%} to {float(rates['exact_high']):.0%})"
        return (
            f"of the criteria of planted papers the judge has {right:.0%} right{interval}, which is not shown to be "
            f"better than answering {best} throughout ({constants[best]:.0%})"
        )

    p = float(rates["p"])
    if p > significance_at(confidence_level):
        return (
            f"of planted papers the judge calls supported {rates['found']} of the {rates['supported']} that are, and "
            f"{rates['false']} of the {rates['others']} that are not, which is not shown to be better than one answer "
            f"to all (p = {p:.2g})"
        )
    return ""
