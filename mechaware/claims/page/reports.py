"""Collects the records of a judge or of a paper for a page, and writes the report of one paper."""

import json
from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import pandas as pd

from mechaware.claims.fetching.papers import Paper
from mechaware.claims.judges.language_model.prompts import Guide
from mechaware.claims.page.evidence import Place, Use, describe_place, marked_text, unwrapped
from mechaware.claims.page.html_page import UNSCORED, Entry, mark_controls, render_page, render_text
from mechaware.claims.page.review import render_review, score_line
from mechaware.claims.page.trust import A_FLOOR
from mechaware.claims.planting.plan import PlantedPaper
from mechaware.claims.rubric.criteria import CRITERIA, DIMENSIONS
from mechaware.claims.rubric.records import Audited, PaperText, Scores, Voted
from mechaware.claims.study.summaries import match_planted
from mechaware.files import atomic_write
from mechaware.frames import write_csv

T = TypeVar("T", Scores, Voted, Audited, PaperText)

FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet takes a cell that begins so for a formula


def judge_entries(
    scores: Sequence[Scores],
    voted: Sequence[Voted],
    audited: Sequence[Audited],
    texts: Sequence[PaperText],
    papers: Mapping[str, Paper],
    summary: pd.DataFrame,
    *,
    rules: bool,
    trust: str,
) -> list[Entry]:
    """One judge's records by paper, in the order of `scores`.

    `papers` is the list of papers, which has no planted ones; `summary` has the title, expected_tier and label_source
    of every paper. `rules` and `trust` are the judge's, as in `Entry`.
    """
    columns = ["title", "expected_tier", "label_source"]
    lines = summary.drop_duplicates("paper").set_index("paper")[columns].astype(object).fillna("")
    entries = []
    for record in scores:
        line = lines.loc[record.paper]
        listed = papers.get(record.paper)
        entries.append(
            Entry(
                title=str(line["title"]) or record.paper,
                note=f"{record.paper} · {_source(listed)}" if listed else record.paper,
                expected=str(line["expected_tier"]) or None,
                label_source=str(line["label_source"]),
                rules=rules,
                trust=trust,
                content="",
                truth={},
                scores=record,
                voted=_record_of("paper", record.paper, voted),
                audited=_record_of("paper", record.paper, audited),
                text=_record_of("paper", record.paper, texts),
            )
        )
    return entries


def paper_entries(
    scores: Sequence[Scores],
    voted: Sequence[Voted],
    audited: Sequence[Audited],
    text: PaperText,
    content: str,
    planted: PlantedPaper | None,
    least_similarity: float,
    judge_labels: Mapping[str, str],
    rule_judges: Container[str],
    trust: Mapping[str, str],
) -> list[Entry]:
    """One paper's records by judge, in the order of `judge_labels`.

    `content` is the paper's text, `trust` is by judge, as in `Entry`. `planted` is what a planted paper was written
    from; a judge's claim is one of its claims if they are similar by `least_similarity` (see `votes.voting`).
    """
    entries = []
    for judge, label in judge_labels.items():
        record = _record_of("judge", judge, scores)
        pairs = match_planted(record.claims, planted, least_similarity) if planted else []
        entries.append(
            Entry(
                title=label,
                note=judge,
                expected=planted.tier if planted else None,
                label_source="as planted" if planted else "",
                rules=judge in rule_judges,
                trust=trust[judge],
                content=content,
                truth={index: planted.claims[same].levels for index, same in pairs} if planted else {},
                scores=record,
                voted=_record_of("judge", judge, voted),
                audited=_record_of("judge", judge, audited),
                text=text,
            )
        )
    return entries


