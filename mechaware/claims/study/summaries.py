"""Small tables from the records of all judges and papers and from the planted truth, for tables and figures to read."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import pandas as pd

from mechaware.claims.fetching.papers import Paper
from mechaware.claims.planting.planting import PlantedClaim, PlantedPaper
from mechaware.claims.rubric.criteria import CRITERIA, DIMENSIONS, STATUSES
from mechaware.claims.rubric.records import Audited, Claim, Judgement, Run, Scores, Voted
from mechaware.claims.rubric.scoring import cvs, dimension_score, main_claim, score_claim, tier, tier_index
from mechaware.claims.study.agreement import spread
from mechaware.claims.votes.audit import mark_system_claims
from mechaware.claims.votes.matching import match_claims
from mechaware.claims.votes.voting import vote

PLANTED = "planted"  # the label source of planted papers
CODES = tuple(dimension.code for dimension in DIMENSIONS)
COLUMNS = {
    "papers": "judge paper title status reason n_claims cvs tier expected_tier label_source expected_cvs off_by "
    "single_low single_high voted_cvs sub_low sub_high downgrades",
    "runs": "judge paper stage cvs tier expected_tier",
    "spread": "judge paper runs single_range single_sd votes vote_range vote_sd",
    "claims": f"judge paper claim main system statement n_components cvs low high tier {' '.join(CODES)} truth_claim "
    "truth_cvs",
    "criteria": "judge paper claim system criterion stage status truth leak",
    "truth": f"paper title claim system statement cvs tier {' '.join(CODES)}",
    "levels": "paper claim system criterion truth leak",
    "usage": "judge label paper calls prompt_tokens completion_tokens cost unscored n_criteria failed_audits",
}
WHOLE = dict.fromkeys(("n_claims", "off_by", "truth_claim", "downgrades", *CODES), "Int64")


class Reference(NamedTuple):
    """What is known of a paper before it is judged; empty or None where nothing is."""

    title: str
    tier: str
    source: str
    cvs: float | None


class Records(NamedTuple):
    """The records of one judge about one paper; runs in order."""

    scores: Scores
    voted: Voted
    audited: Audited
    runs: list[Run]

    def stages(self) -> Iterator[tuple[str, list[Claim]]]:
        """The claims after each stage."""
        for run in self.runs:
            yield f"run-{run.run}", run.claims
        yield "voted", self.voted.claims
        yield "audited", self.scores.claims


def by_paper(
    scores: Iterable[Scores], voted: Iterable[Voted], audited: Iterable[Audited], runs: Iterable[Run]
) -> list[Records]:
    """The records put together by judge and paper, in the order of the scores."""
    votes = {(record.judge, record.paper): record for record in voted}
    audits = {(record.judge, record.paper): record for record in audited}
    extracted: dict[tuple[str, str], list[Run]] = {}
    for run in sorted(runs, key=lambda run: run.run):
        extracted.setdefault((run.judge, run.paper), []).append(run)
    places = (((record.judge, record.paper), record) for record in scores)
    return [Records(record, votes[place], audits[place], extracted[place]) for place, record in places]


def summarise(
    records: Sequence[Records],
    truth: Sequence[PlantedPaper],
    listed: Mapping[str, Paper],
    labels: Mapping[str, str],
    *,
    least_similarity: float,
) -> dict[str, pd.DataFrame]:
    """The tables named in `COLUMNS`.

    `listed` is the list of papers; a planted paper is known by its truth. `labels` name the
    judges in words. Found claims are taken to be planted ones if they are at least so similar.
    """
    planted = {paper.paper: paper for paper in truth}
    known = {
        name: Reference(paper.title, paper.expected_tier, paper.label_source, None) for name, paper in listed.items()
    } | {paper.paper: _reference(paper) for paper in truth}
    unknown = Reference("", "", "", None)
    pairs = [(one, known.get(one.scores.paper, unknown)) for one in records]
    with_truth = [(one, planted[one.scores.paper]) for one in records if one.scores.paper in planted]
    rows: dict[str, list[dict[str, Any]]] = {
        "papers": [_paper_row(one, reference) for one, reference in pairs],
        "runs": [row for one, reference in pairs for row in _run_rows(one, reference)],
        "spread": [_spread_row(one, least_similarity) for one in records],
        "claims": [row for one in records for row in _claim_rows(one, planted, least_similarity)],
        "criteria": [row for one, paper in with_truth for row in _criterion_rows(one, paper, least_similarity)],
        "truth": [row for paper in truth for row in _truth_rows(paper)],
        "levels": [row for paper in truth for row in _level_rows(paper)],
        "usage": [_usage_row(one, labels) for one in records],
    }
    return {name: _table(rows[name], columns.split()) for name, columns in COLUMNS.items()}


def _paper_row(one: Records, reference: Reference) -> dict[str, Any]:
    scores = one.scores
    others = [scored.cvs for claim, scored in enumerate(scores.scored) if claim != scores.main]
    found = [score for score in others if score is not None]
    singles = [score for score in scores.single_runs if score is not None]
    compared = scores.tier is not None and reference.tier != ""
    return {
        **_place(scores),
        "title": reference.title,
        "status": "unscored" if scores.cvs is None else "scored",
        "reason": _reason(scores),
        "n_claims": len(scores.claims),
        "cvs": scores.cvs,
        "tier": scores.tier,
        "expected_tier": reference.tier,
        "label_source": reference.source,
        "expected_cvs": reference.cvs,
        "off_by": tier_index(scores.tier) - tier_index(reference.tier) if scores.tier and compared else None,
        "single_low": min(singles, default=None),
        "single_high": max(singles, default=None),
        "voted_cvs": scores.voted,
        "sub_low": min(found, default=None),
        "sub_high": max(found, default=None),
        "downgrades": len(one.audited.downgrades),
    }


def _reason(scores: Scores) -> str:
    if scores.cvs is not None:
        return ""
    if scores.fault is not None:
        return f"{scores.fault.kind}: {scores.fault.message}"
    if scores.main is None:
        return "no claim has a score"
    missing = sum(judgement.status is None for judgement in scores.claims[scores.main].criteria.values())
    return f"{missing} of {len(CRITERIA)} criteria of the main claim have no status"


def _run_rows(one: Records, reference: Reference) -> Iterator[dict[str, Any]]:
    scores = one.scores
    stages = [(f"run-{run.run}", score) for run, score in zip(one.runs, scores.single_runs, strict=True)]
    for stage, score in [*stages, ("voted", scores.voted), ("audited", scores.cvs)]:
        reached = None if score is None else tier(score).name
        yield {**_place(scores), "stage": stage, "cvs": score, "tier": reached, "expected_tier": reference.tier}


def _spread_row(one: Records, least_similarity: float) -> dict[str, Any]:
    """The spread of the single runs' CVS beside that of votes: the vote over all runs but one, leaving out each.

    One vote over all runs has no spread of its own (our definition; needs three scored runs).
    """
    scored = [run for run in one.runs if run.fault is None]
    singles = spread([score for score in one.scores.single_runs if score is not None])
    subsets = combinations(scored, len(scored) - 1) if len(scored) > 2 else ()
    cast = [_paper_cvs(vote(subset, least_similarity=least_similarity).claims) for subset in subsets]
    votes = spread([score for score in cast if score is not None])
    return {
        **_place(one.scores),
        "runs": singles.n,
        "single_range": singles.range,
        "single_sd": singles.sd,
        "votes": votes.n,
        "vote_range": votes.range,
        "vote_sd": votes.sd,
    }


def _paper_cvs(claims: Sequence[Claim]) -> float | None:
    marked = mark_system_claims(claims)
    main = main_claim(marked)
    return None if main is None else score_claim(marked[main]).cvs


def _claim_rows(one: Records, planted: Mapping[str, PlantedPaper], least_similarity: float) -> Iterator[dict[str, Any]]:
    scores = one.scores
    paper = planted.get(scores.paper)
    match = dict(_matched(scores.claims, paper, least_similarity)) if paper else {}
    for index, (claim, scored) in enumerate(zip(scores.claims, scores.scored, strict=True)):
        same = paper.claims[match[index]] if paper and index in match else None
        yield {
            **_place(scores),
            "claim": index,
            "main": index == scores.main,
            "system": bool(claim.system),
            "statement": claim.statement,
            "n_components": len(claim.components),
            "cvs": scored.cvs,
            "low": scored.low,
            "high": scored.high,
            "tier": scored.tier,
            **scored.dimensions,
            "truth_claim": match.get(index),
            "truth_cvs": None if same is None else cvs(same.levels),
        }


def _criterion_rows(one: Records, paper: PlantedPaper, least_similarity: float) -> Iterator[dict[str, Any]]:
    """`claim` is the planted claim's index, so that the stages can be compared."""
    for stage, claims in one.stages():
        for found, index in sorted(_matched(claims, paper, least_similarity), key=lambda pair: pair[1]):
            for row in _levels(paper, index):
                status = claims[found].criteria[row["criterion"]].status
                yield {"judge": one.scores.judge, **row, "stage": stage, "status": status}


