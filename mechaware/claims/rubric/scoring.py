"""From the statuses of one claim to dimension scores, Claim Validity Score and tier (sections 3.3 and 3.4)."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from mechaware.claims.rubric.criteria import (
    CRITERIA,
    DIMENSIONS,
    STATUSES,
    TIERS,
    VALUE,
    Dimension,
    Level,
    Status,
    Tier,
)
from mechaware.claims.rubric.records import Claim, Scored

TOP_SCORE = 3
FULL_WEIGHT = sum(TOP_SCORE * dimension.weight for dimension in DIMENSIONS)  # 18


def dimension_score(dimension: Dimension, statuses: Mapping[str, Status]) -> int:
    """The score of a dimension, 0 to 3: the highest level whose demands the statuses meet, 0 if none."""
    return next((level.score for level in dimension.levels if _missing(dimension, level, statuses) == {}), 0)


def weighted_score(scores: Mapping[str, int]) -> float:
    """The CVS, 0 to 10, of five dimension scores by code: their weighted sum over its largest value, times 10."""
    return 10 * sum(dimension.weight * scores[dimension.code] for dimension in DIMENSIONS) / FULL_WEIGHT


def cvs(statuses: Mapping[str, Status]) -> float:
    """The Claim Validity Score, 0 to 10, of 27 statuses; always a multiple of 0.5 / 18 * 10."""
    return weighted_score({dimension.code: dimension_score(dimension, statuses) for dimension in DIMENSIONS})


def tier(score: float, boundaries: Sequence[float] | None = None) -> Tier:
    """The evidence tier of a CVS: a score on a boundary is in the upper tier.

    `boundaries`, if given, replace the least scores of the second to the fifth tier.
    """
    least = [0.0, *(boundaries or [tier.boundary for tier in TIERS[1:]])]
    return [tier for tier, boundary in zip(TIERS, least, strict=True) if score >= boundary][-1]


def attainable_scores() -> list[float]:
    """Every CVS that five dimension scores can give, in rising order."""
    return sorted({weighted_score(scores) for scores in _all_dimension_scores()})


def printed_score(value: float) -> float:
    """The attainable CVS that rounds to `value` with one decimal. Raises StopIteration if there is none."""
    return next(score for score in attainable_scores() if f"{score:.1f}" == f"{value:.1f}")


def score_claim(claim: Claim) -> Scored:
    """The scores of a claim; criteria without a status bound them, as all NO and as all YES."""
    least = {code: claim.criteria[code].status or "NO" for code in CRITERIA}
    most = {code: claim.criteria[code].status or "YES" for code in CRITERIA}
    low, high = cvs(least), cvs(most)
    dimensions = {}
    for dimension in DIMENSIONS:
        score = dimension_score(dimension, least)
        dimensions[dimension.code] = score if score == dimension_score(dimension, most) else None
    return Scored(
        dimensions=dimensions,
        cvs=low if low == high else None,
        low=low,
        high=high,
        tier=tier(low).name if tier(low) == tier(high) else None,
        next_tier=[f"{code}: {claim.criteria[code].status or 'unscored'} -> {to}" for code, to in to_next_tier(least)],
    )


def to_next_tier(statuses: Mapping[str, Status]) -> list[tuple[str, Status]]:
    """The fewest criteria to raise for the next tier, each with its new status; empty at the highest tier.

    Of several such plans the one with the lowest dimension scores in the rubric's order is taken.
    """
    next_boundary = next((tier.boundary for tier in TIERS if tier.boundary > cvs(statuses)), None)
    if next_boundary is None:
        return []
    raises = {
        (dimension.code, level.score): _missing(dimension, level, statuses)
        for dimension in DIMENSIONS
        for level in dimension.levels
    }
    plans = [
        [change for level in scores.items() for change in raises.get(level, {}).items()]
        for scores in _all_dimension_scores()
        if weighted_score(scores) >= next_boundary
    ]
    return min(plans, key=len)


def _missing(dimension: Dimension, level: Level, statuses: Mapping[str, Status]) -> dict[str, Status]:
    """The criteria to raise to meet a level, with their new statuses, by the alternative that needs the fewest."""
    return min((_raises(dimension, level, demands, statuses) for demands in level.any_of), key=len)


def _raises(
    dimension: Dimension, level: Level, demands: Mapping[str, Status], statuses: Mapping[str, Status]
) -> dict[str, Status]:
    raised = {code: to for code, to in demands.items() if STATUSES.index(statuses[code]) < STATUSES.index(to)}
    after = {code: raised.get(code, statuses[code]) for code in dimension.criteria}
    # The rest of the least sum comes from the criteria with the lowest statuses, which gain most.
    for code in sorted(after, key=lambda code: VALUE[after[code]]):
        if sum(VALUE[status] for status in after.values()) >= level.least_sum:
            break
        after[code] = raised[code] = "YES"
    return raised


def _all_dimension_scores() -> Iterator[dict[str, int]]:
    codes = [dimension.code for dimension in DIMENSIONS]
    for scores in product(range(TOP_SCORE + 1), repeat=len(codes)):
        yield dict(zip(codes, scores, strict=True))
