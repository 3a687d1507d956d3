"""Multi-run voting: keeps the claims that most runs have, and votes on each criterion's status.

`vote` makes the record of a paper from its runs, `vote_again` applies another rule to the votes of
a record. Claims of several runs that are the same form a group: for each run the index of its
claim, None where the run lacks the claim (`matching.Group`).

The paper's vote is the minimum (section 3.7). It suits a judge that errs only upwards; the median,
our addition, also suits a judge that errs downwards (`mechaware.planted.papers.vote_errors`
compares the two).
"""

from collections.abc import Sequence
from typing import NamedTuple

from mechaware.instruments.claims.rubric.criteria import CRITERIA, RANK, STATUSES, Status
from mechaware.instruments.claims.rubric.records import (
    Claim,
    Dropped,
    Fault,
    Judgement,
    Run,
    Voted,
    VoteRule,
)
from mechaware.instruments.claims.rubric.system_claims import (
    mark_largest_claim,
    mark_system_claims,
)
from mechaware.instruments.claims.votes.matching import (
    Group,
    central_claim,
    match_claims,
    match_level,
)

_NOTE_LABELS = {"minimum": "MIN-VOTE", "median": "MEDIAN-VOTE"}


class _Member(NamedTuple):
    """A claim of a group, and the run that states it."""

    run: Run
    claim: Claim


def vote(runs: Sequence[Run], *, least_similarity: float, rule: VoteRule = "minimum") -> Voted:
    """The claims that most of the scored runs have, each criterion at the minimum or the median of
    its votes.

    Runs with a fault have no vote. A claim is kept if a strict majority of the scored runs has it,
    and listed as dropped otherwise: two runs must both have it, a single scored run keeps all of
    its own.

    A system claim is about the whole circuit, and not about a component. Kept claims for which the
    judge gives no level get one by the paper's heuristics (`mark_system_claims`). If none is then a
    system claim, the kept claim with the most components becomes one (`mark_largest_claim`), unless
    a scored run states a system claim or has claims that could not be used. The majority and this
    choice of a system claim are our definitions.

    Args:
        runs: Runs of one judge over one paper; at least one.
        least_similarity: The least similarity of claims that match, 0 to 1
            (`matching.match_claims`).
        rule: How the votes on a criterion give one status: by their minimum or their median.

    Returns:
        The record. Without a scored run it has a fault and no claims. `notes` name the system
        claims that were matched although they are not alike (`_match_runs`); the notes of the runs
        follow.
    """
    scored = [run for run in runs if run.fault is None]
    groups, unlike_groups = _match_runs([run.claims for run in scored], least_similarity)
    kept: list[Claim] = []
    dropped: list[Dropped] = []
    notes: list[str] = []
    for group in groups:
        members = _members(scored, group)
        if not _is_majority(group):
            dropped += [Dropped(run=run.run, statement=claim.statement) for run, claim in members]
            continue
        kept.append(_voted_claim(members, group, rule))
        if group in unlike_groups:
            notes.append(_unlike_note(members))

    kept = mark_system_claims(kept)
    some_run_has_system = any(claim.system for run in scored for claim in run.claims)
    if not some_run_has_system:
        kept = mark_largest_claim(kept, sum(run.left_out for run in scored))
    return Voted(
        judge=runs[0].judge,
        paper=runs[0].paper,
        runs=len(runs),
        rule=rule,
        scored_runs=[run.run for run in scored],
        claims=kept,
        dropped=sorted(dropped, key=lambda entry: (entry.run, entry.statement)),
        notes=[*notes, *_run_notes(runs)],
        fault=None if scored else _fault_of_all(runs),
    )


def _match_runs(
    claims_by_run: Sequence[Sequence[Claim]], least_similarity: float
) -> tuple[list[Group], list[Group]]:
    """All groups of matching claims, then those of them that the following rule made.

    If no group of system claims has a majority, system claims are matched again, however unlike.
    Every run states what the whole paper claims, perhaps in words that have nothing in common:
    without this rule the vote would drop the paper's own claim, and the score of a component claim
    would become the paper's score. Claims that contradict each other never match.
    """
    groups = match_claims(claims_by_run, least_similarity=least_similarity)
    system_groups = [group for group in groups if _has_system_claim(claims_by_run, group)]
    if any(_is_majority(group) for group in system_groups):
        return groups, []

    component_groups = [group for group in groups if group not in system_groups]
    unlike_groups = match_level(claims_by_run, system=True, least_similarity=0.0)
    return [*unlike_groups, *component_groups], unlike_groups


def _has_system_claim(claims_by_run: Sequence[Sequence[Claim]], group: Group) -> bool:
    """Whether a run calls its claim of this group a system claim."""
    members = []
    for claims, index in zip(claims_by_run, group, strict=True):
        if index is not None:
            members.append(claims[index])
    return any(claim.system for claim in members)


