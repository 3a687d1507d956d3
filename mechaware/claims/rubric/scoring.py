"""From statuses to dimension scores, Claim Validity Score and tier (sections 3.3 and 3.4 of the paper)."""

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
from mechaware.claims.rubric.records import Audited, Claim, Run, Scored, Scores, Usage, Voted
from mechaware.claims.votes.audit import mark_system_claims

TOP_SCORE = 3
FULL_WEIGHT = sum(TOP_SCORE * dimension.weight for dimension in DIMENSIONS)  # 18


def dimension_score(dimension: Dimension, statuses: Mapping[str, Status]) -> int:
    """The highest level, 0 to 3, whose demands the statuses meet."""
    return next((level.score for level in dimension.levels if _missing(dimension, level, statuses) == {}), 0)


def weighted_score(scores: Mapping[str, int]) -> float:
    """The CVS, 0 to 10, of five dimension scores by code: their weighted sum over its largest value, times 10."""
    return 10 * sum(dimension.weight * scores[dimension.code] for dimension in DIMENSIONS) / FULL_WEIGHT


def cvs(statuses: Mapping[str, Status]) -> float:
    """The Claim Validity Score, 0 to 10, of 27 statuses; always a multiple of 0.5 / 18 * 10."""
    return weighted_score({dimension.code: dimension_score(dimension, statuses) for dimension in DIMENSIONS})


def tier(score: float, boundaries: Sequence[float] | None = None) -> Tier:
    """The evidence tier of a CVS; `boundaries` move the least scores of the second to the fifth tier."""
    least = [0.0, *(boundaries or [tier.boundary for tier in TIERS[1:]])]
    return [tier for tier, boundary in zip(TIERS, least, strict=True) if score >= boundary][-1]


def tier_index(name: str) -> int:
    """A tier's place, 0 for Proposed to 4 for Validated, by its name."""
    return [tier.name for tier in TIERS].index(name)


def attainable_scores() -> list[float]:
    """Every CVS that some dimension scores give, in rising order."""
    return sorted({weighted_score(scores) for scores in _all_dimension_scores()})


def printed_score(value: float) -> float:
    """The attainable CVS that is printed as `value`, with one decimal."""
    return next(score for score in attainable_scores() if f"{score:.1f}" == f"{value:.1f}")


def score_claim(claim: Claim) -> Scored:
    """The scores of a claim. Where criteria are unscored, all of them NO and all of them YES bound the CVS."""
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
    """The fewest criteria to raise, and how far, for the next tier; empty at the highest."""
    wanted = next((tier.boundary for tier in TIERS if tier.boundary > cvs(statuses)), None)
    if wanted is None:
        return []
    raises = {
        (dimension.code, level.score): _missing(dimension, level, statuses)
        for dimension in DIMENSIONS
        for level in dimension.levels
    }
    plans = [
        [raised for item in scores.items() for raised in raises.get(item, {}).items()]
        for scores in _all_dimension_scores()
        if weighted_score(scores) >= wanted
    ]
    return min(plans, key=len)


def _missing(dimension: Dimension, level: Level, statuses: Mapping[str, Status]) -> dict[str, Status]:
    """What to raise, and how far, to meet a level: by the alternative that asks for the fewest raises."""
    return min((_raises(dimension, level, wanted, statuses) for wanted in level.any_of), key=len)


def _raises(
    dimension: Dimension, level: Level, wanted: Mapping[str, Status], statuses: Mapping[str, Status]
) -> dict[str, Status]:
    raised = {code: to for code, to in wanted.items() if STATUSES.index(statuses[code]) < STATUSES.index(to)}
    after = {code: raised.get(code, statuses[code]) for code in dimension.criteria}
    # Whatever of the least sum is missing comes from the criteria that have most to gain.
    for code in sorted(after, key=lambda code: VALUE[after[code]]):
        if sum(VALUE[status] for status in after.values()) >= level.least_sum:
            break
        after[code] = raised[code] = "YES"
    return raised


def _all_dimension_scores() -> Iterator[dict[str, int]]:
    codes = [dimension.code for dimension in DIMENSIONS]
    for scores in product(range(TOP_SCORE + 1), repeat=len(codes)):
        yield dict(zip(codes, scores, strict=True))


def main_claim(claims: Sequence[Claim]) -> int | None:
    """The index of the paper's claim: the system-level one with the highest score, the first one told among equals."""
    system = [index for index, claim in enumerate(claims) if claim.system]
    return max(system, key=lambda index: score_claim(claims[index]).low, default=None)


def score_paper(runs: Sequence[Run], voted: Voted, audited: Audited) -> Scores:
    """The scores of every audited claim, and the paper's CVS by each run alone, after the vote and after the audit."""
    scored = [score_claim(claim) for claim in audited.claims]
    main = main_claim(audited.claims)
    return Scores(
        judge=audited.judge,
        paper=audited.paper,
        claims=audited.claims,
        scored=scored,
        main=main,
        cvs=None if main is None else scored[main].cvs,
        tier=None if main is None else scored[main].tier,
        single_runs=[_paper_score(run.claims) for run in runs],
        voted=_paper_score(voted.claims),
        usage=_total([*(run.usage for run in runs), audited.usage]),
        fault=audited.fault,
    )


def _paper_score(claims: Sequence[Claim]) -> float | None:
    marked = mark_system_claims(claims)
    main = main_claim(marked)
    return None if main is None else score_claim(marked[main]).cvs


def _total(usages: Sequence[Usage]) -> Usage:
    costs = [usage.cost for usage in usages if usage.cost is not None]
    return Usage(
        calls=sum(usage.calls for usage in usages),
        prompt_tokens=sum(usage.prompt_tokens for usage in usages),
        completion_tokens=sum(usage.completion_tokens for usage in usages),
        cost=sum(costs) if len(costs) == len(usages) else None,
    )
