"""Which claims of several runs over one paper are the same, and which of them represents the rest.

Our definition: the claim-validity paper does not say how claims are matched.
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

# The weight of `fuzz.ratio` (0 to 100) in the assignment of claims, relative to a similarity from 0
# to 1. It is so small that it only decides between equally similar pairs: those whose statements
# share more letters are preferred.
_TIE_BREAK = 1e-9
# Total similarities are rounded to this many decimals before they are compared: further decimals
# depend on the order of the sum.
_DECIMALS = 9


def match_claims(runs: Sequence[Sequence[Claim]], *, least_similarity: float) -> list[Group]:
    """The groups of system claims, then the groups of all other claims.

    A system claim and a claim of another level never match.

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
    4. Steps 1 to 3 are repeated with the claims that are in no group yet, until there are none.
    5. The groups are ordered by the mean index of their claims.

    The groups do not depend on the order of the runs: ties are broken by content.

    Exception: runs with the same statements and components in the same order are grouped claim by
    claim, in that order, whatever the levels of the claims.

    Args:
        runs: The claims of each run.
        least_similarity: From 0 to 1 (`ClaimComparison.similarity`); a pair with exactly this
            similarity matches.

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

    In each round one run is the reference. Each of its claims that are in no group yet begins a
    group.
    """

    def __init__(
        self, runs: Sequence[Sequence[Claim]], *, system: bool, least_similarity: float
    ) -> None:
        self._runs = runs
        self._least_similarity = least_similarity
        self._comparison = ClaimComparison(chain.from_iterable(runs))
        # By run and index, all fields of the claim, as JSON.
        self._contents: list[list[str]] = []
        for claims in runs:
            self._contents.append([claim.model_dump_json() for claim in claims])

        # By run, the indices of the claims that are in no group yet. They are sorted by the claims'
        # contents, so that the order of claims in a run decides nothing.
        self._ungrouped: list[list[int]] = []
        for claims, contents in zip(runs, self._contents, strict=True):
            level_indices = [i for i, claim in enumerate(claims) if bool(claim.system) == system]
            self._ungrouped.append(sorted(level_indices, key=contents.__getitem__))

    def groups(self) -> list[Group]:
        """All groups, ordered by the mean index of their claims."""
        groups: list[Group] = []
        while any(self._ungrouped):
            reference = self._reference()
            matched = self._match_with(reference)
            groups += matched
            self._remove_grouped(matched)
        return sorted(groups, key=self._sort_key)

    def _reference(self) -> int:
        """The run with the greatest `_agreement`, among the runs with ungrouped claims."""
        with_claims = [run for run in range(len(self._runs)) if self._ungrouped[run]]
        return max(with_claims, key=self._agreement)

    def _agreement(self, run: int) -> tuple[float, list[str]]:
        """The total similarity of a run's pairs with all other runs (`_pairs`), then its contents.

        Runs with the same total are compared by the contents of their ungrouped claims: the run
        that sorts last becomes the reference.
        """
        total = 0.0
        for other in range(len(self._runs)):
            if other == run:
                continue
            for pair in self._pairs(run, other):
                total += pair.similarity
        contents = [self._contents[run][index] for index in self._ungrouped[run]]
        return round(total, _DECIMALS), contents

    def _match_with(self, reference: int) -> list[Group]:
        """A group for each ungrouped claim of the reference, with the claims that match it."""
        # By the index of the reference's claim.
        matched: dict[int, Group] = {}
        for index in self._ungrouped[reference]:
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

    def _pairs(self, first_run: int, second_run: int) -> list[_Pair]:
        """The most similar one-to-one assignment of two runs' ungrouped claims (`_assign`).

        No pair is dropped here, however dissimilar its claims are.
        """
        first_indices = self._ungrouped[first_run]
        second_indices = self._ungrouped[second_run]
        first_claims = [self._runs[first_run][index] for index in first_indices]
        second_claims = [self._runs[second_run][index] for index in second_indices]
        pairs = []
        for row, column in _assign(first_claims, second_claims, self._comparison):
            similarity = self._comparison.similarity(first_claims[row], second_claims[column])
            pairs.append(_Pair(first_indices[row], second_indices[column], similarity))
        return pairs

    def _remove_grouped(self, groups: Sequence[Group]) -> None:
        """Remove the claims of these groups from the ungrouped claims."""
        for run in range(len(self._runs)):
            grouped = {group[run] for group in groups}
            self._ungrouped[run] = [i for i in self._ungrouped[run] if i not in grouped]

    def _sort_key(self, group: Group) -> tuple[float, list[str]]:
        """The mean index of a group's claims in their runs, then the claims' contents."""
        indices = []
        contents = []
        for run, index in enumerate(group):
            if index is not None:
                indices.append(index)
                contents.append(self._contents[run][index])
        return float(np.mean(indices)), sorted(contents)


def _assign(
    first_claims: Sequence[Claim], second_claims: Sequence[Claim], comparison: ClaimComparison
) -> list[tuple[int, int]]:
    """Pairs of indices, one in each list of claims, that maximise the total weight of the pairs.

    The Hungarian method finds them. The shorter list has all its claims in pairs; there are no
    pairs if it is empty. The weight of a pair is

        similarity + _TIE_BREAK * fuzz.ratio of the statements - (1 if the claims contradict)
    """
    if not first_claims or not second_claims:
        return []
    weights = np.empty((len(first_claims), len(second_claims)))
    for row, claim in enumerate(first_claims):
        for column, candidate in enumerate(second_claims):
            weights[row, column] = (
                comparison.similarity(claim, candidate)
                + _TIE_BREAK * fuzz.ratio(claim.statement, candidate.statement)
                - comparison.contradict(claim, candidate)
            )
    rows, columns = linear_sum_assignment(weights, maximize=True)
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


def central_claim(claims: Sequence[Claim]) -> Claim:
    """The claim with the greatest total similarity to the others.

    Of tied claims it is the one whose content, as JSON text, sorts last.
    """
    comparison = ClaimComparison(claims)

    def centrality(claim: Claim) -> tuple[float, str]:
        # The sum includes the claim's similarity to itself, which is 1 for every claim.
        total = sum(comparison.similarity(claim, other) for other in claims)
        return round(total, _DECIMALS), claim.model_dump_json()

    return max(claims, key=centrality)
