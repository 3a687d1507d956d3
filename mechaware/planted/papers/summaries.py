"""Small tables from the records of all judges and papers and from the planted truth, for tables and figures to read."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from mechaware.instruments.claims.fetching.papers import Paper
from mechaware.instruments.claims.reading.sentences import plain_words
from mechaware.instruments.claims.rubric.criteria import CRITERIA, DIMENSIONS, STATUSES, tier_index
from mechaware.instruments.claims.rubric.records import Claim, Run, Scores, Voted
from mechaware.instruments.claims.rubric.scoring import cvs, dimension_score, tier
from mechaware.instruments.claims.votes.matching import match_claims
from mechaware.planted.papers.plan import PlantedPaper

PLANTED = "planted"  # the label source of planted papers
CODES = tuple(dimension.code for dimension in DIMENSIONS)
COLUMNS = {
    "papers": "judge paper title status reason n_claims cvs tier expected_tier label_source expected_cvs off_by "
    "single_low single_high voted_cvs sub_low sub_high main_yes",
    "runs": "judge paper stage cvs expected_tier",
    "claims": f"judge paper claim main system cvs {' '.join(CODES)} truth_claim",
    "criteria": "judge paper claim system criterion stage status truth leak",
    "truth": f"paper claim system {' '.join(CODES)}",
    "levels": "paper claim system criterion truth leak",
    "usage": "judge paper calls prompt_tokens completion_tokens cost unscored n_criteria quoted quotes_found",
}
_TEXT = (
    *("judge", "paper", "title", "status", "reason", "tier", "expected_tier", "label_source"),
    *("stage", "criterion", "truth"),
)


class _Reference(NamedTuple):
    """A paper's title and reference tier, known before it is judged; empty, and `cvs` None, where unknown."""

    title: str
    tier: str
    source: str
    cvs: float | None


class _Records(NamedTuple):
    """The records of one judge about one paper; runs in order."""

    scores: Scores
    voted: Voted
    runs: list[Run]

    def stages(self, claim: int) -> Iterator[tuple[str, Claim]]:
        """One voted claim at each stage: in every run that has it, after the vote, after the audit."""
        yield from ((f"run-{run.run}", stated) for run, stated in self._stated(claim))
        yield "voted", self.voted.claims[claim]
        yield "audited", self.scores.claims[claim]

    def claims_as_judged(self) -> list[Claim]:
        """The voted claims, each a system claim only where the judge said so: the vote marks others by rule."""
        return [
            claim.model_copy(
                update={"system": any(stated.system for _, stated in self._stated(index))}
            )
            for index, claim in enumerate(self.voted.claims)
        ]

    def _stated(self, claim: int) -> Iterator[tuple[Run, Claim]]:
        scored = [run for run in self.runs if run.fault is None]
        for run, index in zip(scored, self.voted.claims[claim].runs, strict=True):
            if index is not None:
                yield run, run.claims[index]


def group_by_paper(
    scores: Iterable[Scores], voted: Iterable[Voted], runs: Iterable[Run]
) -> list[_Records]:
    """The records grouped by judge and paper, in the order of the scores. Raises KeyError if one is missing."""
    votes = {(record.judge, record.paper): record for record in voted}
    extracted: dict[tuple[str, str], list[Run]] = {}
    for run in sorted(runs, key=lambda run: run.run):
        extracted.setdefault((run.judge, run.paper), []).append(run)
    keyed = (((record.judge, record.paper), record) for record in scores)
    return [_Records(record, votes[key], extracted[key]) for key, record in keyed]