def write_report(title: str, entries: Sequence[Entry], guides: Mapping[str, Guide], folder: Path) -> None:
    """Write the folder of one paper, whole or not at all.

    It has two pages, review.md, claims.csv, criteria.csv, scores.json and summary.txt. In the tables, text that a
    spreadsheet would take for a formula has an apostrophe before it.
    """
    judges = f"{len(entries)} judges say" if len(entries) > 1 else f"{len(entries)} judge says"
    lead = f"What {judges} about the evidence in this paper."
    marked = marked_text(unwrapped(str(mark_controls(entries[0].content))), _uses(entries))
    with atomic_write(folder) as partial:
        partial.mkdir()
        page = render_page(title, lead, entries, entry_name="judge", guides=guides)
        (partial / "index.html").write_text(page, encoding="utf-8")
        (partial / "text.html").write_text(render_text(title, marked), encoding="utf-8")
        (partial / "review.md").write_text(render_review(title, entries, guides), encoding="utf-8")
        write_csv(pd.DataFrame(_claim_rows(entries), columns=_CLAIM_COLUMNS).map(_inert), partial / "claims.csv")
        write_csv(pd.DataFrame(_criterion_rows(entries), columns=_COLUMNS).map(_inert), partial / "criteria.csv")
        (partial / "summary.txt").write_text("".join(map(summary, entries)), encoding="utf-8")
        by_judge = {entry.scores.judge: entry.scores.model_dump(mode="json") for entry in entries}
        (partial / "scores.json").write_text(json.dumps(by_judge, indent=1) + "\n", encoding="utf-8")


def summary(entry: Entry) -> str:
    """The score of a judge's paper in a line, and in another what it is worth."""
    return f"{entry.title}: {score_line(entry)}\n  {f'{A_FLOOR}; ' if entry.rules else ''}{entry.trust}\n"


_CODES = [dimension.code for dimension in DIMENSIONS]
_CLAIM_COLUMNS = ["judge", "claim", "main", "system", "statement", "components", "cvs", "low", "high", "tier"]
_CLAIM_COLUMNS += [*_CODES, "next_tier"]
_COLUMNS = ["judge", "claim", "criterion", "name", "status", "votes", "evidence", "quotes", "quotes_found"]


def _claim_rows(entries: Sequence[Entry]) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    for entry in entries:
        for index, (claim, scored) in enumerate(zip(entry.scores.claims, entry.scores.scored, strict=True)):
            labels = (entry.scores.judge, index, index == entry.scores.main, claim.system)
            score = (scored.cvs, scored.low, scored.high, scored.tier, *(scored.dimensions[code] for code in _CODES))
            rows.append((*labels, claim.statement, "; ".join(claim.components), *score, "; ".join(scored.next_tier)))
    return rows


def _criterion_rows(entries: Sequence[Entry]) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    for entry in entries:
        for index, claim in enumerate(entry.scores.claims):
            for code, name in CRITERIA.items():
                judged = claim.criteria[code]
                votes = " ".join(vote or UNSCORED for vote in judged.votes)
                located = sum(place is not None for place in judged.quotes)
                status = judged.status or UNSCORED
                labels = (entry.scores.judge, index, code, name)
                rows.append((*labels, status, votes, judged.evidence, len(judged.quotes), located))
    return rows


def _source(paper: Paper) -> str:
    """Where a paper comes from; of a local file the name alone, not its place on a user's disk."""
    return f"{paper.source} {Path(paper.location).name if paper.source == 'file' else paper.location}"


def _uses(entries: Sequence[Entry]) -> dict[Place, list[Use]]:
    """What each quote that was found is evidence for, in the order of the page of scores."""
    uses: dict[Place, list[Use]] = {}
    for number, entry in enumerate(entries, 1):
        for index, claim in enumerate(entry.scores.claims, 1):
            name = f"claim {index}" if len(entries) == 1 else f"{entry.title}, claim {index}"
            for code in CRITERIA:
                for place in filter(None, claim.criteria[code].quotes):
                    address = f"index.html#entry-{number}-claim-{index}-{code}"
                    where = describe_place(place, entry.content, entry.text)
                    uses.setdefault(place, []).append(Use(name, code, address, where))
    return uses


def _inert(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell


def _record_of(field: str, name: str, records: Sequence[T]) -> T:
    """The record of a paper or a judge."""
    return next(record for record in records if getattr(record, field) == name)
