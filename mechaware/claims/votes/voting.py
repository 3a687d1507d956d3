"""Multi-run minimum voting: each criterion at the least status that any run gave it (section 3.7 of the paper)."""

from collections.abc import Sequence

from mechaware.claims.rubric.criteria import CRITERIA, STATUSES, Status
from mechaware.claims.rubric.records import Claim, Dropped, Fault, Judgement, Run, Voted
from mechaware.claims.votes.matching import central, match_claims


def vote(runs: Sequence[Run], *, least_similarity: float) -> Voted:
    """The claims that at least half of the scored runs have, each criterion at the minimum of its votes.

    Runs with a fault have no vote. A claim that more than half of the scored runs lack is dropped and listed. Without
    a scored run the vote has a fault and no claims.
    """
    scored = [run for run in runs if run.fault is None]
    groups = match_claims([run.claims for run in scored], least_similarity=least_similarity)
    kept, dropped = [], []
    for group in groups:
        members = [(run, run.claims[index]) for run, index in zip(scored, group, strict=True) if index is not None]
        if 2 * len(members) >= len(scored):
            kept.append(_voted_claim([claim for _, claim in members], group, len(scored)))
        else:
            dropped += [Dropped(run=run.run, statement=claim.statement) for run, claim in members]
    return Voted(
        judge=runs[0].judge,
        paper=runs[0].paper,
        runs=len(runs),
        scored_runs=[run.run for run in scored],
        claims=kept,
        dropped=sorted(dropped, key=lambda claim: (claim.run, claim.statement)),
        fault=None if scored else _fault(runs),
    )


def minimum_vote(votes: Sequence[Judgement], runs: int) -> Judgement:
    """The least status among the votes, with its evidence and, if the votes differ, a note before it.

    Votes without a status do not count; if half of the votes or more have none, the result has none. Of several votes
    for the least status, the one with the longest evidence gives evidence and quotes. `runs` is the number of scored
    runs, for the note.
    """
    cast = [vote for vote in votes if vote.status is not None]
    if 2 * len(cast) <= len(votes):
        reasons = sorted(vote.evidence for vote in votes if vote.status is None)
        return Judgement(status=None, evidence=reasons[0], votes=_statuses(votes))
    ranks = [STATUSES.index(vote.status) for vote in cast if vote.status]
    least, most = STATUSES[min(ranks)], STATUSES[max(ranks)]
    decisive = max(
        (vote for vote in cast if vote.status == least), key=lambda vote: (len(vote.evidence), vote.evidence)
    )
    voters = f"{runs}" if len(cast) == runs else f"{len(cast)} of {runs}"
    note = "" if least == most else f"[MIN-VOTE: {most}→{least} across {voters} runs] "
    return Judgement(
        status=least, evidence=f"{note}{decisive.evidence}".strip(), quotes=decisive.quotes, votes=_statuses(votes)
    )


def _voted_claim(members: Sequence[Claim], group: list[int | None], runs: int) -> Claim:
    criteria = {code: minimum_vote([claim.criteria[code] for claim in members], runs) for code in CRITERIA}
    return central(members).model_copy(update={"criteria": criteria, "runs": group})


def _statuses(votes: Sequence[Judgement]) -> list[Status | None]:
    return [vote.status for vote in votes]


def _fault(runs: Sequence[Run]) -> Fault:
    faults = [run.fault for run in runs if run.fault]
    return Fault(kind=faults[0].kind, message=f"no run is scored; run {runs[0].run}: {faults[0].message}")
