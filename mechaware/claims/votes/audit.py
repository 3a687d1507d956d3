"""The passes after the vote, which only lower: the leak audit and the devil's advocate (sections 3.5 and 3.8)."""

from collections.abc import Iterable, Sequence

from mechaware.claims.rubric.criteria import LEAK_PRONE, STATUSES
from mechaware.claims.rubric.records import Claim, Downgrade

SYSTEM_WORDS = ("circuit", "algorithm", "mechanism")
MANY_COMPONENTS = 5


def mark_system_claims(claims: Sequence[Claim]) -> list[Claim]:
    """The claims with `system` decided by the paper's heuristics (section 3.5).

    A claim is system-level if it names the most components (of several, the first one told), at least five of them,
    or one of the words circuit, algorithm and mechanism.
    """
    most = max(range(len(claims)), key=lambda index: len(claims[index].components), default=None)
    return [
        claim.model_copy(
            update={
                "system": index == most
                or len(claim.components) >= MANY_COMPONENTS
                or any(word in claim.statement.lower() for word in SYSTEM_WORDS)
            }
        )
        for index, claim in enumerate(claims)
    ]


def leaks(claims: Sequence[Claim], proposed: Iterable[Downgrade]) -> list[Downgrade]:
    """Those of an auditor's proposals that the leak audit may make: to NO, and never on a system-level claim."""
    return [
        one.model_copy(update={"after": "NO"}) for one in _lowering(claims, proposed) if not claims[one.claim].system
    ]


def challenges(claims: Sequence[Claim], proposed: Iterable[Downgrade]) -> list[Downgrade]:
    """Those of a devil's advocate's proposals that lower one of the five criteria of any claim (section 3.8)."""
    return _lowering(claims, proposed)


def downgrade(claims: Sequence[Claim], downgrades: Iterable[Downgrade], label: str) -> list[Claim]:
    """The claims with the downgrades made, each with its reason before the evidence."""
    changed = list(claims)
    for one in downgrades:
        claim = changed[one.claim]
        judgement = claim.criteria[one.criterion]
        note = f"[{label}: {one.before}→{one.after}, {one.reason}]"
        lowered = judgement.model_copy(update={"status": one.after, "evidence": f"{note} {judgement.evidence}".strip()})
        changed[one.claim] = claim.model_copy(update={"criteria": {**claim.criteria, one.criterion: lowered}})
    return changed


def _lowering(claims: Sequence[Claim], proposed: Iterable[Downgrade]) -> list[Downgrade]:
    """Of the proposals on the five criteria those that lower a status, one for each criterion of each claim."""
    found: dict[tuple[int, str], Downgrade] = {}
    for one in proposed:
        if not 0 <= one.claim < len(claims) or one.criterion not in LEAK_PRONE:
            continue
        before = claims[one.claim].criteria[one.criterion].status
        if before is not None and STATUSES.index(one.after) < STATUSES.index(before):
            found.setdefault((one.claim, one.criterion), one.model_copy(update={"before": before}))
    return [found[place] for place in sorted(found)]
