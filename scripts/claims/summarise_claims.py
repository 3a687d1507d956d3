"""Summarise the records of all judges and papers in small tables."""

from pathlib import Path

from mechaware.core.frames import write_parquet
from mechaware.instruments.claims.fetching.papers import read_papers
from mechaware.instruments.claims.rubric.records import Run, Scores, Voted, read_record
from mechaware.planted.papers.plan import PlantedPaper
from mechaware.planted.papers.summaries import group_by_paper, summarise
from scripts.command import Output


def main(
    *,
    scores: list[Path],
    voted: list[Path],
    runs: list[Path],
    truth: list[Path],
    papers: Path,
    least_similarity: float,
    tables: list[Output],
) -> None:
    """Write the tables, each named as its file in `tables`."""
    records = group_by_paper(
        [read_record(Scores, path) for path in scores],
        [read_record(Voted, path) for path in voted],
        [read_record(Run, path) for path in runs],
    )
    planted = [read_record(PlantedPaper, path) for path in truth]
    summary = summarise(records, planted, read_papers(papers), least_similarity=least_similarity)
    for path in tables:
        write_parquet(summary[path.stem], path, digits=10)
