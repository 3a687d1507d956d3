"""Which claims of independent runs are the same claim."""

from collections.abc import Sequence

import numpy as np
from rapidfuzz import fuzz
from scipy.optimize import linear_sum_assignment

from mechaware.claims.records import Claim

Place = tuple[int, int]  # of a claim: run, index in the run


def similarity(first: Claim, second: Claim) -> float:
    """0 to 1: the mean of shared components (Jaccard) and alike statements; the latter alone if neither names any."""
    statements = fuzz.token_set_ratio(first.statement.lower(), second.statement.lower()) / 100
    ours, theirs = ({name.lower() for name in claim.components} for claim in (first, second))
    if not ours | theirs:
        return statements
    return (statements + len(ours & theirs) / len(ours | theirs)) / 2


def match_claims(runs: Sequence[Sequence[Claim]], *, least_similarity: float) -> list[list[int | None]]:
    """Groups of claims taken to be one: for each group, the claim's index in every run, or None.

    The run that agrees most with the others is the reference; the claims of every other run are assigned to its
    claims one to one (Hungarian method) and kept where they are at least so similar. What is left is matched again
    in the same way. The groups do not depend on the order of the runs; they stand in the order in which the runs
    tell them. Our definition: the paper does not say how claims are matched.
    """
    # Ties are broken by content, never by a run's place.
    left = {run: _by_content(claims) for run, claims in enumerate(runs)}
    groups: list[dict[int, int]] = []
    while any(left.values()):
        reference = _reference(runs, left)
        found = {(reference, index): {reference: index} for index in left[reference]}
        for run in left:
            if run != reference:
                for mine, theirs in _assign(runs, left, reference, run, least_similarity):
                    found[(reference, mine)][run] = theirs
        groups += found.values()
        taken = {place for group in found.values() for place in group.items()}
        left = {run: [index for index in indices if (run, index) not in taken] for run, indices in left.items()}
    ordered = sorted(groups, key=lambda group: (np.mean(list(group.values())), _members(runs, group)))
    return [[group.get(run) for run in range(len(runs))] for group in ordered]


def central(claims: Sequence[Claim]) -> Claim:
    """The claim that is most like the others."""
    return max(
        claims,
        key=lambda claim: (sum(similarity(claim, other) for other in claims), _content(claim)),
    )


def _reference(runs: Sequence[Sequence[Claim]], left: dict[int, list[int]]) -> int:
    """The run whose remaining claims agree most with those of the other runs."""

    def agreement(run: int) -> tuple[float, list[str]]:
        others = (other for other in left if other != run)
        total = sum(
            (
                similarity(runs[run][mine], runs[other][theirs])
                for other in others
                for mine, theirs in _assign(runs, left, run, other, 0.0)
            ),
            0.0,
        )
        return round(total, 9), [_content(runs[run][index]) for index in left[run]]

    return max((run for run, indices in left.items() if indices), key=agreement)


def _assign(
    runs: Sequence[Sequence[Claim]], left: dict[int, list[int]], first: int, second: int, least: float
) -> list[tuple[int, int]]:
    """The one-to-one assignment of the remaining claims of two runs with the greatest total similarity."""
    if not left[first] or not left[second]:
        return []
    likeness = np.array([[similarity(runs[first][i], runs[second][j]) for j in left[second]] for i in left[first]])
    rows, columns = linear_sum_assignment(likeness, maximize=True)
    return [(left[first][i], left[second][j]) for i, j in zip(rows, columns, strict=True) if likeness[i, j] >= least]


def _members(runs: Sequence[Sequence[Claim]], group: dict[int, int]) -> list[str]:
    return sorted(_content(runs[run][index]) for run, index in group.items())


def _by_content(claims: Sequence[Claim]) -> list[int]:
    return sorted(range(len(claims)), key=lambda index: _content(claims[index]))


def _content(claim: Claim) -> str:
    return claim.model_dump_json()
