"""The verdict on a paper, with its error rates on planted papers: does the paper's evidence support
its claims as the 27 criteria ask?

A judge's findings count only if its procedure was measured on planted papers, and was shown there
to be better than giving every criterion the same status. Otherwise the verdict is *cannot tell*,
whatever the scores.
"""

import hashlib
import json
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from mechaware.core.files import sha256
from mechaware.core.own_package import package_files
from mechaware.instruments.claims.judges.judge import ClaimsFound
from mechaware.instruments.claims.judges.kinds import KINDS
from mechaware.instruments.claims.judges.settings import JudgeSettings, judge_settings
from mechaware.instruments.claims.rubric.constant_answers import why_no_better
from mechaware.instruments.claims.rubric.criteria import CRITERIA
from mechaware.instruments.claims.rubric.records import PaperText, Scores, VoteRule
from mechaware.instruments.claims.rubric.support import (
    SUPPORTED_TIER,
    Finding,
    find_support,
    least_score,
)
from mechaware.instruments.claims.rubric.text_flags import FLAG_MEANINGS
from mechaware.instruments.claims.votes.audit import DevilsAdvocate
from mechaware.verdicts.cases.supported.decisions import supported_decisions
from mechaware.verdicts.error_rates import ErrorRates, Rate, find_error_rates
from mechaware.verdicts.procedure import Procedure, make_procedure
from mechaware.verdicts.verdict import Outcome, Verdict

PLANTED_TEXT = "papers written here to known statuses"  # the kind of text of the planted papers
PLANTED = (
    "Measured on papers that were written here to known statuses. Sensitivity: the share of supported papers that the "
    "judge calls supported. Specificity: the share of other papers that it does not call supported. Criteria right: "
    "the share of single statuses. Beside each: the same for answering YES, or NO, throughout."
)
_OUTCOMES: dict[Finding, Outcome] = {
    "supported": "shown",
    "not supported": "not shown",
    "no claim": "cannot tell",
    "cannot tell": "cannot tell",
}
# Settings that change a language model's replies; its name, key, prices and time-outs do not.
_MODEL_SETTINGS = (
    "model",
    "api_base",
    "temperature",
    "reasoning_effort",
    "mode",
    "max_tokens",
    "structured_output",
    "seed",
    "max_claims",
    "context_tokens",
)
_Record = dict[str, Any]


class Judging(NamedTuple):
    """How a judge's runs over a paper become its score.

    - `prompts`: the files of one version of the judges' prompts. `runs`: extractions of a paper.
    - `vote`: how the statuses of the runs become one.
    - `claims_found`: whether all runs judge the claims of one run or each its own.
    - `least_similarity`: how similar two claims of different runs must be to count as one.
    - `leak_audit`, `devils_advocate`: the passes after the vote.
    - `max_pages`: the number of pages of a PDF that are read at most. `level`: the confidence level
      of the intervals, such as 0.95.
    """

    prompts: Sequence[Path]
    runs: int
    vote: VoteRule
    claims_found: ClaimsFound
    least_similarity: float
    leak_audit: bool
    devils_advocate: DevilsAdvocate
    max_pages: int
    level: float


class PaperEvidence(NamedTuple):
    """What a verdict on a paper rests on.

    - `judge`: the name of the judge. `text_length`: the length of the paper in characters.
    - `finding`: the judge's finding by its scores, whether or not the judge beats a constant
      answer.
    - `supported_from`: the least score that is enough. `score`, `low`, `high`, `tier`: the paper's,
      as in `Scores`; None without a claim about a whole mechanism.
    - `claims`: by claim, statement, system (about the whole mechanism), main (gives the paper's
      score), score, low, high, tier, and statuses by criterion, None where the judge gave no usable
      reply.
    """

    judge: str
    text_length: int
    finding: Finding
    supported_from: float
    score: float | None
    low: float | None
    high: float | None
    tier: str | None
    claims: list[_Record]

    def record(self) -> dict[str, Any]:
        """The tables as JSON holds them."""
        return self._asdict()


