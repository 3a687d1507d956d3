"""The two passes after the vote, which only lower statuses of leak-prone criteria.

The leak audit (section 3.5) lowers statuses of component claims whose evidence is about the whole
system or about other components. The devil's advocate (section 3.8) challenges all claims.
"""

from collections.abc import Iterable, Sequence
from typing import Literal

from mechaware.instruments.claims.judges.judge import Judge, Unscored
from mechaware.instruments.claims.rubric.criteria import LEAK_PRONE, RANK
from mechaware.instruments.claims.rubric.records import Audited, Claim, Downgrade, Fault, Voted

DevilsAdvocate = Literal["none", "aggressive", "conservative"]


def audit(
    voted: Voted, judge: Judge, *, leak_audit: bool, devils_advocate: DevilsAdvocate
) -> Audited:
    """The voted claims after the passes that the config asks for.

    The leak audit comes first; the judge is asked only if some claim is about a component. The
    devil's advocate follows, on the claims after the leak audit; the judge is asked only if there
    is a claim.

    A pass without a usable reply ends the audit: its fault is recorded, it changes nothing, and the
    pass before it keeps its effect.
    """
    claims = voted.claims
    downgrades: list[Downgrade] = []
    fault = None
    try:
        if leak_audit and any(not claim.system for claim in claims):
            leaks = allowed_leaks(claims, judge.propose_leaks(claims))
            claims = apply_downgrades(claims, leaks, "LEAK-AUDIT")
            downgrades += leaks
        if devils_advocate != "none" and claims:
            challenges = _lowering(claims, judge.challenge(claims, devils_advocate))
            claims = apply_downgrades(claims, challenges, "DEVIL'S-ADVOCATE")
            downgrades += challenges
    except Unscored as unscored:
        fault = Fault(kind=unscored.kind, message=str(unscored))
    return Audited(
        judge=voted.judge,
        paper=voted.paper,
        claims=claims,
        downgrades=downgrades,
        usage=judge.take_usage(),
        fault=voted.fault,
        audit_fault=fault,
    )


def allowed_leaks(claims: Sequence[Claim], proposed: Iterable[Downgrade]) -> list[Downgrade]:
    """The proposals that the leak audit may apply: on component claims only (section 3.5).

    The status after it is NO, whatever the proposal has.
    """
    allowed = []
    for downgrade in _lowering(claims, proposed):
        if not claims[downgrade.claim].system:
            allowed.append(downgrade.model_copy(update={"after": "NO"}))
    return allowed


def apply_downgrades(
    claims: Sequence[Claim], downgrades: Iterable[Downgrade], label: str
) -> list[Claim]:
    """The claims with lowered statuses. The evidence of each begins with a note of the downgrade.

    The note has `label`, the statuses before and after, and the reason:
    "[LEAK-AUDIT: YES→NO, of the circuit] ...".
    """
    changed = list(claims)
    for downgrade in downgrades:
        claim = changed[downgrade.claim]
        judgement = claim.criteria[downgrade.criterion]
        note = f"[{label}: {downgrade.before}→{downgrade.after}, {downgrade.reason}]"
        evidence = f"{note} {judgement.evidence}".strip()
        lowered = judgement.model_copy(update={"status": downgrade.after, "evidence": evidence})
        criteria = {**claim.criteria, downgrade.criterion: lowered}
        changed[downgrade.claim] = claim.model_copy(update={"criteria": criteria})
    return changed


def _lowering(claims: Sequence[Claim], proposed: Iterable[Downgrade]) -> list[Downgrade]:
    """The proposals that lower a status of the five leak-prone criteria.

    The devil's advocate may apply all of these (section 3.8). They are in the order of claims, then
    of criteria. Of several proposals for a criterion of a claim only the first counts. `before` is
    the claim's own status, whatever the proposal has there. Proposals about a claim that does not
    exist, or about a criterion without a status, are left out.
    """
    # By claim and criterion.
    lowering: dict[tuple[int, str], Downgrade] = {}
    for downgrade in proposed:
        claim_exists = 0 <= downgrade.claim < len(claims)
        if not claim_exists or downgrade.criterion not in LEAK_PRONE:
            continue

        before = claims[downgrade.claim].criteria[downgrade.criterion].status
        if before is None or RANK[downgrade.after] >= RANK[before]:
            continue

        key = (downgrade.claim, downgrade.criterion)
        lowering.setdefault(key, downgrade.model_copy(update={"before": before}))
    return [lowering[key] for key in sorted(lowering)]
