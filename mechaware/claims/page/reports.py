"""Collects the records of a judge or of a paper for a page, and writes the report of one paper."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import pandas as pd

from mechaware.claims.fetching.papers import Paper
from mechaware.claims.page.html_page import UNSCORED, Entry, render_page
from mechaware.claims.rubric.criteria import CRITERIA, DIMENSIONS
from mechaware.claims.rubric.records import Audited, PaperText, Scores, Voted
from mechaware.files import replacing
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
) -> list[Entry]:
    """One judge's records by paper, in the order of `scores`.

    `papers` is the list of papers, which has no planted ones; `summary` has the title, expected_tier and label_source
    of every paper.
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
                note=f"{record.paper} · {listed.source} {listed.location}" if listed else record.paper,
                expected=str(line["expected_tier"]) or None,
                label_source=str(line["label_source"]),
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
    judge_labels: Mapping[str, str],
) -> list[Entry]:
    """One paper's records by judge, in the order of `judge_labels`."""
    return [
        Entry(
            title=label,
            note=judge,
            expected=None,
            label_source="",
            scores=_record_of("judge", judge, scores),
            voted=_record_of("judge", judge, voted),
            audited=_record_of("judge", judge, audited),
            text=text,
        )
        for judge, label in judge_labels.items()
    ]


def write_report(paper: str, title: str, entries: Sequence[Entry], folder: Path) -> None:
    """Write the folder: index.html, claims.csv, criteria.csv and scores.json, whole or not at all.

    In the tables, text that a spreadsheet would take for a formula has an apostrophe before it.
    """
    lead = f"What {len(entries)} judges say about the evidence in the paper {paper}."
    with replacing(folder) as partial:
        partial.mkdir()
        page = render_page(title, lead, entries, entry_name="judge")
        (partial / "index.html").write_text(page, encoding="utf-8")
        write_csv(pd.DataFrame(_claim_rows(entries), columns=_CLAIM_COLUMNS).map(_inert), partial / "claims.csv")
        write_csv(pd.DataFrame(_criterion_rows(entries), columns=_COLUMNS).map(_inert), partial / "criteria.csv")
        by_judge = {entry.scores.judge: entry.scores.model_dump(mode="json") for entry in entries}
        (partial / "scores.json").write_text(json.dumps(by_judge, indent=1) + "\n", encoding="utf-8")


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


def _inert(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell


def _record_of(field: str, name: str, records: Sequence[T]) -> T:
    """The record of a paper or a judge."""
    return next(record for record in records if getattr(record, field) == name)
