"""Which claims are about the whole system, and not about a component (section 3.5).

A paper is scored by its system-level claims. Where a judge does not say a claim's level, heuristics decide.
"""

from collections.abc import Sequence

from mechaware.instruments.claims.rubric.records import Claim

# The paper's heuristics.
SYSTEM_WORDS = ("circuit", "algorithm", "mechanism")
MANY_COMPONENTS = 5


def mark_system_claims(claims: Sequence[Claim]) -> list[Claim]:
    """The claims with `system` decided: as the judge said, else by the paper's heuristics.

    By the heuristics a claim is system-level if it names the most components (the first such claim in a tie), or at
    least `MANY_COMPONENTS`, or if its statement has one of `SYSTEM_WORDS`.
    """
    largest = _largest(claims)
    marked = []
    for index, claim in enumerate(claims):
        if claim.system is not None:
            marked.append(claim)
            continue
        statement = claim.statement.lower()
        names_system = any(word in statement for word in SYSTEM_WORDS)
        has_many = len(claim.components) >= MANY_COMPONENTS
        is_system = index == largest or names_system or has_many
        marked.append(claim.model_copy(update={"system": is_system}))
    return marked


def mark_largest_claim(claims: Sequence[Claim], left_out: int) -> list[Claim]:
    """The claims; if none is system-level, the one with the most components is (our definition).

    Some judges call every claim of a paper a component claim: the paper is still scored by one of them. No claim is
    marked if the runs left out claims as unusable (`left_out`, their number), one of which may be the paper's own.
    """
    if any(claim.system for claim in claims) or left_out:
        return list(claims)
    largest = _largest(claims)
    marked = []
    for index, claim in enumerate(claims):
        marked.append(claim.model_copy(update={"system": index == largest}))
    return marked


def _largest(claims: Sequence[Claim]) -> int | None:
    """The index of the claim with the most components, the first one in a tie; None without claims."""
    return max(range(len(claims)), key=lambda index: len(claims[index].components), default=None)
