"""Trials of a judge: texts before and after an edit, the claims to be judged, and what each status should do."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from random import Random
from typing import NamedTuple

from mechaware.claims.judges.judge import Judge
from mechaware.claims.planting.plan import PlantedClaim, PlantedPaper
from mechaware.claims.reading.addressing import addressing_sentences
from mechaware.claims.reading.flags import paper_flags
from mechaware.claims.rubric.criteria import CRITERIA, LEAK_PRONE, RANK, Status, encode_statuses
from mechaware.claims.rubric.records import Claim, PaperText, Run, Voted
from mechaware.claims.trust.planted.edits import Edit, planted_edits
from mechaware.claims.trust.planted.papers import write_trial_paper
from mechaware.claims.votes.audit import DevilsAdvocate, audit
from mechaware.claims.votes.voting import minimum_vote

SCORED = "scored"  # in place of a run's number: statuses as a score is made from them, after the vote and the audit
BASE = "base"
RETEST = "again"  # the base judged once more: how much changes where nothing does


class Scoring(NamedTuple):
    """How a paper's score is made: the minimum vote over so many runs, and the passes of the audit."""

    runs: int
    leak_audit: bool = True
    devils_advocate: DevilsAdvocate = "none"


class Variant(NamedTuple):
    """A text with the claims that are judged on it, by number, and the expected move of each of their criteria.

    `expected` has a string of 27 letters for each claim, in the rubric's order: `f` falls, `r` rises, `.` stays,
    `?` may do either and is not counted.
    `truth` has their true statuses as letters (`encode_statuses`); empty where they are not known.
    """

    edit: str  # a family of `edits.FAMILIES`, or base
    criterion: str  # that the edit is about; empty for the base and for placebos
    text: str
    about: PaperText
    claims: Mapping[int, Claim]
    expected: Mapping[int, str]
    truth: Mapping[int, str]
    edited: int | None = None  # the claim that the edit concerns; None for the base and for placebos


class Trial(NamedTuple):
    """A text and its edits; `source` is planted or passage."""

    paper: str
    source: str
    base: Variant
    edits: Sequence[Variant]


def planted_trial(paper: PlantedPaper) -> Trial:
    """The trial of a planted paper. Every text is judged on both claims: an edit of one must leave the other alone."""
    manuscript = write_trial_paper(paper)
    base = _variant(paper, Edit(BASE, None, None, paper, manuscript))
    return Trial(paper.paper, "planted", base, [_variant(paper, edit) for edit in planted_edits(paper, manuscript)])


def judge_trial(judge: Judge, trial: Trial, runs: int, scoring: Scoring) -> Iterator[dict[str, object]]:
    """A row for each text, claim and run: `statuses` as letters in the rubric's order, beside what was expected.

    One more row of each text and claim has the run `SCORED`: the first runs of `scoring` voted and audited. Texts whose
    edit concerns a criterion that no audit can lower are not audited. That of a planted paper is
    read again in further runs.
    """
    again = [trial.base._replace(edit=RETEST, truth={})] if trial.source == "planted" else []
    for variant in [trial.base, *again, *trial.edits]:
        for run, claims in _judgements(judge, trial.paper, variant, runs, scoring):
            for number, claim in zip(variant.claims, claims, strict=True):
                statuses = {code: claim.criteria[code].status if claim.criteria else None for code in CRITERIA}
                yield {
                    "paper": trial.paper,
                    "source": trial.source,
                    "edit": variant.edit,
                    "criterion": variant.criterion,
                    "edited": "" if variant.edited is None else str(variant.edited),
                    "claim": number,
                    "run": str(run),
                    "statuses": encode_statuses(statuses),
                    "expected": variant.expected[number],
                    "truth": variant.truth.get(number, ""),
                }


