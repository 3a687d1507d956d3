"""Which claims are about the whole system, and not about a component (section 3.5).

A paper is scored by its system-level claims. Where a judge does not give a claim's level, the
paper's heuristics decide.
"""

from collections.abc import Sequence

from mechaware.instruments.claims.rubric.records import Claim

SYSTEM_WORDS = ("circuit", "algorithm", "mechanism")
MANY_COMPONENTS = 5


def mark_system_claims(claims: Sequence[Claim]) -> list[Claim]:
    """The claims, each with a level (`system`): the judge's, or else the heuristics'.

    By the heuristics a claim is system-level if any of these holds:

    - It names the most components of all claims; in a tie only the first of these claims counts.
    - It names at least `MANY_COMPONENTS` components.
    - Its statement has one of `SYSTEM_WORDS`, or a longer word with it, as "algorithmic".
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


def mark_largest_claim(claims: Sequence[Claim], n_unusable: int) -> list[Claim]:
    """The claims; if none is system-level, the claim with the most components becomes so.

    Our definition: some judges call every claim of a paper a component claim, and the paper is
    still scored by one of its claims. But if claims of the judge's replies could not be used
    (`n_unusable` is their number), no claim is marked: one of those may have been the paper's
    system-level claim.
    """
    has_system_claim = any(claim.system for claim in claims)
    if has_system_claim or n_unusable > 0:
        return list(claims)
    largest = _largest(claims)
    marked = []
    for index, claim in enumerate(claims):
        marked.append(claim.model_copy(update={"system": index == largest}))
    return marked


def _largest(claims: Sequence[Claim]) -> int | None:
    """The index of the claim with the most components, the first in a tie; None without claims."""
    counts = [len(claim.components) for claim in claims]
    return counts.index(max(counts)) if counts else None