def _matched(claims: Sequence[Claim], paper: PlantedPaper, least_similarity: float) -> list[tuple[int, int]]:
    """The found claims that are taken to be planted ones: index of the found, index of the planted."""
    groups = match_claims([claims, list(map(_as_claim, paper.claims))], least_similarity=least_similarity)
    return [(found, truth) for found, truth in groups if found is not None and truth is not None]


def _as_claim(claim: PlantedClaim) -> Claim:
    return Claim(
        statement=claim.statement,
        description_mode=claim.description_mode,
        evidence_families=list(claim.evidence_families),
        components=list(claim.components),
        criteria={code: Judgement(status=claim.levels[code]) for code in CRITERIA},
    )


def _reference(paper: PlantedPaper) -> Reference:
    score = max(cvs(claim.levels) for claim in paper.claims if claim.system)
    return Reference(paper.title, tier(score).name, PLANTED, score)


def _truth_rows(paper: PlantedPaper) -> Iterator[dict[str, Any]]:
    for index, claim in enumerate(paper.claims):
        score = cvs(claim.levels)
        yield {
            "paper": paper.paper,
            "title": paper.title,
            "claim": index,
            "system": claim.system,
            "statement": claim.statement,
            "cvs": score,
            "tier": tier(score).name,
            **{dimension.code: dimension_score(dimension, claim.levels) for dimension in DIMENSIONS},
        }


