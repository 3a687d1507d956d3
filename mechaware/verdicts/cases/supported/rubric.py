"""Statuses at and near the demands of each level of the rubric, with their scores and tiers."""

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations
from typing import Any

from mechaware.instruments.claims.rubric.criteria import CRITERIA, DIMENSIONS, STATUSES, Status
from mechaware.instruments.claims.rubric.scoring import cvs, dimension_score, tier

# Scores at and below the boundaries of tiers.
_SCORES = (0.0, 1.999, 2.0, 3.999, 4.0, 5.999, 6.0, 7.999, 8.0, 10.0)
# The number of mixed sets of statuses. All other sets differ from a uniform one in at most two
# criteria.
_N_MIXED = 120


def rubric_outcomes() -> list[Any]:
    """The tiers of `_SCORES`; then the dimension scores, CVS and tier of each set of statuses."""
    outcomes: list[Any] = [tier(score).name for score in _SCORES]
    for statuses in _statuses():
        score = cvs(statuses)
        scores = [dimension_score(dimension, statuses) for dimension in DIMENSIONS]
        outcomes.append([scores, score, tier(score).name])
    return outcomes


def _statuses() -> Iterator[dict[str, Status]]:
    """The sets of 27 statuses.

    They are uniform, or differ from a uniform set in one criterion or in two criteria of one
    dimension, or are mixed.
    """
    for rest in STATUSES:
        uniform = dict.fromkeys(CRITERIA, rest)
        yield uniform
        for code in CRITERIA:
            for other in STATUSES:
                if other != rest:
                    yield uniform | {code: other}

    all_no: dict[str, Status] = dict.fromkeys(CRITERIA, "NO")
    all_yes: dict[str, Status] = dict.fromkeys(CRITERIA, "YES")
    for dimension in DIMENSIONS:
        for first, second in permutations(dimension.criteria, 2):
            yield all_no | {first: "YES", second: "PARTIAL"}
            yield all_yes | {first: "NO", second: "PARTIAL"}
        for first, second in combinations(dimension.criteria, 2):
            yield all_no | {first: "YES", second: "YES"}
            yield all_yes | {first: "NO", second: "NO"}

    for number in range(_N_MIXED):
        yield {code: _mixed_status(number, index) for index, code in enumerate(CRITERIA)}


def _mixed_status(number: int, index: int) -> Status:
    """The status of the criterion with this index in the mixed set of this number.

    The formula is arbitrary and gives sets that differ. YES has two of four places, so that high
    levels are met.
    """
    statuses: Sequence[Status] = ("YES", "NO", "YES", "PARTIAL")
    return statuses[(number * (index + 3) + index**2 + number**2 // 7) % len(statuses)]
