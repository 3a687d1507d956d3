"""Small tables of the records of all judges and papers, and of the planted truth.

The tables and figures of the claims study read these tables.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from mechaware.instruments.claims.fetching.papers import Paper
from mechaware.instruments.claims.rubric.criteria import (
    CRITERIA,
    DIMENSIONS,
    STATUSES,
    Status,
    tier_index,
)
from mechaware.instruments.claims.rubric.records import Claim, Run, Scores, Voted
from mechaware.instruments.claims.rubric.scoring import cvs, dimension_score, tier
from mechaware.planted.papers.claim_matching import match_planted
from mechaware.planted.papers.plan import PlantedPaper

PLANTED = "planted"  # the label source of planted papers
CODES = tuple(dimension.code for dimension in DIMENSIONS)
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "papers": (
        "judge",
        "paper",
        "title",
        "status",
        "reason",
        "n_claims",
        "cvs",
        "tier",
        "expected_tier",
        "label_source",
        "expected_cvs",
        "off_by",
        "single_low",
        "single_high",
        "voted_cvs",
        "sub_low",
        "sub_high",
        "main_yes",
    ),
    "runs": ("judge", "paper", "stage", "cvs", "expected_tier"),
    "claims": ("judge", "paper", "claim", "main", "system", "cvs", *CODES, "truth_claim"),
    "criteria": (
        "judge",
        "paper",
        "claim",
        "system",
        "criterion",
        "stage",
        "status",
        "truth",
        "leak",
    ),
    "truth": ("paper", "claim", "system", *CODES),
    "levels": ("paper", "claim", "system", "criterion", "truth", "leak"),
    "usage": (
        "judge",
        "paper",
        "calls",
        "prompt_tokens",
        "completion_tokens",
        "cost",
        "unscored",
        "n_criteria",
        "quoted",
        "quotes_found",
    ),
}
# Of all tables, the columns of text and of booleans; all others are numbers.
_TEXT = (
    "judge",
    "paper",
    "title",
    "status",
    "reason",
    "tier",
    "expected_tier",
    "label_source",
    "stage",
    "criterion",
    "truth",
)
_BOOLEANS = ("main", "system", "leak")


class _Reference(NamedTuple):
    """What is known of a paper before it is judged; empty, and `cvs` None, where unknown.

    `tier` is the reference tier, and `source` where it is from. `cvs` is the planted CVS.
    """

    title: str
    tier: str
    source: str
    cvs: float | None


class PaperRecords(NamedTuple):
    """The records of one judge about one paper.

    - `scores`: its claims and scores after the audit.
    - `voted`: its claims after the vote.
    - `runs`: the single runs, in their order.
    """

    scores: Scores
    voted: Voted
    runs: list[Run]

    def stages(self, claim: int) -> Iterator[tuple[str, Claim]]:
        """A voted claim at each stage: in every run that has it, after the vote and the audit."""
        for run, stated in self._stated(claim):
            yield f"run-{run.run}", stated
        yield "voted", self.voted.claims[claim]
        yield "audited", self.scores.claims[claim]

    def claims_as_judged(self) -> list[Claim]:
        """The voted claims, with `system` only where a run of the judge set it.

        The vote also sets it by a rule.
        """
        claims = []
        for index, claim in enumerate(self.voted.claims):
            is_system = any(stated.system for _, stated in self._stated(index))
            claims.append(claim.model_copy(update={"system": is_system}))
        return claims

    def _stated(self, claim: int) -> Iterator[tuple[Run, Claim]]:
        """The runs that have a voted claim, each with the claim as the run states it."""
        scored = [run for run in self.runs if run.fault is None]
        for run, index_in_run in zip(scored, self.voted.claims[claim].runs, strict=True):
            if index_in_run is not None:
                yield run, run.claims[index_in_run]


def group_by_paper(
    scores: Iterable[Scores], voted: Iterable[Voted], runs: Iterable[Run]
) -> list[PaperRecords]:
    """The records grouped by judge and paper, in the order of the scores.

    Raises KeyError if a paper has scores, but no vote or no runs.
    """
    votes = {(record.judge, record.paper): record for record in voted}
    extracted: dict[tuple[str, str], list[Run]] = {}
    for run in sorted(runs, key=lambda run: run.run):
        extracted.setdefault((run.judge, run.paper), []).append(run)

    grouped = []
    for record in scores:
        key = (record.judge, record.paper)
        grouped.append(PaperRecords(record, votes[key], extracted[key]))
    return grouped


def summarise(
    records: Sequence[PaperRecords],
    truth: Sequence[PlantedPaper],
    listed: Mapping[str, Paper],
    *,
    least_similarity: float,
) -> dict[str, pd.DataFrame]:
    """The tables of `COLUMNS` by name.

    Args:
        records: The records of all judges and papers.
        truth: The planted papers.
        listed: By name, the papers of the list, which has no planted paper.
        least_similarity: The similarity from which a judge's claim counts as a planted one
            (`match_planted`).

    Returns:
        - papers: a row for each judge and paper. cvs, tier: after the audit. off_by: tiers above
          the expected one. single_low, single_high: the range of the CVS of single runs. voted_cvs:
          before the audit. sub_low, sub_high: the range of the CVS of the claims other than the
          main one. main_yes: the share of YES in the main claim.
        - runs: a row for each judge, paper and stage: run-0, run-1, ..., voted, audited.
        - claims: a row for each judge, paper and judged claim after the audit, with its score in
          each dimension. truth_claim: the index of the planted claim that it counts as.
        - criteria: a row for each judge, stage, planted claim that was found and criterion. leak:
          whether the circuit's evidence is offered for it.
        - truth, levels: of the planted claims, the score in each dimension, and the level of each
          criterion.
        - usage: a row for each judge and paper. unscored: criteria without a status, of n_criteria.
          quoted: quotes, of which quotes_found are in the text.
    """
    planted = {paper.paper: paper for paper in truth}
    known: dict[str, _Reference] = {}
    for name, listed_paper in listed.items():
        known[name] = _Reference(
            title=listed_paper.title,
            tier=listed_paper.expected_tier,
            source=listed_paper.label_source,
            cvs=None,
        )
    for planted_paper in truth:
        known[planted_paper.paper] = _reference(planted_paper)
    unknown = _Reference(title="", tier="", source="", cvs=None)

    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in COLUMNS}
    for record in records:
        reference = known.get(record.scores.paper, unknown)
        rows["papers"].append(_paper_row(record, reference))
        rows["runs"] += _run_rows(record, reference)

        paper = planted.get(record.scores.paper)
        match: dict[int, int] = {}
        if paper is not None:
            match = dict(match_planted(record.claims_as_judged(), paper, least_similarity))
            rows["criteria"] += _criterion_rows(record, paper, match)
        rows["claims"] += _claim_rows(record, match)
        rows["usage"].append(_usage_row(record))

    for paper in truth:
        rows["truth"] += _truth_rows(paper)
        for index in range(len(paper.claims)):
            rows["levels"] += _levels(paper, index)
    return {name: _table(rows[name], columns) for name, columns in COLUMNS.items()}


def _paper_row(records: PaperRecords, reference: _Reference) -> dict[str, Any]:
    """The row of `papers` of one judge and paper (`summarise`)."""
    scores = records.scores
    scores_of_others = []
    for index, scored in enumerate(scores.scored):
        if index != scores.main and scored.cvs is not None:
            scores_of_others.append(scored.cvs)
    singles = [score for score in scores.single_runs if score is not None]

    statuses: list[Status | None] = []
    if scores.main is not None:
        main = scores.claims[scores.main]
        statuses = [judgement.status for judgement in main.criteria.values()]

    off_by = None
    if scores.tier and reference.tier:
        off_by = tier_index(scores.tier) - tier_index(reference.tier)
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
        "off_by": off_by,
        "single_low": min(singles, default=None),
        "single_high": max(singles, default=None),
        "voted_cvs": scores.voted,
        "sub_low": min(scores_of_others, default=None),
        "sub_high": max(scores_of_others, default=None),
        "main_yes": statuses.count("YES") / len(CRITERIA) if statuses else None,
    }


def _reason(scores: Scores) -> str:
    """Why a paper has no score, in words; empty if it has one."""
    if scores.cvs is not None:
        return ""
    if scores.fault is not None:
        return f"{scores.fault.kind}: {scores.fault.message}"
    if scores.main is None and scores.claims:
        return "no system-level claim that most runs agree on"
    if scores.main is None:
        return "no claim that most runs agree on"
    judgements = scores.claims[scores.main].criteria.values()
    missing = sum(judgement.status is None for judgement in judgements)
    return f"{missing} of {len(CRITERIA)} criteria of the main claim have no status"


def _run_rows(records: PaperRecords, reference: _Reference) -> Iterator[dict[str, Any]]:
    """The rows of `runs` of one judge and paper: of each run, of the vote, and of the audit."""
    scores = records.scores
    stages = {}
    for run, score in zip(records.runs, scores.single_runs, strict=True):
        stages[f"run-{run.run}"] = score
    stages["voted"] = scores.voted
    stages["audited"] = scores.cvs
    for stage, score in stages.items():
        yield {
            **_judge_and_paper(scores),
            "stage": stage,
            "cvs": score,
            "expected_tier": reference.tier,
        }


def _claim_rows(records: PaperRecords, match: Mapping[int, int]) -> Iterator[dict[str, Any]]:
    """The rows of `claims` of one judge and paper.

    `match` has, by the index of a judged claim, the index of the planted claim that it counts as.
    """
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
    records: PaperRecords, paper: PlantedPaper, match: Mapping[int, int]
) -> Iterator[dict[str, Any]]:
    """The judged statuses of the planted claims at each stage; `claim` is the planted one's index.

    Every stage has the claims of the vote, so that only their statuses differ. `match` is that of
    `_claim_rows`; the rows are in the order of the planted claims.
    """
    judged_by_planted = {planted: judged for judged, planted in match.items()}
    for planted, judged in sorted(judged_by_planted.items()):
        for stage, claim in records.stages(judged):
            for row in _levels(paper, planted):
                status = claim.criteria[row["criterion"]].status
                yield {"judge": records.scores.judge, **row, "stage": stage, "status": status}


def _reference(paper: PlantedPaper) -> _Reference:
    """The title and tier of a planted paper; its CVS is the highest of its system-level claims."""
    score = max(cvs(claim.levels) for claim in paper.claims if claim.system)
    return _Reference(title=paper.title, tier=tier(score).name, source=PLANTED, cvs=score)


def _truth_rows(paper: PlantedPaper) -> Iterator[dict[str, Any]]:
    """The rows of `truth`: a planted claim and its score in each dimension."""
    for index, claim in enumerate(paper.claims):
        row: dict[str, Any] = {"paper": paper.paper, "claim": index, "system": claim.system}
        for dimension in DIMENSIONS:
            row[dimension.code] = dimension_score(dimension, claim.levels)
        yield row


def _levels(paper: PlantedPaper, index: int) -> Iterator[dict[str, Any]]:
    """The rows of `levels` of one planted claim: each criterion with its planted level."""
    claim = paper.claims[index]
    for code in CRITERIA:
        yield {
            "paper": paper.paper,
            "claim": index,
            "system": claim.system,
            "criterion": code,
            "truth": claim.levels[code],
            "leak": code in claim.leaks,
        }


def _usage_row(records: PaperRecords) -> dict[str, Any]:
    """The row of `usage` of one judge and paper: its cost, and how much of its output is usable."""
    statuses = []
    for claim in records.scores.claims:
        statuses += [claim.criteria[code].status for code in CRITERIA]

    # A span for each quote, None for one that is not in the text.
    quote_spans: list[tuple[int, int] | None] = []
    for run in records.runs:
        for claim in run.claims:
            for judgement in claim.criteria.values():
                quote_spans += judgement.quotes
    return {
        **_judge_and_paper(records.scores),
        **records.scores.usage.model_dump(),
        "unscored": sum(status not in STATUSES for status in statuses),
        "n_criteria": len(statuses),
        "quoted": len(quote_spans),
        "quotes_found": len(quote_spans) - quote_spans.count(None),
    }


def _judge_and_paper(scores: Scores) -> dict[str, str]:
    return {"judge": scores.judge, "paper": scores.paper}


def _table(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> pd.DataFrame:
    """The rows as a table.

    Missing text is the empty string, and a missing number NaN, even in a column without numbers.
    """
    table = pd.DataFrame(list(rows), columns=list(columns))
    for name in columns:
        if name in _TEXT:
            table[name] = table[name].fillna("")
        else:
            table[name] = pd.to_numeric(table[name], errors="raise")
    return table.astype({name: bool for name in _BOOLEANS if name in columns})
