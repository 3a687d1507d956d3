"""Which claims of several runs over one paper are the same.

Our definition: the paper does not say how claims are matched.
"""

from collections.abc import Sequence
from itertools import chain

import numpy as np
from rapidfuzz import fuzz
from scipy.optimize import linear_sum_assignment

from mechaware.instruments.claims.rubric.records import Claim
from mechaware.instruments.claims.votes.similarity import ClaimComparison

Group = list[int | None]  # the claim's index in every run, None where the run lacks it

# Of two equally similar pairs the one whose statements share more letters is preferred: `fuzz.ratio` is at most 100.
_TIE_BREAK = 1e-9
_DIGITS = 9  # to which total similarities are compared, since sums depend on their order in the last digits


def match_claims(runs: Sequence[Sequence[Claim]], *, least_similarity: float) -> list[Group]:
    """The groups of system claims, then the groups of all others. A system claim and another one never match.

    For three runs, of which the second has the claims in another order and the third lacks one:

        runs    [[a, b], [b', a'], [a'']]
        groups  [[0, 1, 0], [1, 0, None]]

    A claim's level, system or component, is what the judge said; claims without a level are matched with component
    claims. Within a level, the run that agrees most with the others is the reference. The claims of every other run are
    assigned to the reference's claims one to one (Hungarian method); pairs less similar than `least_similarity` are
    dropped, and so are pairs that contradict each other, however similar. The remaining claims are matched again in the
    same way. The groups do not depend on the order of the runs: ties are broken by content. Within a level the groups
    are ordered by the mean index of their claims.

    Exception: runs with the same statements and components in the same order are grouped claim by claim, in that order,
    whatever the levels of the claims.

    Args:
        runs: The claims of each run.
        least_similarity: From 0 to 1 (`ClaimComparison.similarity`); a pair that is exactly so similar matches.

    Returns:
        The groups. Each claim of each run is in exactly one of them.
    """
    stated = set()
    for claims in runs:
        stated.add(tuple((claim.statement, *claim.components) for claim in claims))
    if len(stated) == 1:
        return [[index] * len(runs) for index in range(len(runs[0]))]

    systems = match_level(runs, system=True, least_similarity=least_similarity)
    others = match_level(runs, system=False, least_similarity=least_similarity)
    return [*systems, *others]


def match_level(
    runs: Sequence[Sequence[Claim]], *, system: bool, least_similarity: float
) -> list[Group]:
    """The groups of the system claims, or of all others, as `match_claims` makes them."""
    return _LevelMatching(runs, system, least_similarity).groups()


class _LevelMatching:
    """Matches the claims of one level, in rounds.

    Each round has a reference run. Every claim that this run has left begins a group.
    """

    def __init__(
        self, runs: Sequence[Sequence[Claim]], system: bool, least_similarity: float
    ) -> None:
        self._runs = runs
        self._least_similarity = least_similarity
        self._comparison = ClaimComparison(chain.from_iterable(runs))
        self._contents: list[list[str]] = []
        for claims in runs:
            self._contents.append([claim.model_dump_json() for claim in claims])

        # The claims of each run that are in no group yet, by content: their order in the run decides nothing.
        self._left: list[list[int]] = []
        for claims, contents in zip(runs, self._contents, strict=True):
            indices = [at for at, claim in enumerate(claims) if bool(claim.system) == system]
            self._left.append(sorted(indices, key=contents.__getitem__))

    def groups(self) -> list[Group]:
        """All groups, ordered by the mean index of their claims."""
        groups: list[Group] = []
        while any(self._left):
            reference = self._reference()
            matched = self._match_with(reference)
            groups += matched
            self._take(matched)
        return sorted(groups, key=self._order)

    def _reference(self) -> int:
        """The run that agrees most with the others, among those with claims left."""
        with_claims = [run for run in range(len(self._runs)) if self._left[run]]
        return max(with_claims, key=self._agreement)

    def _agreement(self, run: int) -> tuple[float, list[str]]:
        """The total similarity of a run's claims to the claims that other runs assign to them; then their content."""
        total = 0.0
        for other in range(len(self._runs)):
            if other == run:
                continue
            for _, _, similarity in self._pairs(run, other):
                total += similarity
        contents = [self._contents[run][at] for at in self._left[run]]
        return round(total, _DIGITS), contents

    def _match_with(self, reference: int) -> list[Group]:
        """A group for each claim that the reference run has left, with the matching claims of the other runs."""
        matched: dict[int, Group] = {}
        for at in self._left[reference]:
            group: Group = [None] * len(self._runs)
            group[reference] = at
            matched[at] = group

        for run in range(len(self._runs)):
            if run == reference:
                continue
            for at, other_at, similarity in self._pairs(reference, run):
                claim = self._runs[reference][at]
                candidate = self._runs[run][other_at]
                if similarity < self._least_similarity:
                    continue
                if not self._comparison.contradict(claim, candidate):
                    matched[at][run] = other_at
        return list(matched.values())

    def _pairs(self, first: int, second: int) -> list[tuple[int, int, float]]:
        """The most similar one-to-one assignment of what two runs have left: indices in each run, and similarity."""
        ours = [self._runs[first][at] for at in self._left[first]]
        theirs = [self._runs[second][at] for at in self._left[second]]
        pairs = []
        for row, column in _assign(ours, theirs, self._comparison):
            similarity = self._comparison.similarity(ours[row], theirs[column])
            pairs.append((self._left[first][row], self._left[second][column], similarity))
        return pairs

    def _take(self, groups: Sequence[Group]) -> None:
        """Remove from what is left the claims that are now in a group."""
        for run in range(len(self._runs)):
            used = {group[run] for group in groups}
            self._left[run] = [at for at in self._left[run] if at not in used]

    def _order(self, group: Group) -> tuple[float, list[str]]:
        """What groups are sorted by: the mean index of their claims, then their content."""
        indices = []
        contents = []
        for run, at in enumerate(group):
            if at is not None:
                indices.append(at)
                contents.append(self._contents[run][at])
        return float(np.mean(indices)), sorted(contents)


def _assign(
    ours: Sequence[Claim], theirs: Sequence[Claim], comparison: ClaimComparison
) -> list[tuple[int, int]]:
    """Pairs of indices with the greatest total similarity (Hungarian method); none if either side has no claims.

    A contradiction lowers the similarity of a pair by 1.
    """
    if not ours or not theirs:
        return []
    likeness = np.empty((len(ours), len(theirs)))
    for row, claim in enumerate(ours):
        for column, candidate in enumerate(theirs):
            likeness[row, column] = (
                comparison.similarity(claim, candidate)
                + _TIE_BREAK * fuzz.ratio(claim.statement, candidate.statement)
                - comparison.contradict(claim, candidate)
            )
    rows, columns = linear_sum_assignment(likeness, maximize=True)
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


def central_claim(claims: Sequence[Claim]) -> Claim:
    """The claim with the greatest total similarity to the others; ties are broken by content."""
    comparison = ClaimComparison(claims)

    def centrality(claim: Claim) -> tuple[float, str]:
        total = sum(comparison.similarity(claim, other) for other in claims)
        return round(total, _DIGITS), claim.model_dump_json()

    return max(claims, key=centrality)