def _is_majority(group: Group) -> bool:
    """Whether more than half of the runs have the claim."""
    return 2 * sum(index is not None for index in group) > len(group)


def _members(scored: Sequence[Run], group: Group) -> list[_Member]:
    """The claims of a group, in the order of the runs."""
    members = []
    for run, index in zip(scored, group, strict=True):
        if index is not None:
            members.append(_Member(run, run.claims[index]))
    return members


def _voted_claim(members: Sequence[_Member], group: Group, rule: VoteRule) -> Claim:
    """The claim that represents a group, with the votes of its members on every criterion."""
    claims = [member.claim for member in members]
    criteria = {}
    for code in CRITERIA:
        votes = [claim.criteria[code] for claim in claims]
        criteria[code] = _vote_on(votes, len(group), rule)
    return central_claim(claims).model_copy(update={"criteria": criteria, "runs": group})


def _unlike_note(members: Sequence[_Member]) -> str:
    """The note on system claims that were matched although they are not alike."""
    stated = "; ".join(f'run {run.run}: "{claim.statement}"' for run, claim in members)
    return (
        "Taken for one claim of the whole paper, although the runs state it in words with little in "
        f"common: {stated}"
    )


def _run_notes(runs: Sequence[Run]) -> list[str]:
    """Each note of a run once, with the numbers of the runs that have it unless all have."""
    runs_by_note: dict[str, list[str]] = {}
    for run in runs:
        for note in run.notes:
            runs_by_note.setdefault(note, []).append(f"run {run.run}")

    notes = []
    for note, numbers in runs_by_note.items():
        all_have_it = len(numbers) == len(runs)
        notes.append(note if all_have_it else f"{', '.join(numbers)}: {note}")
    return notes


def _fault_of_all(runs: Sequence[Run]) -> Fault | None:
    """The fault of a vote without a scored run: the first run's fault.

    None if the first run has none.
    """
    first = runs[0].fault
    if first is None:
        return None
    return Fault(kind=first.kind, message=f"no run is scored; run {runs[0].run}: {first.message}")


def voted_status(votes: Sequence[Status | None], rule: VoteRule) -> Status | None:
    """The minimum or the median of the votes on one criterion, by the order of `RANK`.

    Votes without a status do not count; if half of the votes or more have no status, the result is
    None. The median of an even number of votes is the lower one of the two in the middle.
    """
    ranks = sorted(RANK[status] for status in votes if status is not None)
    if 2 * len(ranks) <= len(votes):
        return None
    if rule == "median":
        middle = (len(ranks) - 1) // 2
        return STATUSES[ranks[middle]]
    return STATUSES[ranks[0]]


def vote_again(claim: Claim, rule: VoteRule) -> Claim:
    """A voted claim with the statuses that `rule` gives for its stored votes, without evidence."""
    criteria = {}
    for code, judgement in claim.criteria.items():
        status = voted_status(judgement.votes, rule)
        criteria[code] = Judgement(status=status, votes=judgement.votes)
    return claim.model_copy(update={"criteria": criteria})


def _vote_on(votes: Sequence[Judgement], runs: int, rule: VoteRule) -> Judgement:
    """The status that `rule` gives for the votes (`voted_status`), with evidence.

    Evidence and quotes come from one vote for this status: the vote with the longest evidence, in a
    tie the last one in the alphabet. If the votes differ, a note before the evidence names the
    highest vote or, if the status is itself the highest vote (by the median it may be), the lowest
    one. `runs` is the number of scored runs, for the note.

    If the status is None, the evidence is the reason of a vote without a status: the first reason
    in the alphabet. There is no note.
    """
    statuses = [judgement.status for judgement in votes]
    status = voted_status(statuses, rule)
    if status is None:
        reasons = [judgement.evidence for judgement in votes if judgement.status is None]
        return Judgement(status=None, evidence=min(reasons), votes=statuses)

    for_status = [judgement for judgement in votes if judgement.status == status]
    decisive = max(for_status, key=lambda judgement: (len(judgement.evidence), judgement.evidence))

    cast = [judgement.status for judgement in votes if judgement.status is not None]
    lowest = min(cast, key=RANK.__getitem__)
    highest = max(cast, key=RANK.__getitem__)
    named_vote = highest if highest != status else lowest
    note = ""
    if named_vote != status:
        voters = f"{runs}" if len(cast) == runs else f"{len(cast)} of {runs}"
        note = f"[{_NOTE_LABELS[rule]}: {named_vote}→{status} across {voters} runs] "
    return Judgement(
        status=status,
        evidence=f"{note}{decisive.evidence}".strip(),
        quotes=decisive.quotes,
        votes=statuses,
    )
