"""Papers whose scores are near the boundary of support, and judges near a constant answer."""

import math
from collections.abc import Sequence
from typing import Any

from mechaware.instruments.claims.rubric.constant_answers import why_no_better
from mechaware.instruments.claims.rubric.criteria import CRITERIA, Status
from mechaware.instruments.claims.rubric.records import Claim, Fault, Run
from mechaware.instruments.claims.rubric.scoring import score_paper
from mechaware.instruments.claims.rubric.support import find_support
from mechaware.instruments.claims.votes.audit import audit
from mechaware.instruments.claims.votes.voting import vote
from mechaware.verdicts.cases.supported.audits import ProposingJudge
from mechaware.verdicts.cases.supported.records import LEAST_SIMILARITY, make_claim, make_run

_CONFIDENCE_LEVEL = 0.95

# Levels of dimensions by the score that they give; all other dimensions are at level 0. A claim
# with a score of 4 or more is supported; the attainable scores next to 4 are 3.89 and 4.17.
_LEVELS_BY_SCORE = {
    "3.89": "C3 I1 V1",
    "4.17": "C3 I2",
    "6.11": "C3 I3 M2",
    "1.67": "C2",
}
# The statuses that a level of a dimension demands.
_DEMANDS: dict[str, dict[str, Status | None]] = {
    "C2": {"C1": "YES", "C5": "PARTIAL"},
    "C3": {"C1": "YES", "C2": "YES", "C5": "YES"},
    "I1": {"I1": "YES"},
    "I2": {"I1": "YES", "I2": "YES"},
    "I3": {"I1": "YES", "I2": "YES", "I3": "YES", "I5": "YES"},
    "M2": {"M1": "YES", "M3": "YES"},
    "V1": {"V3": "YES"},
}


def support_outcomes() -> list[Any]:
    """The finding, the main claim and the score of each paper."""
    outcomes: list[Any] = []
    for claims in _claims_of_papers():
        run = make_run(0, *claims)
        outcomes.append(_support([run, run]))

    # A claim about a component does not count if a run left out another claim, which may be about
    # the whole mechanism.
    left_out = make_run(0, _part(), left_out=1)
    outcomes.append(_support([left_out, left_out]))
    # No run has a score.
    failed = make_run(0, fault=Fault(kind="cut", message="cut"))
    outcomes.append(_support([failed, failed]))
    # The runs have no claims.
    outcomes.append(_support([make_run(0), make_run(1)]))
    return outcomes


def _claims_of_papers() -> list[list[Claim]]:
    """The claims of each paper."""
    # Each value has a status for every criterion: the default status of `make_claim` is not used.
    statuses_by_score = {score: _statuses_at(levels) for score, levels in _LEVELS_BY_SCORE.items()}
    papers = [
        [make_claim("The circuit adds", changed=statuses)]
        for statuses in statuses_by_score.values()
    ]

    # A missing status leaves the score open: on both sides of 4, above 4 and below 4.
    for score, missing in (("3.89", "I2"), ("6.11", "M1"), ("1.67", "C5")):
        changed = statuses_by_score[score] | {missing: None}
        papers.append([make_claim("The circuit adds", changed=changed)])

    below = make_claim("The circuit adds", changed=statuses_by_score["3.89"])
    far_below = make_claim("The circuit adds", changed=statuses_by_score["1.67"])
    above = make_claim("The algorithm adds", changed=statuses_by_score["4.17"])
    # A strong claim about a component counts only without a claim about the whole mechanism.
    papers += [[far_below, _part()], [_part()]]
    # Of two claims about the whole mechanism the stronger one counts.
    papers.append([far_below, above])

    # The main claim certainly falls short; another has a smaller lower bound and may reach 4.
    open_statuses = statuses_by_score["1.67"] | dict.fromkeys(("I1", "I2", "I3", "I5", "C5"))
    papers.append([below, make_claim("The algorithm adds", changed=open_statuses)])
    return papers


def _part() -> Claim:
    """A claim about a component, with YES on all criteria."""
    return make_claim("Head 1.1 adds", "YES", ["1.1"], system=False)


def _statuses_at(levels: str) -> dict[str, Status | None]:
    """The statuses that levels such as "C3 I1" demand, and NO on all other criteria."""
    statuses: dict[str, Status | None] = dict.fromkeys(CRITERIA, "NO")
    for level in levels.split():
        statuses |= _DEMANDS[level]
    return statuses


def _support(runs: Sequence[Run]) -> list[Any]:
    """The finding on a paper with these runs, the index of its main claim, and its score.

    Index and score are None where there is none.
    """
    voted = vote(runs, least_similarity=LEAST_SIMILARITY)
    audited = audit(voted, ProposingJudge(), leak_audit=True, devils_advocate="none")
    scores = score_paper(runs, voted, audited)
    return [find_support(scores).status, scores.main, scores.cvs]


def lead_outcomes() -> list[bool]:
    """Whether each judge is shown to be better than a constant answer (`why_no_better`)."""
    # The rates of a judge that is shown to be better. `why_no_better` explains the columns.
    better: dict[str, float] = {
        "exact": 0.8,
        "exact_low": 0.6,
        "exact_high": 0.9,
        "always_yes": 0.44,
        "always_no": 0.32,
        "p": 0.01,
        "found": 7,
        "supported": 7,
        "false": 1,
        "others": 5,
    }
    changes: list[dict[str, float]] = [
        {},
        # The lower end of the interval at the better constant answer, and just above it.
        {"exact_low": 0.44},
        {"exact_low": 0.4401},
        {"always_no": 0.6},
        {"always_no": 0.5999},
        # Too few papers for an interval.
        {"exact_low": math.nan, "exact_high": math.nan},
        # The p-value at the significance of 1 - 0.95, and just above it.
        {"p": 0.05},
        {"p": 0.0501},
        # Better in neither respect.
        {"exact_low": 0.3, "p": 0.9},
    ]
    return [why_no_better(better | change, _CONFIDENCE_LEVEL) == "" for change in changes]
