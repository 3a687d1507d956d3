"""Multi-run minimum voting: which claims of the runs are the same, each criterion at its least status (section 3.7)."""

from collections.abc import Sequence

import numpy as np
from rapidfuzz import fuzz
from scipy.optimize import linear_sum_assignment

from mechaware.claims.rubric.criteria import CRITERIA, RANK, STATUSES, Status
from mechaware.claims.rubric.records import Claim, Dropped, Fault, Judgement, Run, Voted
from mechaware.claims.rubric.scoring import mark_largest_claim, mark_system_claims
from mechaware.claims.votes.similarity import ClaimComparison

Group = list[int | None]  # the claim's index in every run, None where the run lacks it


def vote(runs: Sequence[Run], *, least_similarity: float) -> Voted:
    """The claims that most of the scored runs have, each criterion at the minimum of its votes.

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
        notes=[*notes, *_run_notes(runs)],
        fault=None if scored else _unscored_fault(runs),
    )


def _match_runs(runs: Sequence[Sequence[Claim]], least_similarity: float) -> tuple[list[Group], list[Group]]:
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
    unlike = _match_level(runs, system=True, least_similarity=0.0)
    return [*unlike, *parts], unlike


def _note(members: Sequence[tuple[Run, Claim]]) -> str:
    stated = "; ".join(f'run {run.run}: "{claim.statement}"' for run, claim in members)
    return (
        f"Taken for one claim of the whole paper, although the runs state it in words with little in common: {stated}"
    )


def _run_notes(runs: Sequence[Run]) -> list[str]:
    """Each note of a run once, with the numbers of the runs that have it unless all have."""
    by_note: dict[str, list[str]] = {}
    for run in runs:
        for note in run.notes:
            by_note.setdefault(note, []).append(f"run {run.run}")
    return [note if len(numbers) == len(runs) else f"{', '.join(numbers)}: {note}" for note, numbers in by_note.items()]


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
    return _central(members).model_copy(update={"criteria": criteria, "runs": group})


def _statuses(votes: Sequence[Judgement]) -> list[Status | None]:
    return [vote.status for vote in votes]


def _unscored_fault(runs: Sequence[Run]) -> Fault:
    faults = [run.fault for run in runs if run.fault]
    return Fault(kind=faults[0].kind, message=f"no run is scored; run {runs[0].run}: {faults[0].message}")


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
    if len({tuple((claim.statement, *claim.components) for claim in claims) for claims in runs}) == 1:
        return [[index] * len(runs) for index in range(len(runs[0]))]
    levels = (_match_level(runs, system=system, least_similarity=least_similarity) for system in (True, False))
    return [group for groups in levels for group in groups]


def _match_level(runs: Sequence[Sequence[Claim]], *, system: bool, least_similarity: float) -> list[Group]:
    """The groups of the system claims, or of the others."""
    matching = _Matching(runs, least_similarity)
    left = {run: matching.by_content(run, system) for run in range(len(runs))}
    groups: list[dict[int, int]] = []
    while any(left.values()):
        reference = matching.reference(left)
        matched = {index: {reference: index} for index in left[reference]}
        for run in left:
            if run != reference:
                for mine, theirs in matching.assign(left, reference, run):
                    matched[mine][run] = theirs
        groups += matched.values()
        used = {claim for group in matched.values() for claim in group.items()}
        left = {run: [index for index in indices if (run, index) not in used] for run, indices in left.items()}
    ordered = sorted(groups, key=lambda group: (np.mean(list(group.values())), matching.members(group)))
    return [[group.get(run) for run in range(len(runs))] for group in ordered]


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


class _Matching:
    """The claims of all runs, compared with each other. `left` holds the indices of claims that are not matched yet."""

    def __init__(self, runs: Sequence[Sequence[Claim]], least_similarity: float) -> None:
        self._runs = runs
        self._least = least_similarity
        self._comparison = ClaimComparison(claim for claims in runs for claim in claims)
        self._contents = [[claim.model_dump_json() for claim in claims] for claims in runs]
        self._similarities: dict[tuple[int, int, int, int], float] = {}

    def reference(self, left: dict[int, list[int]]) -> int:
        """The run whose remaining claims agree most with those of the other runs."""

        def agreement(run: int) -> tuple[float, list[str]]:
            others = (other for other in left if other != run)
            total = sum(
                self._similarity(run, mine, other, theirs)
                for other in others
                for mine, theirs in self._best(left, run, other)
            )
            return round(total, 9), [self._contents[run][index] for index in left[run]]

        return max((run for run, indices in left.items() if indices), key=agreement)

    def assign(self, left: dict[int, list[int]], first: int, second: int) -> list[tuple[int, int]]:
        """The pairs of the best assignment of two runs that are similar enough."""
        return [
            (mine, theirs)
            for mine, theirs in self._best(left, first, second)
            if self._similarity(first, mine, second, theirs) >= self._least
            and not self._comparison.contradict(self._runs[first][mine], self._runs[second][theirs])
        ]

    def by_content(self, run: int, system: bool) -> list[int]:
        """The claims of one level of a run, in an order that does not depend on theirs."""
        indices = (index for index, claim in enumerate(self._runs[run]) if bool(claim.system) == system)
        return sorted(indices, key=lambda index: self._contents[run][index])

    def members(self, group: dict[int, int]) -> list[str]:
        """The contents of a group's claims, whatever the order of the runs."""
        return sorted(self._contents[run][index] for run, index in group.items())

    def _best(self, left: dict[int, list[int]], first: int, second: int) -> list[tuple[int, int]]:
        """The one-to-one assignment of the remaining claims of two runs with the greatest total similarity."""
        if not left[first] or not left[second]:
            return []
        likeness = np.array([[self._preference(first, i, second, j) for j in left[second]] for i in left[first]])
        rows, columns = linear_sum_assignment(likeness, maximize=True)
        return [(left[first][i], left[second][j]) for i, j in zip(rows, columns, strict=True)]

    def _preference(self, first: int, mine: int, second: int, theirs: int) -> float:
        """The similarity, less for contradictions; of equal ones, statements with more letters in common have more."""
        statements = self._runs[first][mine].statement, self._runs[second][theirs].statement
        contradict = self._comparison.contradict(self._runs[first][mine], self._runs[second][theirs])
        return self._similarity(first, mine, second, theirs) + 1e-9 * fuzz.ratio(*statements) - contradict

    def _similarity(self, first: int, mine: int, second: int, theirs: int) -> float:
        pair = (first, mine, second, theirs)
        if pair not in self._similarities:
            self._similarities[pair] = self._comparison.similarity(self._runs[first][mine], self._runs[second][theirs])
        return self._similarities[pair]
