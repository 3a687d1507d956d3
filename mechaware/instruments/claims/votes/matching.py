"""Which claims of several runs over one paper are the same, and which of them represents the rest.

Our definition: the paper does not say how claims are matched.
"""

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from rapidfuzz import fuzz
from scipy.optimize import linear_sum_assignment

from mechaware.instruments.claims.rubric.records import Claim
from mechaware.instruments.claims.votes.similarity import ClaimComparison

Group = list[int | None]  # the claim's index in every run, None where the run lacks it

# Of equally similar pairs the pair is preferred whose statements share more letters. This is the
# weight of `fuzz.ratio`, which is at most 100, relative to a similarity from 0 to 1.
_TIE_BREAK = 1e-9
# Total similarities are compared to this many decimals: the last ones depend on the order of the
# sum.
_DECIMALS = 9


def match_claims(runs: Sequence[Sequence[Claim]], *, least_similarity: float) -> list[Group]:
    """The groups of system claims, then the groups of all other claims.

    A system claim and another one never match.

    For three runs, of which the second has the claims in another order and the third lacks one:

        runs    [[a, b], [b', a'], [a'']]
        groups  [[0, 1, 0], [1, 0, None]]

    The level of a claim, system or component, is the one that the judge gave it; claims without a
    level are matched with component claims. Within a level:

    1. The run that agrees most with the others is the reference.
    2. The claims of every other run are assigned to the reference's claims one to one (Hungarian
       method).
    3. Pairs less similar than `least_similarity` are dropped, and so are pairs that contradict each
       other, however similar.
    4. The claims that are in no group yet are matched again in the same way.
    5. The groups are ordered by the mean index of their claims.

    The groups do not depend on the order of the runs: ties are broken by content.

    Exception: runs with the same statements and components in the same order are grouped claim by
    claim, in that order, whatever the levels of the claims.

    Args:
        runs: The claims of each run.
        least_similarity: From 0 to 1 (`ClaimComparison.similarity`); a pair that is exactly so
            similar matches.

    Returns:
        The groups. Each claim of each run is in exactly one of them.
    """
    different_runs = set()
    for claims in runs:
        stated = tuple((claim.statement, tuple(claim.components)) for claim in claims)
        different_runs.add(stated)
    if len(different_runs) == 1:
        return [[index] * len(runs) for index in range(len(runs[0]))]

    systems = match_level(runs, system=True, least_similarity=least_similarity)
    others = match_level(runs, system=False, least_similarity=least_similarity)
    return [*systems, *others]


def match_level(
    runs: Sequence[Sequence[Claim]], *, system: bool, least_similarity: float
) -> list[Group]:
    """The groups of the system claims, or of all others, as `match_claims` makes them."""
    return _LevelMatching(runs, system=system, least_similarity=least_similarity).groups()


class _Pair(NamedTuple):
    """A claim of one run and a claim of another: their index in their run, and their similarity."""

    first: int
    second: int
    similarity: float


class _LevelMatching:
    """Matches the claims of one level, in rounds.

    Each round has a reference run. Every claim that this run has left begins a group.
    """

    def __init__(
        self, runs: Sequence[Sequence[Claim]], *, system: bool, least_similarity: float
    ) -> None:
        self._runs = runs
        self._least_similarity = least_similarity
        self._comparison = ClaimComparison(chain.from_iterable(runs))
        # By run and index, all that a claim consists of, as text.
        self._contents: list[list[str]] = []
        for claims in runs:
            self._contents.append([claim.model_dump_json() for claim in claims])

        # By run, the indices of the claims that are in no group yet. They are sorted by the claims'
        # contents, so that the order of claims in a run decides nothing.
        self._left: list[list[int]] = []
        for claims, contents in zip(runs, self._contents, strict=True):
            of_level = [i for i, claim in enumerate(claims) if bool(claim.system) == system]
            self._left.append(sorted(of_level, key=contents.__getitem__))

    def groups(self) -> list[Group]:
        """All groups, ordered by the mean index of their claims."""
        groups: list[Group] = []
        while any(self._left):
            reference = self._reference()
            matched = self._match_with(reference)
            groups += matched
            self._remove_from_left(matched)
        return sorted(groups, key=self._order)

    def _reference(self) -> int:
        """The run that agrees most with the others (`_agreement`), among those with claims left."""
        with_claims = [run for run in range(len(self._runs)) if self._left[run]]
        return max(with_claims, key=self._agreement)

    def _agreement(self, run: int) -> tuple[float, list[str]]:
        """How well a run's claims agree with those of the other runs: what runs are compared by.

        First the total similarity of the pairs that the run has with each other run (`_pairs`); of
        runs with the same total the last by the contents of its claims is preferred.
        """
        total = 0.0
        for other in range(len(self._runs)):
            if other == run:
                continue
            for pair in self._pairs(run, other):
                total += pair.similarity
        contents = [self._contents[run][index] for index in self._left[run]]
        return round(total, _DECIMALS), contents

    def _match_with(self, reference: int) -> list[Group]:
        """A group for each claim that the reference has left, with the claims that match it."""
        # By the index of the reference's claim.
        matched: dict[int, Group] = {}
        for index in self._left[reference]:
            group: Group = [None] * len(self._runs)
            group[reference] = index
            matched[index] = group

        for run in range(len(self._runs)):
            if run == reference:
                continue
            for pair in self._pairs(reference, run):
                if pair.similarity < self._least_similarity:
                    continue
                claim = self._runs[reference][pair.first]
                candidate = self._runs[run][pair.second]
                if not self._comparison.contradict(claim, candidate):
                    matched[pair.first][run] = pair.second
        return list(matched.values())

    def _pairs(self, first: int, second: int) -> list[_Pair]:
        """The most similar one-to-one assignment of the claims that two runs have left.

        `first` and `second` are the runs. Their pairs may be unlike each other: none is dropped
        here.
        """
        ours = [self._runs[first][at] for at in self._left[first]]
        theirs = [self._runs[second][at] for at in self._left[second]]
        pairs = []
        for row, column in _assign(ours, theirs, self._comparison):
            similarity = self._comparison.similarity(ours[row], theirs[column])
            pairs.append(_Pair(self._left[first][row], self._left[second][column], similarity))
        return pairs

    def _remove_from_left(self, groups: Sequence[Group]) -> None:
        """Remove the claims of these groups from the claims that are in no group yet."""
        for run in range(len(self._runs)):
            grouped = {group[run] for group in groups}
            self._left[run] = [index for index in self._left[run] if index not in grouped]

    def _order(self, group: Group) -> tuple[float, list[str]]:
        """What groups are sorted by: the mean index of their claims, then their content."""
        indices = []
        contents = []
        for run, index in enumerate(group):
            if index is not None:
                indices.append(index)
                contents.append(self._contents[run][index])
        return float(np.mean(indices)), sorted(contents)


def _assign(
    ours: Sequence[Claim], theirs: Sequence[Claim], comparison: ClaimComparison
) -> list[tuple[int, int]]:
    """Pairs of indices with the greatest total similarity (Hungarian method).

    There are no pairs if either side has no claims. The similarity of a pair is lowered by 1 if its
    claims contradict each other; of equally similar pairs, those whose statements share more
    letters are preferred.
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
        # With its similarity to itself, which is 1 for every claim.
        total = sum(comparison.similarity(claim, other) for other in claims)
        return round(total, _DECIMALS), claim.model_dump_json()

    return max(claims, key=centrality)
