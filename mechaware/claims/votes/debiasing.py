"""From independent runs to audited claims: the minimum vote, then the passes that only lower (sections 3.5 to 3.8)."""

from typing import Literal

from mechaware.claims.judges.judging import Judge
from mechaware.claims.judges.language_model.model import Unscored
from mechaware.claims.rubric.records import Audited, Fault, Voted
from mechaware.claims.votes.audit import challenges, downgrade, leaks, mark_system_claims

DevilsAdvocate = Literal["none", "aggressive", "conservative"]


def audit(voted: Voted, judge: Judge, *, leak_audit: bool, devils_advocate: DevilsAdvocate) -> Audited:
    """The voted claims after the passes that are asked for; without a usable reply they stand as they are."""
    claims, downgrades, fault = mark_system_claims(voted.claims), [], None
    try:
        if leak_audit and any(not claim.system for claim in claims):
            found = leaks(claims, judge.propose_leaks(claims))
            claims, downgrades = downgrade(claims, found, "LEAK-AUDIT"), found
        if devils_advocate != "none" and claims:
            found = challenges(claims, judge.challenge(claims, devils_advocate))
            claims, downgrades = downgrade(claims, found, "DEVIL'S-ADVOCATE"), [*downgrades, *found]
    except Unscored as reason:
        fault = Fault(kind=reason.kind, message=str(reason))
    return Audited(
        judge=voted.judge,
        paper=voted.paper,
        claims=claims,
        downgrades=downgrades,
        usage=judge.take_usage(),
        fault=voted.fault,
        audit_fault=fault,
    )