def summarise(
    records: Sequence[_Records],
    truth: Sequence[PlantedPaper],
    listed: Mapping[str, Paper],
    *,
    least_similarity: float,
) -> dict[str, pd.DataFrame]:
    """The tables of `COLUMNS` by name.

    `listed` is the list of papers, which lacks the planted ones; `truth` is the truth about those. A judge's claim
    counts as a planted one by `match_planted`.
    """
    planted = {paper.paper: paper for paper in truth}
    known = {
        name: _Reference(paper.title, paper.expected_tier, paper.label_source, None)
        for name, paper in listed.items()
    } | {paper.paper: _reference(paper) for paper in truth}
    unknown = _Reference("", "", "", None)
    pairs = [(record, known.get(record.scores.paper, unknown)) for record in records]
    matched: list[tuple[_Records, PlantedPaper | None, dict[int, int]]] = []
    for record in records:
        paper = planted.get(record.scores.paper)
        pairs_of = (
            match_planted(record.claims_as_judged(), paper, least_similarity) if paper else []
        )
        matched.append((record, paper, dict(pairs_of)))
    rows: dict[str, list[dict[str, Any]]] = {
        "papers": [_paper_row(record, reference) for record, reference in pairs],
        "runs": [row for record, reference in pairs for row in _run_rows(record, reference)],
        "claims": [row for record, _, match in matched for row in _claim_rows(record, match)],
        "criteria": [
            row
            for record, paper, match in matched
            if paper
            for row in _criterion_rows(record, paper, match)
        ],
        "truth": [row for paper in truth for row in _truth_rows(paper)],
        "levels": [
            row
            for paper in truth
            for index in range(len(paper.claims))
            for row in _levels(paper, index)
        ],
        "usage": [_usage_row(record) for record in records],
    }
    return {name: _table(rows[name], columns.split()) for name, columns in COLUMNS.items()}


def _paper_row(records: _Records, reference: _Reference) -> dict[str, Any]:
    scores = records.scores
    others = [scored.cvs for claim, scored in enumerate(scores.scored) if claim != scores.main]
    known = [score for score in others if score is not None]
    singles = [score for score in scores.single_runs if score is not None]
    main = {} if scores.main is None else scores.claims[scores.main].criteria
    statuses = [judgement.status for judgement in main.values()]
    return {
        **_judge_and_paper(scores),
        "title": reference.title,
        "status": "unscored" if scores.cvs is None else "scored",
        "reason": _reason(scores),
        "n_claims": len(scores.claims),
        "cvs": scores.cvs,
        "tier": scores.tier,
        "expected_tier": reference.tier,
        "label_source": reference.source,
        "expected_cvs": reference.cvs,
        "off_by": tier_index(scores.tier) - tier_index(reference.tier)
        if scores.tier and reference.tier
        else None,
        "single_low": min(singles, default=None),
        "single_high": max(singles, default=None),
        "voted_cvs": scores.voted,
        "sub_low": min(known, default=None),
        "sub_high": max(known, default=None),
        "main_yes": statuses.count("YES") / len(CRITERIA) if statuses else None,
    }


def _reason(scores: Scores) -> str:
    if scores.cvs is not None:
        return ""
    if scores.fault is not None:
        return f"{scores.fault.kind}: {scores.fault.message}"
    if scores.main is None:
        return f"no {'system-level ' if scores.claims else ''}claim that most runs agree on"
    missing = sum(
        judgement.status is None for judgement in scores.claims[scores.main].criteria.values()
    )
    return f"{missing} of {len(CRITERIA)} criteria of the main claim have no status"


def _run_rows(records: _Records, reference: _Reference) -> Iterator[dict[str, Any]]:
    scores = records.scores
    stages = [
        (f"run-{run.run}", score)
        for run, score in zip(records.runs, scores.single_runs, strict=True)
    ]
    for stage, score in [*stages, ("voted", scores.voted), ("audited", scores.cvs)]:
        yield {
            **_judge_and_paper(scores),
            "stage": stage,
            "cvs": score,
            "expected_tier": reference.tier,
        }


def _claim_rows(records: _Records, match: Mapping[int, int]) -> Iterator[dict[str, Any]]:
    scores = records.scores
    for index, (claim, scored) in enumerate(zip(scores.claims, scores.scored, strict=True)):
        yield {
            **_judge_and_paper(scores),
            "claim": index,
            "main": index == scores.main,
            "system": bool(claim.system),
            "cvs": scored.cvs,
            **scored.dimensions,
            "truth_claim": match.get(index),
        }


