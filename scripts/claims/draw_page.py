"""Draw one HTML page with all judgements of a judge."""

from pathlib import Path

import pandas as pd

from mechaware.claims.fetching.papers import read_papers
from mechaware.claims.judges.language_model.prompts import Prompts
from mechaware.claims.page.html_page import render_page
from mechaware.claims.page.reports import judge_entries
from mechaware.claims.page.trust import merge_notes, responses_to_edits, trust_lines
from mechaware.claims.rubric.records import Audited, PaperText, Scores, Voted, read_record
from mechaware.claims.schemas import PLANTED, TRUSTED_CRITERIA
from mechaware.files import atomic_write
from mechaware.frames import read_csv
from scripts.command import Output, run


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
    """Write the page; the papers have the order of `scores`. `trust` is the judge's trust report, if there is one."""
    lines = merge_notes(
        [judge],
        trust_lines([read_csv(planted, PLANTED)], [judge]),
        responses_to_edits(read_csv(report / "criteria.csv", TRUSTED_CRITERIA) for report in trust),
    )
    entries = judge_entries(
        [read_record(Scores, path) for path in scores],
        [read_record(Voted, path) for path in voted],
        [read_record(Audited, path) for path in audited],
        [read_record(PaperText, path) for path in flags],
        read_papers(papers),
        pd.read_parquet(summary),
        rules=rules,
        trust=lines[judge],
    )
    lead = f"What the judge {judge} says about the evidence in {len(entries)} papers."
    guides = Prompts.load(prompts).criteria
    with atomic_write(out) as partial:
        partial.write_text(render_page(label, lead, entries, entry_name="paper", guides=guides), encoding="utf-8")


if __name__ == "__main__":
    run(main)
