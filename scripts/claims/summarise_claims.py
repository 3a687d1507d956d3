"""Summarise the records of all judges and papers in small tables."""

from pathlib import Path

from mechaware.claims.fetching.papers import read_papers
from mechaware.claims.planting.plan import PlantedPaper
from mechaware.claims.rubric.records import Audited, Run, Scores, Voted, read_record
from mechaware.claims.study.summaries import group_by_paper, summarise
from mechaware.files import replacing
from mechaware.frames import write_csv
from scripts.command import Output, run


def main(
    *,
    scores: list[Path],
    voted: list[Path],
    audited: list[Path],
    runs: list[Path],
    truth: list[Path],
    papers: Path,
    judge_labels: dict[str, str],
    least_similarity: float,
    out: Output,
) -> None:
    """Write one CSV per table into the folder `out`."""
    records = group_by_paper(
        [read_record(Scores, path) for path in scores],
        [read_record(Voted, path) for path in voted],
        [read_record(Audited, path) for path in audited],
        [read_record(Run, path) for path in runs],
    )
    planted = [read_record(PlantedPaper, path) for path in truth]
    tables = summarise(records, planted, read_papers(papers), judge_labels, least_similarity=least_similarity)
    with replacing(out) as folder:
        for name, table in tables.items():
            write_csv(table, folder / f"{name}.csv")


if __name__ == "__main__":
    run(main)
