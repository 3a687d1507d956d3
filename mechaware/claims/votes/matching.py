"""Matches the claims of independent runs: which of them are the same claim."""

from collections.abc import Sequence

import numpy as np
from rapidfuzz import fuzz
from scipy.optimize import linear_sum_assignment

from mechaware.claims.rubric.records import Claim
from mechaware.claims.votes.similarity import ClaimComparison

Group = list[int | None]  # the claim's index in every run, None where the run lacks it


def match_claims(runs: Sequence[Sequence[Claim]], *, least_similarity: float) -> list[Group]:
    """Groups of matching claims of runs over one paper: first the system claims, which match no others.

    A claim's level is what the judge said; claims without a level are matched with component claims. Within a level,
    the run that agrees most with the others is the reference. The claims of every other run are assigned to its claims
    one to one (Hungarian method); pairs less similar than `least_similarity`, and pairs that contradict each other
    whatever they share, are dropped. The remaining claims are
    matched again in the same way. The groups do not depend on the order of the runs: ties are broken by content. Within
    a level they are ordered by the mean index of their claims. Runs with the same claims in the same order need no
    rule. Our definition: the paper does not say how claims are matched.
    """
    if len({tuple((claim.statement, *claim.components) for claim in claims) for claims in runs}) == 1:
        return [[index] * len(runs) for index in range(len(runs[0]))]
    levels = (match_level(runs, system=system, least_similarity=least_similarity) for system in (True, False))
    return [group for groups in levels for group in groups]


def match_level(runs: Sequence[Sequence[Claim]], *, system: bool, least_similarity: float) -> list[Group]:
    """The groups of the system claims, or of the others."""
    matching = _Matching(runs, least_similarity)
    left = {run: matching.by_content(run, system) for run in range(len(runs))}
    groups: list[dict[int, int]] = []
    while any(left.values()):
        reference = matching.reference(left)
        matched = {index: {reference: index} for index in left[reference]}
        for run in left:
            if run != reference:
                for mine, theirs in matching.assign(left, reference, run):
                    matched[mine][run] = theirs
        groups += matched.values()
        used = {claim for group in matched.values() for claim in group.items()}
        left = {run: [index for index in indices if (run, index) not in used] for run, indices in left.items()}
    ordered = sorted(groups, key=lambda group: (np.mean(list(group.values())), matching.members(group)))
    return [[group.get(run) for run in range(len(runs))] for group in ordered]


def central(claims: Sequence[Claim]) -> Claim:
    """The claim with the greatest total similarity to the others; ties are broken by content."""
    comparison = ClaimComparison(claims)
    return max(
        claims,
        key=lambda claim: (
            round(sum(comparison.similarity(claim, other) for other in claims), 9),
            claim.model_dump_json(),
        ),
    )


class _Matching:
    """The claims of all runs, compared with each other. `left` holds the indices of claims that are not matched yet."""

    def __init__(self, runs: Sequence[Sequence[Claim]], least_similarity: float) -> None:
        self._runs = runs
        self._least = least_similarity
        self._comparison = ClaimComparison(claim for claims in runs for claim in claims)
        self._contents = [[claim.model_dump_json() for claim in claims] for claims in runs]
        self._similarities: dict[tuple[int, int, int, int], float] = {}

    def reference(self, left: dict[int, list[int]]) -> int:
        """The run whose remaining claims agree most with those of the other runs."""

        def agreement(run: int) -> tuple[float, list[str]]:
            others = (other for other in left if other != run)
            total = sum(
                self._similarity(run, mine, other, theirs)
                for other in others
                for mine, theirs in self._best(left, run, other)
            )
            return round(total, 9), [self._contents[run][index] for index in left[run]]

        return max((run for run, indices in left.items() if indices), key=agreement)

    def assign(self, left: dict[int, list[int]], first: int, second: int) -> list[tuple[int, int]]:
        """The pairs of the best assignment of two runs that are similar enough."""
        return [
            (mine, theirs)
            for mine, theirs in self._best(left, first, second)
            if self._similarity(first, mine, second, theirs) >= self._least
            and not self._comparison.contradict(self._runs[first][mine], self._runs[second][theirs])
        ]

    def by_content(self, run: int, system: bool) -> list[int]:
        """The claims of one level of a run, in an order that does not depend on theirs."""
        indices = (index for index, claim in enumerate(self._runs[run]) if bool(claim.system) == system)
        return sorted(indices, key=lambda index: self._contents[run][index])

    def members(self, group: dict[int, int]) -> list[str]:
        """The contents of a group's claims, whatever the order of the runs."""
        return sorted(self._contents[run][index] for run, index in group.items())

    def _best(self, left: dict[int, list[int]], first: int, second: int) -> list[tuple[int, int]]:
        """The one-to-one assignment of the remaining claims of two runs with the greatest total similarity."""
        if not left[first] or not left[second]:
            return []
        likeness = np.array([[self._preference(first, i, second, j) for j in left[second]] for i in left[first]])
        rows, columns = linear_sum_assignment(likeness, maximize=True)
        return [(left[first][i], left[second][j]) for i, j in zip(rows, columns, strict=True)]

    def _preference(self, first: int, mine: int, second: int, theirs: int) -> float:
        """The similarity, less for contradictions; of equal ones, statements with more letters in common have more."""
        statements = self._runs[first][mine].statement, self._runs[second][theirs].statement
        contradict = self._comparison.contradict(self._runs[first][mine], self._runs[second][theirs])
        return self._similarity(first, mine, second, theirs) + 1e-9 * fuzz.ratio(*statements) - contradict

    def _similarity(self, first: int, mine: int, second: int, theirs: int) -> float:
        pair = (first, mine, second, theirs)
        if pair not in self._similarities:
            self._similarities[pair] = self._comparison.similarity(self._runs[first][mine], self._runs[second][theirs])
        return self._similarities[pair]
