"""One paper by one judge, as pages show it: its records, and what they say in words."""

from collections.abc import Container, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from mechaware.claims.fetching.papers import Paper
from mechaware.claims.page.evidence import Piece, split_notes, split_quotes
from mechaware.claims.page.trust import A_FLOOR
from mechaware.claims.planting.plan import PlantedPaper
from mechaware.claims.rubric.criteria import CRITERIA, TIERS, Flag, Tier, tier_index
from mechaware.claims.rubric.records import Audited, PaperText, Scored, Scores, Voted
from mechaware.claims.study.summaries import match_planted

UNSCORED = "unscored"
FLAG_TITLES: Mapping[Flag, str] = {
    "NO_VARIANCE_REPORTED": "No spread reported",
    "HIDDEN_TEXT": "Hidden text",
    "ADDRESSES_JUDGE": "Words to the judge",
}
RANKS = ("lowest", "second lowest", "middle", "second highest", "highest")

Records = tuple[Scores, Voted, Audited, PaperText]


class Entry(NamedTuple):
    """The records of one paper by one judge, under the heading and with the expected tier that the page shows."""

    title: str
    note: str  # beside the title: the paper's identifier and source, or the judge's name
    expected: str | None
    label_source: str
    rules: bool  # whether the judge follows rules: then all runs are one
    trust: str  # what the judge got right where the truth is known
    content: str  # the paper's text, if the folder of the page holds it for quotes to link to
    truth: Mapping[int, Mapping[str, str]]  # of a planted paper: by claim and criterion, the status that was planted
    scores: Scores
    voted: Voted
    audited: Audited
    text: PaperText


def judge_entries(
    records: Iterable[Records], papers: Mapping[str, Paper], summary: pd.DataFrame, *, rules: bool, trust: str
) -> list[Entry]:
    """One judge's records, paper by paper.

    `papers` is the list of papers, which has no planted ones; `summary` has the title, expected_tier and label_source
    of every paper. `rules` and `trust` are the judge's, as in `Entry`.
    """
    columns = ["title", "expected_tier", "label_source"]
    lines = summary.drop_duplicates("paper").set_index("paper")[columns].astype(object).fillna("")
    entries = []
    for of_paper in records:
        paper = of_paper[0].paper
        title, expected, label_source = map(str, lines.loc[paper])
        note = f"{paper} · {_source(papers[paper])}" if paper in papers else paper
        entries.append(Entry(title or paper, note, expected or None, label_source, rules, trust, "", {}, *of_paper))
    return entries


def paper_entries(
    records: Iterable[Records],
    content: str,
    planted: PlantedPaper | None,
    least_similarity: float,
    judge_labels: Mapping[str, str],
    rule_judges: Container[str],
    trust: Mapping[str, str],
) -> list[Entry]:
    """One paper's records, judge by judge.

    `content` is the paper's text, `trust` is by judge, as in `Entry`. `planted` is what a planted paper was written
    from; a judge's claim is one of its claims if they are similar by `least_similarity` (see `votes.voting`).
    """
    entries = []
    for of_judge in records:
        judge, truth = of_judge[0].judge, {}
        if planted:
            pairs = match_planted(of_judge[0].claims, planted, least_similarity)
            truth = {index: planted.claims[same].levels for index, same in pairs}
        expected = (planted.tier, "as planted") if planted else (None, "")
        worth = (judge in rule_judges, trust[judge])
        entries.append(Entry(judge_labels[judge], judge, *expected, *worth, content, truth, *of_judge))
    return entries


def _source(paper: Paper) -> str:
    """Where a paper comes from; of a local file the name alone, not its place on a user's disk."""
    return f"{paper.source} {Path(paper.location).name if paper.source == 'file' else paper.location}"


def summary_line(entry: Entry) -> str:
    """The score of the paper in words: "CVS 3.1, Causally Suggestive (second lowest of 5 tiers, 2.0 to 3.9)"."""
    scores = entry.scores
    if scores.fault is not None:
        return f"not scored ({scores.fault.kind}: {scores.fault.message})"
    return "no claim found" if scores.main is None else claim_score(scores.scored[scores.main])