def expected_moves(before: Mapping[str, Status], after: Mapping[str, Status], either: Collection[str] = ()) -> str:
    """For each criterion, `f` where the status falls from `before` to `after`, `r` where it rises, else `.`.

    Those of `either` may stay or not.
    """
    steps = {code: RANK[after[code]] - RANK[before[code]] for code in CRITERIA}
    return "".join(
        "?" if code in either else "f" if step < 0 else "r" if step > 0 else "." for code, step in steps.items()
    )


def about_text(paper: str, text: str) -> PaperText:
    """What a judge is told about a text that was never a document."""
    addressing = addressing_sentences([text])
    return PaperText(
        paper=paper,
        pages=None,
        pages_read=None,
        truncated=False,
        characters=len(text),
        flags=paper_flags(text, [], addressing),
        hidden=[],
        addresses_judge=addressing,
    )


def given_claim(claim: PlantedClaim) -> Claim:
    """A planted claim as a judge is given it."""
    return Claim(
        statement=claim.statement,
        description_mode=claim.description_mode,
        evidence_families=claim.evidence_families,
        components=claim.components,
        criteria={},
        system=claim.system,
    )


def shortened(trial: Trial, edits: int, seed: int) -> Trial:
    """The trial with its first claim alone and so many of its edits and placebos, drawn at random."""
    first = [variant for variant in trial.edits if variant.edited in (0, None)]
    drawn = sorted(Random(seed).sample(range(len(first)), min(edits, len(first))))  # noqa: S311
    return trial._replace(base=_first_claim(trial.base), edits=[_first_claim(first[place]) for place in drawn])


def _first_claim(variant: Variant) -> Variant:
    return variant._replace(claims={0: variant.claims[0]})


def _variant(paper: PlantedPaper, edit: Edit) -> Variant:
    before, after, text = paper.claims, edit.paper.claims, edit.manuscript.text()
    judged = range(len(after))
    return Variant(
        edit=edit.family,
        criterion=edit.code or "",
        text=text,
        about=about_text(paper.paper, text),
        claims={number: given_claim(after[number]) for number in judged},
        expected={
            number: expected_moves(
                before[number].levels, after[number].levels, edit.open if number == edit.claim else ()
            )
            for number in judged
        },
        truth={number: encode_statuses(after[number].levels) for number in judged},
        edited=edit.claim,
    )


def _judgements(
    judge: Judge, paper: str, variant: Variant, runs: int, scoring: Scoring
) -> Iterator[tuple[str, Sequence[Claim]]]:
    """Each run's claims, without criteria where a run is unscored, and those that a score is made from."""
    given = list(variant.claims.values())
    if variant.edit == RETEST:
        first = max(runs, scoring.runs)
        for number in range(runs):
            yield str(number), judge.judge_claims(variant.text, variant.about, given, first + number).claims or given
        return
    judged = [judge.judge_claims(variant.text, variant.about, given, run) for run in range(max(runs, scoring.runs))]
    for run in judged[:runs]:
        yield str(run.run), run.claims or given
    voted = _voted(judged[: scoring.runs], given)
    lowerable = variant.edit == BASE or variant.criterion in LEAK_PRONE
    if lowerable and voted[0].criteria:
        record = Voted(judge=judged[0].judge, paper=paper, runs=scoring.runs, scored_runs=[0], claims=voted, dropped=[])
        voted = audit(record, judge, leak_audit=scoring.leak_audit, devils_advocate=scoring.devils_advocate).claims
    yield SCORED, voted


def _voted(judged: Sequence[Run], given: Sequence[Claim]) -> list[Claim]:
    """The given claims at the minimum of the scored runs, which have them in the same order; as given without any."""
    scored = [run.claims for run in judged if run.claims]
    if len(scored) <= 1:
        return list(scored[0] if scored else given)
    return [
        first.model_copy(
            update={
                "criteria": {
                    code: minimum_vote([claims[number].criteria[code] for claims in scored], len(scored))
                    for code in CRITERIA
                }
            }
        )
        for number, first in enumerate(scored[0])
    ]
