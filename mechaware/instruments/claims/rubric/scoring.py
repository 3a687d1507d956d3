"""From statuses to a claim's score and tier, and from a paper's claims to the paper's score
(sections 3.3 to 3.5).

- `dimension_score`, `weighted_score`, `cvs` and `tier` score 27 statuses.
- `attainable_scores` and `printed_score` give the values that a CVS can have.
- `score_claim` makes the record of a claim, whose criteria may lack a status, with its shortest
  way to the next tier (`_to_next_tier`).
- `paper_cvs` and `score_paper` score a paper by its main claim.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from typing import NamedTuple

from mechaware.instruments.claims.rubric.criteria import (
    CRITERIA,
    DIMENSIONS,
    RANK,
    TIERS,
    VALUE,
    Dimension,
    Level,
    Status,
    Tier,
)
from mechaware.instruments.claims.rubric.records import (
    Audited,
    Claim,
    Run,
    Scored,
    Scores,
    Usage,
    Voted,
)
from mechaware.instruments.claims.rubric.system_claims import (
    mark_largest_claim,
    mark_system_claims,
)

TOP_SCORE = 3
# The largest weighted sum of dimension scores: 18.
FULL_WEIGHT = sum(TOP_SCORE * dimension.weight for dimension in DIMENSIONS)


def dimension_score(dimension: Dimension, statuses: Mapping[str, Status]) -> int:
    """The score of a dimension, 0 to 3: the highest level whose demands the
    statuses meet, 0 if none.
    """
    for level in dimension.levels:  # in falling order
        if not _missing(dimension, level, statuses):
            return level.score
    return 0


def weighted_score(scores: Mapping[str, int]) -> float:
    """The CVS, 0 to 10, of five dimension scores by code:
    their weighted sum over its largest value, times 10.
    """
    weighted = sum(dimension.weight * scores[dimension.code] for dimension in DIMENSIONS)
    return 10 * weighted / FULL_WEIGHT


def cvs(statuses: Mapping[str, Status]) -> float:
    """The Claim Validity Score, 0 to 10, of 27 statuses; always a multiple of 0.5 / 18 * 10."""
    scores = {dimension.code: dimension_score(dimension, statuses) for dimension in DIMENSIONS}
    return weighted_score(scores)


def tier(score: float, boundaries: Sequence[float] | None = None) -> Tier:
    """The evidence tier of a CVS: a score on a boundary is in the upper tier.

    `boundaries`, if given, replace the least scores of the second to the fifth tier.
    """
    if not boundaries:
        boundaries = [upper.boundary for upper in TIERS[1:]]
    least_scores = [0.0, *boundaries]
    reached = []
    for candidate, least_score in zip(TIERS, least_scores, strict=True):
        if score >= least_score:
            reached.append(candidate)
    # A score below 0, or none at all (NaN), reaches no tier: that is an error, and not the lowest
    # tier.
    return reached[-1]


def attainable_scores() -> list[float]:
    """Every CVS that five dimension scores can give, in rising order."""
    return sorted({weighted_score(scores) for scores in _all_dimension_scores()})


def printed_score(value: float) -> float:
    """The attainable CVS that rounds to `value` with one decimal.

    Raises StopIteration if there is none.
    """
    printed = f"{value:.1f}"
    return next(score for score in attainable_scores() if f"{score:.1f}" == printed)


class _Bounds(NamedTuple):
    """The lowest and the highest CVS that a claim may have:
    with NO, and with YES, for each criterion without a status.
    """

    low: float
    high: float


def _bounds(claim: Claim) -> _Bounds:
    """The bounds of a claim's CVS; equal if no criterion without a status can change it."""
    return _Bounds(cvs(_filled(claim, "NO")), cvs(_filled(claim, "YES")))


def _filled(claim: Claim, substitute: Status) -> dict[str, Status]:
    """The statuses of a claim, with `substitute` for each criterion without a status."""
    return {code: claim.criteria[code].status or substitute for code in CRITERIA}


def score_claim(claim: Claim) -> Scored:
    """The scores of a claim, with bounds of its CVS (`_Bounds`).

    Scores that depend on criteria without a status are None; `next_tier` takes these criteria as
    NO.
    """
    least = _filled(claim, "NO")
    most = _filled(claim, "YES")
    dimensions: dict[str, int | None] = {}
    for dimension in DIMENSIONS:
        lowest_score = dimension_score(dimension, least)
        highest_score = dimension_score(dimension, most)
        dimensions[dimension.code] = lowest_score if lowest_score == highest_score else None

    next_tier = []
    for code, new_status in _to_next_tier(least):
        status = claim.criteria[code].status or "unscored"
        next_tier.append(f"{code}: {status} -> {new_status}")

    low, high = _bounds(claim)
    return Scored(
        dimensions=dimensions,
        cvs=low if low == high else None,
        low=low,
        high=high,
        tier=tier(low).name if tier(low) == tier(high) else None,
        next_tier=next_tier,
    )


