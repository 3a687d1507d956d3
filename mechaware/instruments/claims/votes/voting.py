"""Multi-run voting: which claims of the runs are the same, and the status of each criterion.

The paper's vote is the minimum (section 3.7). It suits a judge that errs upwards alone; the median, our addition, also
suits one that errs downwards (`mechaware.planted.papers.vote_errors` compares them).
"""

from collections.abc import Iterator, Sequence

import numpy as np
from rapidfuzz import fuzz
from scipy.optimize import linear_sum_assignment

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
from mechaware.instruments.claims.rubric.scoring import mark_largest_claim, mark_system_claims
from mechaware.instruments.claims.votes.similarity import ClaimComparison

Group = list[int | None]  # the claim's index in every run, None where the run lacks it

_NOTE_LABELS = {"minimum": "MIN-VOTE", "median": "MEDIAN-VOTE"}


def vote(runs: Sequence[Run], *, least_similarity: float, rule: VoteRule = "minimum") -> Voted:
    """The claims that most of the scored runs have, each criterion at the minimum or the median of its votes.

    Runs with a fault have no vote. A claim is kept if a strict majority of the scored runs has it, and listed as
    dropped otherwise: two runs must both have it, a single scored run keeps all of its own. If some run states a
    system claim and none is kept, no component takes its place. Without a scored run the vote has a fault and no
    claims. `notes` name system claims that are one although their words do not show it, and then what the runs note.
    Our definitions.
    """
    scored = [run for run in runs if run.fault is None]
    kept, dropped, notes = [], [], []
    groups, unlike = _match_runs([run.claims for run in scored], least_similarity)
    for group in groups:
        members = [
            (run, run.claims[index])
            for run, index in zip(scored, group, strict=True)
            if index is not None
        ]
        if _is_majority(group):
            claims = [claim for _, claim in members]
            criteria = {
                code: _vote_on([claim.criteria[code] for claim in claims], len(scored), rule)
                for code in CRITERIA
            }
            kept.append(_central(claims).model_copy(update={"criteria": criteria, "runs": group}))
            notes += [_note(members)] if group in unlike else []
        else:
            dropped += [Dropped(run=run.run, statement=claim.statement) for run, claim in members]
    kept, fault = mark_system_claims(kept), None
    if not scored and (first := runs[0].fault):
        fault = Fault(
            kind=first.kind, message=f"no run is scored; run {runs[0].run}: {first.message}"
        )
    if not any(claim.system for run in scored for claim in run.claims):
        kept = mark_largest_claim(kept, sum(run.left_out for run in scored))
    return Voted(
        judge=runs[0].judge,
        paper=runs[0].paper,
        runs=len(runs),
        rule=rule,
        scored_runs=[run.run for run in scored],
        claims=kept,
        dropped=sorted(dropped, key=lambda claim: (claim.run, claim.statement)),
        notes=[*notes, *_run_notes(runs)],
        fault=fault,
    )


def _match_runs(
    runs: Sequence[Sequence[Claim]], least_similarity: float
) -> tuple[list[Group], list[Group]]:
    """The matching claims; if no system claim finds a majority, those are the same that are the most alike.

    Every run states what the whole paper claims, in words that may differ beyond any likeness: without this rule the
    paper would lose its own claim, and a component's score become the paper's. Claims that contradict each other never
    match. The second list has the groups that this rule made.
    """
    groups = match_claims(runs, least_similarity=least_similarity)
    systems = [
        group
        for group in groups
        if any(at is not None and runs[run][at].system for run, at in enumerate(group))
    ]
    if any(map(_is_majority, systems)):
        return groups, []
    parts = [group for group in groups if group not in systems]
    unlike = _match_level(runs, system=True, least_similarity=0.0)
    return [*unlike, *parts], unlike


def _note(members: Sequence[tuple[Run, Claim]]) -> str:
    stated = "; ".join(f'run {run.run}: "{claim.statement}"' for run, claim in members)
    return (
        "Taken for one claim of the whole paper, although the runs state it in words with little in "
        f"common: {stated}"
    )


def _run_notes(runs: Sequence[Run]) -> list[str]:
    """Each note of a run once, with the numbers of the runs that have it unless all have."""
    by_note: dict[str, list[str]] = {}
    for run in runs:
        for note in run.notes:
            by_note.setdefault(note, []).append(f"run {run.run}")
    return [
        note if len(numbers) == len(runs) else f"{', '.join(numbers)}: {note}"
        for note, numbers in by_note.items()
    ]


def _is_majority(group: Group) -> bool:
    return 2 * sum(index is not None for index in group) > len(group)


def voted_status(votes: Sequence[Status | None], rule: VoteRule) -> Status | None:
    """The status that votes on one criterion come to: the least of them, or their median.

    Votes without a status do not count; if half of the votes or more have none, the result has none. Of an even number
    of votes the median is the lower one of the two in the middle.
    """
    cast = sorted(RANK[status] for status in votes if status is not None)
    if 2 * len(cast) <= len(votes):
        return None
    middle = (len(cast) - 1) // 2
    return STATUSES[cast[middle if rule == "median" else 0]]


def vote_again(claim: Claim, rule: VoteRule) -> Claim:
    """A voted claim with the statuses that its stored votes come to by `rule`, and without evidence."""
    criteria = {}
    for code, judgement in claim.criteria.items():
        status = voted_status(judgement.votes, rule)
        criteria[code] = Judgement(status=status, votes=judgement.votes)
    return claim.model_copy(update={"criteria": criteria})