def _level_rows(paper: PlantedPaper) -> Iterator[dict[str, Any]]:
    for index in range(len(paper.claims)):
        yield from _levels(paper, index)


def _levels(paper: PlantedPaper, index: int) -> Iterator[dict[str, Any]]:
    claim = paper.claims[index]
    for code in CRITERIA:
        row = {"paper": paper.paper, "claim": index, "system": claim.system, "criterion": code}
        yield {**row, "truth": claim.levels[code], "leak": code in claim.leaks}


def _usage_row(one: Records, labels: Mapping[str, str]) -> dict[str, Any]:
    statuses = [claim.criteria[code].status for claim in one.scores.claims for code in CRITERIA]
    judge = one.scores.judge
    return {
        **_place(one.scores),
        "label": labels.get(judge, judge),
        **one.scores.usage.model_dump(),
        "unscored": sum(status not in STATUSES for status in statuses),
        "n_criteria": len(statuses),
        "failed_audits": int(one.audited.audit_fault is not None),
    }


def _place(scores: Scores) -> dict[str, str]:
    return {"judge": scores.judge, "paper": scores.paper}


def _table(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> pd.DataFrame:
    table = pd.DataFrame(list(rows), columns=list(columns))
    return table.astype({column: kind for column, kind in WHOLE.items() if column in columns})
