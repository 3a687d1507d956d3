"""From a paper's claims to the paper's score: which claims are about the whole system, and which of them counts."""

from collections.abc import Sequence

from mechaware.claims.rubric.records import Audited, Claim, Run, Scores, Usage, Voted
from mechaware.claims.rubric.scoring import score_claim

SYSTEM_WORDS = ("circuit", "algorithm", "mechanism")
MANY_COMPONENTS = 5


def mark_system_claims(claims: Sequence[Claim]) -> list[Claim]:
    """The claims with `system` decided: as the judge said, else by the paper's heuristics (section 3.5).

    By these a claim is system-level if it names the most components (the first such claim in a tie), or at least five,
    or if its statement has one of the words circuit, algorithm and mechanism.
    """
    largest = _largest(claims)
    return [
        claim if claim.system is not None else _marked(claim, index == largest or _sounds_system_level(claim))
        for index, claim in enumerate(claims)
    ]


def mark_largest_claim(claims: Sequence[Claim]) -> list[Claim]:
    """The claims; if none is system-level, the one with the most components is (our definition).

    It is for judges that call every claim of a paper a component's: the paper is still scored by one of them.
    """
    if any(claim.system for claim in claims):
        return list(claims)
    largest = _largest(claims)
    return [_marked(claim, index == largest) for index, claim in enumerate(claims)]


def _largest(claims: Sequence[Claim]) -> int | None:
    """The index of the claim with the most components, the first one in a tie; None without claims."""
    return max(range(len(claims)), key=lambda index: len(claims[index].components), default=None)


def _marked(claim: Claim, system: bool) -> Claim:
    return claim.model_copy(update={"system": system})


def _sounds_system_level(claim: Claim) -> bool:
    words = any(word in claim.statement.lower() for word in SYSTEM_WORDS)
    return words or len(claim.components) >= MANY_COMPONENTS


def main_claim(claims: Sequence[Claim]) -> int | None:
    """The index of the paper's claim: the system-level one with the highest score, the first one in a tie.

    A score that criteria without a status leave open counts by its lower bound. None without a system-level claim.
    """
    system = [index for index, claim in enumerate(claims) if claim.system]
    return max(system, key=lambda index: score_claim(claims[index]).low, default=None)


def paper_cvs(claims: Sequence[Claim]) -> float | None:
    """The CVS of a paper, 0 to 10: that of its main claim. None without one, or if statuses leave it open."""
    main = main_claim(claims)
    return None if main is None else score_claim(claims[main]).cvs


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
        single_runs=[paper_cvs(mark_largest_claim(mark_system_claims(run.claims))) for run in runs],
        voted=paper_cvs(voted.claims),
        usage=_total([*(run.usage for run in runs), audited.usage]),
        fault=audited.fault,
    )


def _total(usages: Sequence[Usage]) -> Usage:
    costs = [usage.cost for usage in usages if usage.cost is not None]
    return Usage(
        calls=sum(usage.calls for usage in usages),
        prompt_tokens=sum(usage.prompt_tokens for usage in usages),
        completion_tokens=sum(usage.completion_tokens for usage in usages),
        cost=sum(costs) if len(costs) == len(usages) else None,
    )
