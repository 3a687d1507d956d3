"""Trials of a judge: texts before and after an edit, the claims to be judged, and what each status should do."""

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import NamedTuple

from mechaware.claims.judges.judge import Judge
from mechaware.claims.planting.records import PlantedClaim, PlantedPaper
from mechaware.claims.reading.addressing import addressing_sentences
from mechaware.claims.reading.flags import paper_flags
from mechaware.claims.rubric.criteria import CRITERIA, STATUSES, Status
from mechaware.claims.rubric.records import Claim, PaperText, Voted
from mechaware.claims.trust.edits import Edit, planted_edits
from mechaware.claims.trust.papers import write_trial_paper
from mechaware.claims.votes.audit import audit

LETTERS: Mapping[Status | None, str] = {"NO": "N", "PARTIAL": "P", "YES": "Y", None: "?"}
AUDITED = "audited"  # in place of a run's number: statuses after the leak audit
BASE = "base"


class Variant(NamedTuple):
    """A text with the claims that are judged on it, by number, and the expected move of each of their criteria.

    `expected` has a string of 27 letters for each claim, in the rubric's order: `f` falls, `r` rises, `.` stays,
    `?` may do either and is not counted.
    `truth` has their true statuses as letters of `LETTERS`; empty where they are not known.
    """

    edit: str  # a family of `edits.FAMILIES`, or base
    criterion: str  # that the edit is about; empty for the base and for placebos
    text: str
    about: PaperText
    claims: Mapping[int, Claim]
    expected: Mapping[int, str]
    truth: Mapping[int, str]


class Trial(NamedTuple):
    """A text and its edits; `source` is planted or passage."""

    paper: str
    source: str
    base: Variant
    edits: Sequence[Variant]


def planted_trial(paper: PlantedPaper) -> Trial:
    """The trial of a planted paper. An edit of one claim is judged on that claim, a placebo on all."""
    manuscript = write_trial_paper(paper)
    base = _variant(paper, Edit(BASE, None, None, paper, manuscript))
    return Trial(paper.paper, "planted", base, [_variant(paper, edit) for edit in planted_edits(paper, manuscript)])


def judge_trial(judge: Judge, trial: Trial, runs: int) -> Iterator[dict[str, object]]:
    """A row for each text, claim and run: `statuses` as letters in the rubric's order, beside what was expected.

    A text whose evidence was moved to the whole circuit, and the base beside it, are audited once more for leaks; such
    a row has the run `AUDITED`, and the audit works on run 0.
    """
    leaked = any(variant.edit == "circuit" for variant in trial.edits)
    for variant in [trial.base, *trial.edits]:
        audited = variant.edit == "circuit" or (leaked and variant.edit == BASE)
        for run, claims in _judgements(judge, trial.paper, variant, runs, audited=audited):
            for number, claim in zip(variant.claims, claims, strict=True):
                statuses = {code: claim.criteria[code].status if claim.criteria else None for code in CRITERIA}
                yield {
                    "paper": trial.paper,
                    "source": trial.source,
                    "edit": variant.edit,
                    "criterion": variant.criterion,
                    "claim": number,
                    "run": run,
                    "statuses": letters(statuses),
                    "expected": variant.expected[number],
                    "truth": variant.truth.get(number, ""),
                }


def letters(statuses: Mapping[str, Status | None]) -> str:
    """Statuses as one letter for each criterion, in the rubric's order."""
    return "".join(LETTERS[statuses[code]] for code in CRITERIA)


def expected_moves(before: Mapping[str, Status], after: Mapping[str, Status]) -> str:
    """For each criterion, `f` where the status falls from `before` to `after`, `r` where it rises, else `.`."""
    steps = (STATUSES.index(after[code]) - STATUSES.index(before[code]) for code in CRITERIA)
    return "".join("f" if step < 0 else "r" if step > 0 else "." for step in steps)


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


def _variant(paper: PlantedPaper, edit: Edit) -> Variant:
    judged = range(len(paper.claims)) if edit.claim is None else [edit.claim]
    before, after, text = paper.claims, edit.paper.claims, edit.manuscript.text()
    return Variant(
        edit=edit.family,
        criterion=edit.code or "",
        text=text,
        about=about_text(paper.paper, text),
        claims={number: given_claim(after[number]) for number in judged},
        expected={number: expected_moves(before[number].levels, after[number].levels) for number in judged},
        truth={number: letters(after[number].levels) for number in judged},
    )


def _judgements(
    judge: Judge, paper: str, variant: Variant, runs: int, *, audited: bool
) -> Iterator[tuple[str, Sequence[Claim]]]:
    """Each run's claims, without criteria where a run is unscored, and those of the audit."""
    given = list(variant.claims.values())
    judged = [judge.judge_claims(variant.text, variant.about, given, run) for run in range(runs)]
    for run in judged:
        yield str(run.run), run.claims or given
    first = judged[0]
    if audited and first.claims:
        voted = Voted(judge=first.judge, paper=paper, runs=1, scored_runs=[0], claims=first.claims, dropped=[])
        yield AUDITED, audit(voted, judge, leak_audit=True, devils_advocate="none").claims


def shortened(trial: Trial, edits: int, seed: int) -> Trial:
    """The trial with its first claim alone and so many of the edits that concern it, drawn at random."""
    first = [variant for variant in trial.edits if 0 in variant.claims]
    drawn = sorted(Random(seed).sample(range(len(first)), min(edits, len(first))))  # noqa: S311
    return trial._replace(base=_first_claim(trial.base), edits=[_first_claim(first[place]) for place in drawn])


def _first_claim(variant: Variant) -> Variant:
    return variant._replace(claims={0: variant.claims[0]})
