"""Trials of a judge: texts before and after edits, the claims on them, and what should move."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from random import Random
from typing import NamedTuple

from mechaware.instruments.claims.judges.judge import Judge
from mechaware.instruments.claims.reading.addressing import addressing_sentences
from mechaware.instruments.claims.reading.flags import paper_flags
from mechaware.instruments.claims.rubric.criteria import (
    CRITERIA,
    RANK,
    Status,
    encode_statuses,
)
from mechaware.instruments.claims.rubric.records import Claim, PaperText
from mechaware.planted.papers.plan import PlantedPaper
from mechaware.verdicts.trust.edits import Edit, planted_edits
from mechaware.verdicts.trust.papers import plan_trial_papers, write_trial_paper

BASE = "base"
RETEST = "again"  # the unedited text judged a second time: what moves there moves without a reason


class Variant(NamedTuple):
    """A text, unedited or edited, and the claims that are judged on it.

    - `edit`: the family of the edit; `BASE` for the unedited text.
    - `criterion`: the criterion that the edit is about; empty for the unedited text and for
      placebos.
    - `text`, `about`: the text, and the record of it that a judge gets.
    - `claims`: the claims by their number in the paper, from 0.
    - `expected`: by claim, the expected moves of its 27 criteria as letters, in the rubric's order:
      `f` falls, `r` rises, `.` stays, `?` may move or stay and is not counted.
    - `truth`: by claim, its true statuses as letters (`encode_statuses`).
    - `edited`: the claim that the edit concerns; None for the unedited text and for placebos.
    """

    edit: str
    criterion: str
    text: str
    about: PaperText
    claims: Mapping[int, Claim]
    expected: Mapping[int, str]
    truth: Mapping[int, str]
    edited: int | None = None


class Trial(NamedTuple):
    """A planted paper and its edits."""

    paper: str
    base: Variant
    edits: Sequence[Variant]


# The statuses that a run gives to each claim of a text, in letters.
Answer = Callable[[Variant, int], Sequence[str]]


def plan_trials(papers: int, *, edits: int | None, seed: int) -> list[Trial]:
    """The trials of `papers` planted papers, with all edits.

    If `edits` is a number, there is one trial: the first claim of the first paper, with that number
    of its edits and placebos, drawn at random and kept in their order; with all of them if there
    are fewer.
    """
    if edits is None:
        return [planted_trial(paper) for paper in plan_trial_papers(papers, seed)]
    (paper,) = plan_trial_papers(1, seed)
    trial = planted_trial(paper)
    on_first_claim = [variant for variant in trial.edits if variant.edited in (0, None)]
    n_drawn = min(edits, len(on_first_claim))
    indices = sorted(Random(seed).sample(range(len(on_first_claim)), n_drawn))  # noqa: S311
    drawn = [_with_first_claim_alone(on_first_claim[index]) for index in indices]
    return [trial._replace(base=_with_first_claim_alone(trial.base), edits=drawn)]


def _with_first_claim_alone(variant: Variant) -> Variant:
    return variant._replace(claims={0: variant.claims[0]})


def planted_trial(paper: PlantedPaper) -> Trial:
    """The trial of a planted paper.

    Every text is judged on both claims: an edit of one must leave the other alone.
    """
    manuscript = write_trial_paper(paper)
    base = _variant(paper, Edit(BASE, None, None, paper, manuscript))
    edits = [_variant(paper, edit) for edit in planted_edits(paper, manuscript)]
    return Trial(paper.paper, base, edits)


def _variant(paper: PlantedPaper, edit: Edit) -> Variant:
    """An edited paper as judges get it, with the moves that it should cause."""
    text = edit.manuscript.text()
    claims = {}
    expected = {}
    truth = {}
    for number, (before, after) in enumerate(zip(paper.claims, edit.paper.claims, strict=True)):
        may_change = edit.open if number == edit.claim else ()
        claims[number] = after.unjudged()
        expected[number] = _expected_moves(before.levels, after.levels, may_change)
        truth[number] = encode_statuses(after.levels)
    return Variant(
        edit=edit.family,
        criterion=edit.code or "",
        text=text,
        about=_about(paper.paper, text),
        claims=claims,
        expected=expected,
        truth=truth,
        edited=edit.claim,
    )


def _expected_moves(
    before: Mapping[str, Status], after: Mapping[str, Status], may_change: Collection[str]
) -> str:
    """The expected move of each criterion in letters (`Variant`); `may_change` gives `?`."""
    letters = []
    for code in CRITERIA:
        step = RANK[after[code]] - RANK[before[code]]
        if code in may_change:
            letters.append("?")
        elif step < 0:
            letters.append("f")
        elif step > 0:
            letters.append("r")
        else:
            letters.append(".")
    return "".join(letters)


def _about(paper: str, text: str) -> PaperText:
    """The record of a text that was never a document."""
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


def judge_trial(judge: Judge, trial: Trial) -> Iterator[dict[str, object]]:
    """The rows of `answer_trial` by a judge, without the votes and audits of a score."""

    def answer(variant: Variant, run: int) -> list[str]:
        claims = list(variant.claims.values())
        judged = judge.judge_claims(variant.text, variant.about, claims, run).claims
        if not judged:  # no usable reply
            no_statuses: dict[str, Status | None] = dict.fromkeys(CRITERIA)
            return [encode_statuses(no_statuses)] * len(claims)

        statuses = []
        for claim in judged:
            by_code = {code: judgement.status for code, judgement in claim.criteria.items()}
            statuses.append(encode_statuses(by_code))
        return statuses

    return answer_trial(answer, trial)


def answer_trial(answer: Answer, trial: Trial) -> Iterator[dict[str, object]]:
    """The answers to all texts of a trial, a row for each text and claim.

    The unedited text is judged twice.

    Columns: paper; edit, criterion, expected and truth, as in `Variant`; edited, the number of the
    edited claim as text, or empty; claim, the number of the judged claim; statuses, the answer in
    letters.
    """
    # Each text with the number of the run that judges it.
    texts = [(trial.base, 0), (trial.base._replace(edit=RETEST), 1)]
    for variant in trial.edits:
        texts.append((variant, 0))

    for variant, run in texts:
        for number, statuses in zip(variant.claims, answer(variant, run), strict=True):
            yield {
                "paper": trial.paper,
                "edit": variant.edit,
                "criterion": variant.criterion,
                "edited": "" if variant.edited is None else str(variant.edited),
                "claim": number,
                "statuses": statuses,
                "expected": variant.expected[number],
                "truth": variant.truth[number],
            }