def judge_support(
    scores: Scores,
    about: PaperText,
    procedure: Procedure,
    calibration: pd.DataFrame,
    *,
    confidence_level: float,
) -> Verdict[PaperEvidence]:
    """The verdict on a paper by one judge.

    Args:
        scores: The judge's scores of the paper.
        about: The record of how the paper's text was read.
        procedure: The procedure that led to the scores (`supported_procedure`).
        calibration: The error rates, from `read_calibration`.
        confidence_level: The level of confidence intervals, such as 0.95.

    Returns:
        The verdict. A paper that would be *supported* or *not supported* gets *cannot tell* where
        the judge is not shown to be better than giving every criterion the same status, and where
        its server cut the paper.
    """
    finding = find_support(scores)
    error_rates, doubt = _rates_and_doubt(
        procedure, calibration, about.characters, confidence_level
    )
    if scores.usage.was_cut:
        doubt = "the judge's server says that it read much less than was sent: its context cut the paper"

    status = finding.status
    reason = finding.reason
    if status in ("supported", "not supported") and doubt:
        status = "cannot tell"
        reason = doubt

    return Verdict(
        question="supported",
        status=status,
        outcome=_OUTCOMES[status],
        reason=reason,
        level=confidence_level,
        n=len(scores.claims),
        evidence=_evidence(scores, about, finding.status),
        procedure=procedure,
        error_rates=error_rates,
        notes=_notes(about),
    )


def supported_procedure(judge: JudgeSettings, judging: Judging, revision: str = "") -> Procedure:
    """The procedure of a judge: its kind and model, its prompts, runs, vote and audit, and its
    decisions.

    Args:
        judge: The settings of the judge. A judge in the user's own package is known by a digest of
            all of the package's files.
        judging: How its runs become a score.
        revision: Names the weights of an embedded model, such as the SHA-256 of its file. A
            provider's model has none: only its name is known.
    """
    settings = settings_that_decide(judge, revision)
    settings |= judging._asdict()
    # The contents of the prompts decide, not where their files lie.
    settings["prompts"] = digest_of_files({path.name: path for path in judging.prompts})
    settings["supported_from"] = SUPPORTED_TIER
    decisions = supported_decisions(judge, judging.prompts)
    return make_procedure("claims", settings, list(CRITERIA), decisions)


def settings_that_decide(judge: JudgeSettings, revision: str) -> dict[str, object]:
    """The settings of a judge that change its replies, for its procedure.

    `revision` is as in `supported_procedure`.
    """
    settings: dict[str, object] = {"kind": judge.kind}
    if judge.kind not in KINDS:
        settings["package"] = digest_of_files(dict(package_files(judge.kind)))
    if judge.kind not in KINDS or not KINDS[judge.kind].by_rules:
        settings |= {name: getattr(judge, name) for name in _MODEL_SETTINGS}
        settings["revision"] = revision or None
    return settings


def procedures_of(
    entries: Mapping[str, str], revisions: Mapping[str, str], judging: Judging
) -> dict[str, Procedure]:
    """By judge, its procedure.

    `entries` are the entries of config/judges.yaml as JSON; `revisions` are the revisions of
    embedded models. Both are by judge.
    """
    procedures = {}
    for name, entry in entries.items():
        settings = judge_settings(name, json.loads(entry))
        procedures[name] = supported_procedure(settings, judging, revisions.get(name, ""))
    return procedures