def claim_score(scored: Scored) -> str:
    """The score of a claim in words."""
    score = f"CVS {scored.cvs:.1f}" if scored.cvs is not None else f"CVS {scored.low:.1f} to {scored.high:.1f}"
    return f"{score}, {f'{scored.tier} ({tier_place(scored.tier)})' if scored.tier else 'tier open'}"


def worth(entry: Entry) -> str:
    """How far to trust the score."""
    return f"{A_FLOOR}; {entry.trust}" if entry.rules else entry.trust


def evidence_of(entry: Entry, index: int, code: str) -> tuple[list[str], list[Piece], str]:
    """The notes on a criterion of a claim, its evidence in pieces, and the quotes found if it is unclear which."""
    judgement = entry.scores.claims[index].criteria[code]
    downgrades = [one for one in entry.audited.downgrades if (one.claim, one.criterion) == (index, code)]
    notes, evidence = split_notes(judgement.evidence, downgrades)
    return notes, *split_quotes(evidence, judgement.quotes)


def votes_of(entry: Entry, index: int, code: str) -> list[str]:
    """What each run said on a criterion of a claim, or that it lacks the claim."""
    claim = entry.scores.claims[index]
    cast = iter(claim.criteria[code].votes)
    statuses = ["lacks the claim" if place is None else next(cast) or UNSCORED for place in claim.runs]
    return [f"run {run} {status}" for run, status in zip(entry.voted.scored_runs, statuses, strict=True)]


def next_steps(scored: Scored) -> list[str]:
    """The criteria to raise for the next tier, with their names."""
    steps = (step.split(": ", 1) for step in scored.next_tier)
    return [f"{code} {CRITERIA[code]}: {change.replace('->', '→')}" for code, change in steps]


def faults_of(entry: Entry) -> list[str]:
    """The faults of the paper with the first stage of each, and the number of unusable runs."""
    stages = {
        "text": entry.text.fault,
        "vote": entry.voted.fault,
        "audit": entry.audited.audit_fault,
        "scores": entry.scores.fault,
    }
    first_stages: dict[str, str] = {}
    for stage, fault in stages.items():
        if fault is not None:
            first_stages.setdefault(f"{fault.kind}: {fault.message}", stage)
    missing = entry.voted.runs - len(entry.voted.scored_runs)
    unusable = [f"vote: {missing} of {entry.voted.runs} runs gave no usable reply"] if missing else []
    return [*(f"{stage}: {message}" for message, stage in first_stages.items()), *unusable]


def notes_of(entry: Entry) -> list[str]:
    """What a reader must know before the claims: faults, flags, why there is no claim, and the notes of the vote."""
    return [*faults_of(entry), *(FLAG_TITLES[flag] for flag in entry.text.flags), *no_claim(entry), *entry.voted.notes]


def no_claim(entry: Entry) -> list[str]:
    """Why there is no claim, where no fault says it; empty where there is one."""
    if entry.scores.claims or entry.scores.fault is not None:
        return []
    if entry.voted.dropped:
        return ["No claim found: each of those that a run found was found by fewer than half of the runs."]
    return [
        "No claim found. The judge saw no claim about a mechanism inside a model. Position papers, surveys and papers "
        "on methods often make none; a strong judge may find what this one missed."
    ]


def middle(name: str) -> float:
    """The CVS in the middle of a tier."""
    bounds = [*(tier.boundary for tier in TIERS), 10.0]
    rank = tier_index(name)
    return (bounds[rank] + bounds[rank + 1]) / 2


def tier_range(name: str) -> str:
    """The scores of a tier, with one decimal as they are shown: 0 to 1.9, 2.0 to 3.9."""
    rank = tier_index(name)
    least = f"{TIERS[rank].boundary:.1f}" if rank else "0"
    return f"{least} to 10" if TIERS[rank] is TIERS[-1] else f"{least} to {TIERS[rank + 1].boundary - 0.1:.1f}"


def tier_place(name: str) -> str:
    """A tier's rank in words and its range of scores: "middle of 5 tiers, 4.0 to 5.9"."""
    return f"{RANKS[tier_index(name)]} of {len(TIERS)} tiers, {tier_range(name)}"


def next_tier(score: float) -> Tier:
    """The tier above the one of a score below the highest. Raises StopIteration for the highest."""
    return next(tier for tier in TIERS if tier.boundary > score)