def _criterion_rows(
    records: _Records, paper: PlantedPaper, match: Mapping[int, int]
) -> Iterator[dict[str, Any]]:
    """The judged statuses of the planted claims at each stage; `claim` is the planted claim's index.

    Every stage has the same claims, those of the vote, so that only their statuses differ.
    """
    for judged, index in sorted(match.items(), key=lambda pair: pair[1]):
        for stage, claim in records.stages(judged):
            for row in _levels(paper, index):
                status = claim.criteria[row["criterion"]].status
                yield {"judge": records.scores.judge, **row, "stage": stage, "status": status}


def match_planted(
    claims: Sequence[Claim], paper: PlantedPaper, least_similarity: float
) -> list[tuple[int, int]]:
    """The judge's claims that count as planted ones: index of the judge's claim, index of the planted claim.

    A claim in the paper's own words, up to case and punctuation, is the claim that was planted in these words, whatever
    its level; of several such claims the first one counts. The others are matched with what is left by level and
    similarity (`match_claims`).
    """
    planted = {
        plain_words(text): index
        for index, claim in enumerate(paper.claims)
        for text in (claim.statement, *claim.restated)
    }
    words = (plain_words(claim.statement) for claim in claims)
    stated = {index: planted[own] for index, own in enumerate(words) if own in planted}
    matched = {truth: judged for judged, truth in reversed(stated.items())}
    judged_left = [index for index in range(len(claims)) if index not in stated]
    truth_left = [index for index in range(len(paper.claims)) if index not in matched]
    groups = match_claims(
        [
            [claims[index] for index in judged_left],
            [paper.claims[index].unjudged() for index in truth_left],
        ],
        least_similarity=least_similarity,
    )
    alike = [
        (judged_left[one], truth_left[same])
        for one, same in groups
        if one is not None and same is not None
    ]
    return [*((judged, truth) for truth, judged in matched.items()), *alike]


def _reference(paper: PlantedPaper) -> _Reference:
    score = max(cvs(claim.levels) for claim in paper.claims if claim.system)
    return _Reference(paper.title, tier(score).name, PLANTED, score)


def _truth_rows(paper: PlantedPaper) -> Iterator[dict[str, Any]]:
    for index, claim in enumerate(paper.claims):
        yield {
            "paper": paper.paper,
            "claim": index,
            "system": claim.system,
            **{
                dimension.code: dimension_score(dimension, claim.levels) for dimension in DIMENSIONS
            },
        }


def _levels(paper: PlantedPaper, index: int) -> Iterator[dict[str, Any]]:
    claim = paper.claims[index]
    for code in CRITERIA:
        row = {"paper": paper.paper, "claim": index, "system": claim.system, "criterion": code}
        yield {**row, "truth": claim.levels[code], "leak": code in claim.leaks}


def _usage_row(records: _Records) -> dict[str, Any]:
    statuses = [claim.criteria[code].status for claim in records.scores.claims for code in CRITERIA]
    places = [
        place
        for run in records.runs
        for claim in run.claims
        for one in claim.criteria.values()
        for place in one.quotes
    ]
    return {
        **_judge_and_paper(records.scores),
        **records.scores.usage.model_dump(),
        "unscored": sum(status not in STATUSES for status in statuses),
        "n_criteria": len(statuses),
        "quoted": len(places),
        "quotes_found": len(places) - places.count(None),
    }


def _judge_and_paper(scores: Scores) -> dict[str, str]:
    return {"judge": scores.judge, "paper": scores.paper}


def _table(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> pd.DataFrame:
    """Missing text is the empty string, a missing number NaN, even in a column without any value."""
    table = pd.DataFrame(list(rows), columns=list(columns))
    for name in columns:
        column = table[name]
        table[name] = column.fillna("") if name in _TEXT else pd.to_numeric(column, errors="raise")
    return table.astype({name: bool for name in ("main", "system", "leak") if name in columns})
