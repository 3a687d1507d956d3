"""Draw one HTML page with all judgements of a judge."""

from pathlib import Path

import pandas as pd

from exhibits.claims.schemas import PLANTED, TRUSTED_CRITERIA
from mechaware.core.files import atomic_write
from mechaware.core.frames import read_csv
from mechaware.instruments.claims.fetching.papers import read_papers
from mechaware.instruments.claims.judges.language_model.prompts import Prompts
from mechaware.instruments.claims.rubric.records import (
    Audited,
    PaperText,
    Scores,
    Voted,
    read_record,
)
from mechaware.verdicts.paper.entries import Records, judge_entries, trust_lines
from mechaware.verdicts.paper.html_page import render_page
from mechaware.verdicts.paper.votes import with_vote_advice
from scripts.command import Output


def main(
    *,
    judge: str,
    label: str,
    scores: list[Path],
    voted: list[Path],
    audited: list[Path],
    flags: list[Path],
    papers: Path,
    summary: Path,
    prompts: list[Path],
    planted: Path,
    trust: list[Path],
    rules: bool,
    out: Output,
) -> None:
    """Write the page; the records are in the same order of papers.

    `trust` is the judge's trust report, if any.
    """
    records = []
    for scored, vote, audit, about in zip(scores, voted, audited, flags, strict=True):
        records_of_paper = Records(
            scores=read_record(Scores, scored),
            voted=read_record(Voted, vote),
            audited=read_record(Audited, audit),
            text=read_record(PaperText, about),
        )
        records.append(records_of_paper)

    on_planted = [read_csv(planted, PLANTED)]
    on_edits = [read_csv(report / "criteria.csv", TRUSTED_CRITERIA) for report in trust]
    lines_on_trust = trust_lines([judge], on_planted, on_edits)[judge]
    entries = judge_entries(
        records, read_papers(papers), pd.read_parquet(summary), rules=rules, trust=lines_on_trust
    )
    entries = with_vote_advice(entries, on_planted)

    lead = f"What the judge {judge} says about the evidence in {len(entries)} papers."
    guides = Prompts.load(prompts).criteria
    html = render_page(label, lead, entries, entry_name="paper", guides=guides)
    with atomic_write(out) as partial:
        partial.write_text(html, encoding="utf-8")
