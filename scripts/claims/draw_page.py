"""Draw the HTML page with a judge's judgements of all its papers."""

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
    """Write the page of the judge named `judge`, which is headed by its `label`.

    - `scores`, `voted`, `audited`, `flags`: four records of each paper, in the same order of
      papers. A paper's flags.json is its record `PaperText`.
    - `papers`: the list of papers. `summary`: their titles and expected tiers.
    - `prompts`: the judge's prompts, whose criteria the page explains.
    - `planted`: how well each judge scores planted papers. `trust`: the judge's trust report, or
      nothing.
    - `rules`: whether the judge follows keyword rules.
    """
    records = []
    for scores_file, voted_file, audited_file, flags_file in zip(
        scores, voted, audited, flags, strict=True
    ):
        records_of_paper = Records(
            scores=read_record(Scores, scores_file),
            voted=read_record(Voted, voted_file),
            audited=read_record(Audited, audited_file),
            text=read_record(PaperText, flags_file),
        )
        records.append(records_of_paper)

    planted_tables = [read_csv(planted, PLANTED)]
    trust_tables = [read_csv(report / "criteria.csv", TRUSTED_CRITERIA) for report in trust]
    trust_line = trust_lines([judge], planted_tables, trust_tables)[judge]
    entries = judge_entries(
        records, read_papers(papers), pd.read_parquet(summary), rules=rules, trust=trust_line
    )
    entries = with_vote_advice(entries, planted_tables)

    lead = f"What the judge {judge} says about the evidence in {len(entries)} papers."
    guides = Prompts.load(prompts).criteria
    html = render_page(label, lead, entries, entry_name="paper", guides=guides)
    with atomic_write(out) as partial:
        partial.write_text(html, encoding="utf-8")
