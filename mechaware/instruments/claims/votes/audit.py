"""The passes after the vote, which only lower statuses: the leak audit and the devil's advocate (sections 3.5, 3.8)."""

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

    A pass without a usable reply changes nothing: its fault is recorded, and the passes before it keep their effect.
    The leak audit is asked only if some claim is about a component, the devil's advocate only if there is a claim.
    """
    claims = voted.claims
    downgrades: list[Downgrade] = []
    fault = None
    try:
        if leak_audit and any(not claim.system for claim in claims):
            leaks = _allowed_leaks(claims, judge.propose_leaks(claims))
            claims = _apply_downgrades(claims, leaks, "LEAK-AUDIT")
            downgrades += leaks
        if devils_advocate != "none" and claims:
            challenges = _lowering(claims, judge.challenge(claims, devils_advocate))
            claims = _apply_downgrades(claims, challenges, "DEVIL'S-ADVOCATE")
            downgrades += challenges
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


def _allowed_leaks(claims: Sequence[Claim], proposed: Iterable[Downgrade]) -> list[Downgrade]:
    """The proposals that the leak audit may apply: to NO, and never on a system-level claim (section 3.5)."""
    allowed = []
    for downgrade in _lowering(claims, proposed):
        if not claims[downgrade.claim].system:
            allowed.append(downgrade.model_copy(update={"after": "NO"}))
    return allowed


def _apply_downgrades(
    claims: Sequence[Claim], downgrades: Iterable[Downgrade], label: str
) -> list[Claim]:
    """The claims with lowered statuses, each with a note of `label` and the reason before its evidence."""
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
    """The proposals that lower a status of the five leak-prone criteria, in the order of claims and criteria.

    Only the first proposal for a criterion of a claim counts. The devil's advocate may apply them on any claim
    (section 3.8). Their `before` is the claim's own status, whatever the proposal says. Proposals about a claim that
    does not exist, or about a criterion without a status, are left out.
    """
    lowering: dict[tuple[int, str], Downgrade] = {}
    for downgrade in proposed:
        is_known = 0 <= downgrade.claim < len(claims)
        if not is_known or downgrade.criterion not in LEAK_PRONE:
            continue

        before = claims[downgrade.claim].criteria[downgrade.criterion].status
        if before is None or RANK[downgrade.after] >= RANK[before]:
            continue

        judged = (downgrade.claim, downgrade.criterion)
        lowering.setdefault(judged, downgrade.model_copy(update={"before": before}))
    return [lowering[judged] for judged in sorted(lowering)]