def _vote_on(votes: Sequence[Judgement], runs: int, rule: VoteRule) -> Judgement:
    """The status that the votes come to (`voted_status`), with its evidence and, if the votes differ, a note before it.

    The note names the vote farthest from the status: the highest, or by the median the lowest where the status is the
    highest. Of several votes for the status, the one with the longest evidence gives evidence and quotes. `runs` is the
    number of scored runs, for the note.
    """
    statuses = [vote.status for vote in votes]
    status = voted_status(statuses, rule)
    if status is None:
        reasons = sorted(vote.evidence for vote in votes if vote.status is None)
        return Judgement(status=None, evidence=reasons[0], votes=statuses)

    decisive = max(
        (vote for vote in votes if vote.status == status),
        key=lambda vote: (len(vote.evidence), vote.evidence),
    )
    cast = sorted((one for one in statuses if one is not None), key=RANK.__getitem__)
    other = cast[-1] if cast[-1] != status else cast[0]
    voters = f"{runs}" if len(cast) == runs else f"{len(cast)} of {runs}"
    note = ""
    if other != status:
        note = f"[{_NOTE_LABELS[rule]}: {other}→{status} across {voters} runs] "
    return Judgement(
        status=status,
        evidence=f"{note}{decisive.evidence}".strip(),
        quotes=decisive.quotes,
        votes=statuses,
    )


def match_claims(runs: Sequence[Sequence[Claim]], *, least_similarity: float) -> list[Group]:
    """Groups of matching claims of runs over one paper: first the system claims, which match no others.

    A claim's level is what the judge said; claims without a level are matched with component claims. Within a level,
    the run that agrees most with the others is the reference. The claims of every other run are assigned to its claims
    one to one (Hungarian method); pairs less similar than `least_similarity`, and pairs that contradict each other
    whatever they share, are dropped. The remaining claims are matched again in the same way. The groups do not depend
    on the order of the runs: ties are broken by content. Within a level they are ordered by the mean index of their
    claims. Runs with the same claims in the same order need no rule. Our definition: the paper does not say how claims
    are matched.
    """
    if (
        len({tuple((claim.statement, *claim.components) for claim in claims) for claims in runs})
        == 1
    ):
        return [[index] * len(runs) for index in range(len(runs[0]))]
    levels = (
        _match_level(runs, system=system, least_similarity=least_similarity)
        for system in (True, False)
    )
    return [group for groups in levels for group in groups]


def _match_level(
    runs: Sequence[Sequence[Claim]], *, system: bool, least_similarity: float
) -> list[Group]:
    """The groups of the system claims, or of the others."""
    comparison = ClaimComparison(claim for claims in runs for claim in claims)
    contents = [[claim.model_dump_json() for claim in claims] for claims in runs]
    # The claims that are not matched yet, by content: the order of a run's claims decides nothing.
    left = [
        sorted(
            (at for at, one in enumerate(claims) if bool(one.system) == system),
            key=contents[run].__getitem__,
        )
        for run, claims in enumerate(runs)
    ]

    def pairs(first: int, second: int) -> list[tuple[int, int, float]]:
        """The one-to-one assignment of what is left of two runs that is the most alike, with each pair's similarity."""
        ours, theirs = runs[first], runs[second]
        best = _assign(
            [ours[at] for at in left[first]], [theirs[at] for at in left[second]], comparison
        )
        found = [(left[first][row], left[second][column]) for row, column in best]
        return [
            (mine, other, comparison.similarity(ours[mine], theirs[other])) for mine, other in found
        ]

    def agreement(run: int) -> tuple[float, list[str]]:
        total = sum(
            alike for other in range(len(runs)) if other != run for *_, alike in pairs(run, other)
        )
        return round(total, 9), [contents[run][at] for at in left[run]]

    groups: list[Group] = []
    while any(left):
        reference = max((run for run in range(len(runs)) if left[run]), key=agreement)
        matched = {
            at: [at if run == reference else None for run in range(len(runs))]
            for at in left[reference]
        }
        for run in set(range(len(runs))) - {reference}:
            for mine, other, alike in pairs(reference, run):
                if alike >= least_similarity and not comparison.contradict(
                    runs[reference][mine], runs[run][other]
                ):
                    matched[mine][run] = other
        groups += matched.values()
        used = [{group[run] for group in matched.values()} for run in range(len(runs))]
        left = [[at for at in indices if at not in used[run]] for run, indices in enumerate(left)]

    def order(group: Group) -> tuple[float, list[str]]:
        members = [(run, at) for run, at in enumerate(group) if at is not None]
        return float(np.mean([at for _, at in members])), sorted(
            contents[run][at] for run, at in members
        )

    return sorted(groups, key=order)


def _assign(
    ours: Sequence[Claim], theirs: Sequence[Claim], comparison: ClaimComparison
) -> Iterator[tuple[int, int]]:
    """Pairs of indices with the greatest total similarity (Hungarian method).

    Contradictions lower it; of equal similarities, statements with more letters in common have more.
    """
    likeness = [
        [
            comparison.similarity(one, other)
            + 1e-9 * fuzz.ratio(one.statement, other.statement)
            - comparison.contradict(one, other)
            for other in theirs
        ]
        for one in ours
    ]
    return (
        zip(*linear_sum_assignment(np.array(likeness), maximize=True), strict=True)
        if ours and theirs
        else iter(())
    )


def _central(claims: Sequence[Claim]) -> Claim:
    """The claim with the greatest total similarity to the others; ties are broken by content."""
    comparison = ClaimComparison(claims)
    return max(
        claims,
        key=lambda claim: (
            round(sum(comparison.similarity(claim, other) for other in claims), 9),
            claim.model_dump_json(),
        ),
    )