def digest_of_files(files: Mapping[str, Path]) -> str:
    """A digest of files by name: of their names and contents, whatever their order."""
    lines = sorted(f"{name} {sha256(path)}" for name, path in files.items())
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def _rates_and_doubt(
    procedure: Procedure, calibration: pd.DataFrame, characters: int, confidence_level: float
) -> tuple[ErrorRates, str]:
    """The error rates of the procedure, and why the judge's findings do not count.

    The reason is empty where they do count.
    """
    # A text that could not be read has length 0, for which there is no ratio of lengths.
    text_length = max(characters, 1)
    calibrated = find_error_rates(procedure, calibration, size=None, text_length=text_length)
    if calibrated.missing:
        doubt = f"what this judge is worth is not known: {calibrated.missing}"
        return ErrorRates([], [calibrated.missing], []), doubt

    # The rows are of planted papers of one median length; the last one is the latest measurement.
    row = calibrated.rows.to_dict("records")[-1]
    return ErrorRates(_rates(row), [], calibrated.distance), why_no_better(row, confidence_level)


def _rates(row: Mapping[Hashable, Any]) -> list[Rate]:
    """Sensitivity, specificity and the share of criteria right, each with the rates of two constant
    answers.

    A rate is left out if it has no interval (too few papers), or no value (no paper of its kind).
    """
    measures = (
        _Measure("sensitivity", "sensitivity", n=row["supported"], always_yes=1.0, always_no=0.0),
        _Measure("specificity", "specificity", n=row["others"], always_yes=0.0, always_no=1.0),
        _Measure(
            "criteria right",
            "exact",
            n=row["papers"],
            always_yes=row["always_yes"],
            always_no=row["always_no"],
        ),
    )
    rates = []
    for measure in measures:
        value = row[measure.column]
        low = row[f"{measure.column}_low"]
        high = row[f"{measure.column}_high"]
        if pd.isna(value) or pd.isna(low):
            continue

        case: dict[str, str | int | float] = {
            "YES throughout": float(measure.always_yes),
            "NO throughout": float(measure.always_no),
        }
        rate = Rate(
            measure=measure.name,
            value=float(value),
            low=float(low),
            high=float(high),
            n=int(measure.n),
            case=case,
        )
        rates.append(rate)
    return rates


class _Measure(NamedTuple):
    """A rate of a calibration.

    - `name`: what the page calls it. `column`: its column, which has the neighbours `_low` and
      `_high`.
    - `n`: the number of papers behind it.
    - `always_yes`, `always_no`: the same rate of a judge that gives every criterion this status.
    """

    name: str
    column: str
    n: int
    always_yes: float
    always_no: float


def _evidence(scores: Scores, about: PaperText, finding: Finding) -> PaperEvidence:
    """What the verdict rests on: the scores of the paper and of its claims, with all statuses."""
    main = None if scores.main is None else scores.scored[scores.main]
    claims = []
    for index, (claim, scored) in enumerate(zip(scores.claims, scores.scored, strict=True)):
        record = {
            "statement": claim.statement,
            "system": bool(claim.system),
            "main": index == scores.main,
            "score": scored.cvs,
            "low": scored.low,
            "high": scored.high,
            "tier": scored.tier,
            "statuses": {code: claim.criteria[code].status for code in CRITERIA},
        }
        claims.append(record)
    return PaperEvidence(
        judge=scores.judge,
        text_length=about.characters,
        finding=finding,
        supported_from=least_score(),
        score=scores.cvs,
        low=None if main is None else main.low,
        high=None if main is None else main.high,
        tier=scores.tier,
        claims=claims,
    )


def _notes(about: PaperText) -> list[str]:
    """What a reader must know about how the paper was read."""
    flags = [f"{flag}: {FLAG_MEANINGS[flag]}" for flag in about.flags]
    return [*flags, *missing_parts(about, "read")]


def missing_parts(about: PaperText, done: str) -> list[str]:
    """Which parts of a paper were not `done` (a participle, such as read or searched), one sentence
    for each.
    """
    sentences = []
    if about.truncated:
        sentences.append(f"only a part of the paper was {done}")
    if about.left_out:
        sentences.append(
            f"{len(about.left_out)} passages of the web page were left out of its text"
        )
    return sentences