def _to_next_tier(statuses: Mapping[str, Status]) -> list[tuple[str, Status]]:
    """The fewest criteria to raise for the next tier, each with its new status; empty at the
    highest tier.

    A plan gives each dimension a least score; a score that the dimension already has needs no
    change. Of several plans with the fewest changes the plan with the lowest scores is taken, where
    the first dimension in which two plans differ decides.
    """
    current = cvs(statuses)
    higher = [candidate.boundary for candidate in TIERS if candidate.boundary > current]
    if not higher:
        return []
    next_boundary = higher[0]

    # The criteria to raise, with their new statuses, by a dimension's code and the score to reach.
    # A score of 0 needs no change and has no key.
    changes: dict[tuple[str, int], dict[str, Status]] = {}
    for dimension in DIMENSIONS:
        for level in dimension.levels:
            changes[dimension.code, level.score] = _missing(dimension, level, statuses)

    def number_of_changes(scores: Mapping[str, int]) -> int:
        return sum(len(changes.get((code, score), ())) for code, score in scores.items())

    plans = [plan.scores for plan in _plans() if plan.cvs >= next_boundary]
    shortest = min(plans, key=number_of_changes)
    to_raise: list[tuple[str, Status]] = []
    for code, score in shortest.items():
        to_raise += changes.get((code, score), {}).items()
    return to_raise


def _missing(
    dimension: Dimension, level: Level, statuses: Mapping[str, Status]
) -> dict[str, Status]:
    """The fewest criteria to raise to meet a level, with their new statuses;
    the first alternative in a tie.
    """
    by_alternative = []
    for demands in level.any_of:
        by_alternative.append(_statuses_to_raise(dimension, level, demands, statuses))
    return min(by_alternative, key=len)


def _statuses_to_raise(
    dimension: Dimension,
    level: Level,
    demands: Mapping[str, Status],
    statuses: Mapping[str, Status],
) -> dict[str, Status]:
    """The fewest criteria to raise to meet `demands`, one alternative of a level, and the level's
    least sum, with their new statuses.
    """
    raised: dict[str, Status] = {}
    for code, demanded in demands.items():
        if RANK[statuses[code]] < RANK[demanded]:
            raised[code] = demanded
    after = {code: raised.get(code, statuses[code]) for code in dimension.criteria}

    # If the sum is still too small, raise the criteria with the lowest statuses: they gain most.
    lowest_first = sorted(after, key=lambda code: VALUE[after[code]])
    for code in lowest_first:
        total = sum(VALUE[status] for status in after.values())
        if total >= level.least_sum:
            break
        after[code] = "YES"
        raised[code] = "YES"
    return raised


class _Plan(NamedTuple):
    """Dimension scores by code, and the CVS that they give."""

    scores: Mapping[str, int]
    cvs: float


@cache
def _plans() -> list[_Plan]:
    """All 1,024 combinations of dimension scores with their CVS."""
    return [_Plan(scores, weighted_score(scores)) for scores in _all_dimension_scores()]


def _all_dimension_scores() -> Iterator[dict[str, int]]:
    """Every combination of the five dimensions' scores, 0 to 3, by code;
    the last dimension's score varies fastest.
    """
    codes = [dimension.code for dimension in DIMENSIONS]
    for scores in product(range(TOP_SCORE + 1), repeat=len(codes)):
        yield dict(zip(codes, scores, strict=True))


def _main_claim(claims: Sequence[Claim]) -> int | None:
    """The index of the paper's main claim: the system-level claim with the highest CVS, the first
    such claim in a tie.

    A claim whose CVS depends on criteria without a status counts with its lower bound. None without
    a system-level claim.
    """
    system_indices = [index for index, claim in enumerate(claims) if claim.system]
    return max(system_indices, key=lambda index: _bounds(claims[index]).low, default=None)


def paper_cvs(claims: Sequence[Claim]) -> float | None:
    """The CVS of a paper's main claim, 0 to 10. None without a main claim,
    or if its CVS depends on criteria without a status.
    """
    main = _main_claim(claims)
    if main is None:
        return None
    low, high = _bounds(claims[main])
    return low if low == high else None


def score_paper(runs: Sequence[Run], voted: Voted, audited: Audited) -> Scores:
    """The scores of every audited claim, and the paper's CVS by each run,
    after the vote and after the audit.
    """
    scored = [score_claim(claim) for claim in audited.claims]
    main = _main_claim(audited.claims)
    single_runs = []
    for run in runs:
        claims = mark_largest_claim(mark_system_claims(run.claims), run.left_out)
        single_runs.append(paper_cvs(claims))
    usage = sum((run.usage for run in runs), start=Usage())
    return Scores(
        judge=audited.judge,
        paper=audited.paper,
        claims=audited.claims,
        scored=scored,
        main=main,
        cvs=None if main is None else scored[main].cvs,
        tier=None if main is None else scored[main].tier,
        single_runs=single_runs,
        voted=paper_cvs(voted.claims),
        usage=usage + audited.usage,
        fault=audited.fault,
    )
