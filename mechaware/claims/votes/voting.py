"""Multi-run minimum voting: each criterion at the least status that any run gave it (section 3.7 of the paper)."""

from collections.abc import Sequence

from mechaware.claims.rubric.criteria import CRITERIA, RANK, STATUSES, Status
from mechaware.claims.rubric.records import Claim, Dropped, Fault, Judgement, Run, Voted
from mechaware.claims.rubric.scoring import mark_largest_claim, mark_system_claims
from mechaware.claims.votes.matching import Group, central, match_claims, match_level


def vote(runs: Sequence[Run], *, least_similarity: float) -> Voted:
    """The claims that most of the scored runs have, each criterion at the minimum of its votes.

    Runs with a fault have no vote. A claim is kept if a strict majority of the scored runs has it, and listed as
    dropped otherwise: two runs must both have it, a single scored run keeps all of its own. If some run states a
    system claim and none is kept, no component takes its place. Without a scored run the vote has a fault and no
    claims. System claims that are one although their words do not show it are named in `notes`. Our definitions.
    """
    scored = [run for run in runs if run.fault is None]
    kept, dropped, notes = [], [], []
    groups, unlike = _groups([run.claims for run in scored], least_similarity)
    for group in groups:
        members = [(run, run.claims[index]) for run, index in zip(scored, group, strict=True) if index is not None]
        if _is_majority(group):
            kept.append(_voted_claim([claim for _, claim in members], group, len(scored)))
            notes += [_note(members)] if group in unlike else []
        else:
            dropped += [Dropped(run=run.run, statement=claim.statement) for run, claim in members]
    kept = mark_system_claims(kept)
    if not any(claim.system for run in scored for claim in run.claims):
        kept = mark_largest_claim(kept)
    return Voted(
        judge=runs[0].judge,
        paper=runs[0].paper,
        runs=len(runs),
        scored_runs=[run.run for run in scored],
        claims=kept,
        dropped=sorted(dropped, key=lambda claim: (claim.run, claim.statement)),
        notes=notes,
        fault=None if scored else _fault(runs),
    )


def _groups(runs: Sequence[Sequence[Claim]], least_similarity: float) -> tuple[list[Group], list[Group]]:
    """The matching claims; if no system claim finds a majority, those are the same that are the most alike.

    Every run states what the whole paper claims, in words that may differ beyond any likeness: without this rule the
    paper would lose its own claim, and a component's score become the paper's. Claims that contradict each other never
    match. The second list has the groups that this rule made.
    """
    groups = match_claims(runs, least_similarity=least_similarity)
    systems = [group for group in groups if _is_system(runs, group)]
    if any(map(_is_majority, systems)):
        return groups, []
    parts = [group for group in groups if group not in systems]
    unlike = match_level(runs, system=True, least_similarity=0.0)
    return [*unlike, *parts], unlike


def _note(members: Sequence[tuple[Run, Claim]]) -> str:
    stated = "; ".join(f'run {run.run}: "{claim.statement}"' for run, claim in members)
    return (
        f"Taken for one claim of the whole paper, although the runs state it in words with little in common: {stated}"
    )


def _is_majority(group: Group) -> bool:
    return 2 * sum(index is not None for index in group) > len(group)


def _is_system(runs: Sequence[Sequence[Claim]], group: Group) -> bool:
    return any(index is not None and runs[run][index].system for run, index in enumerate(group))


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
    ranks = [RANK[vote.status] for vote in cast if vote.status]
    least, most = STATUSES[min(ranks)], STATUSES[max(ranks)]
    decisive = max(
        (vote for vote in cast if vote.status == least), key=lambda vote: (len(vote.evidence), vote.evidence)
    )
    voters = f"{runs}" if len(cast) == runs else f"{len(cast)} of {runs}"
    note = "" if least == most else f"[MIN-VOTE: {most}→{least} across {voters} runs] "
    return Judgement(
        status=least, evidence=f"{note}{decisive.evidence}".strip(), quotes=decisive.quotes, votes=_statuses(votes)
    )


def _voted_claim(members: Sequence[Claim], group: Group, runs: int) -> Claim:
    criteria = {code: minimum_vote([claim.criteria[code] for claim in members], runs) for code in CRITERIA}
    return central(members).model_copy(update={"criteria": criteria, "runs": group})


def _statuses(votes: Sequence[Judgement]) -> list[Status | None]:
    return [vote.status for vote in votes]


def _fault(runs: Sequence[Run]) -> Fault:
    faults = [run.fault for run in runs if run.fault]
    return Fault(kind=faults[0].kind, message=f"no run is scored; run {runs[0].run}: {faults[0].message}")
