"""Report one paper by all judges: a page, tables and scores."""

from pathlib import Path

from mechaware.claims.page.reports import paper_entries, write_report
from mechaware.claims.rubric.records import Audited, PaperText, Scores, Voted, read_record
from scripts.command import Output, run


def main(
    *,
    paper: str,
    title: str,
    scores: list[Path],
    voted: list[Path],
    audited: list[Path],
    flags: Path,
    judge_labels: dict[str, str],
    out: Output,
) -> None:
    """Write the report into the folder `out`."""
    entries = paper_entries(
        [read_record(Scores, path) for path in scores],
        [read_record(Voted, path) for path in voted],
        [read_record(Audited, path) for path in audited],
        read_record(PaperText, flags),
        judge_labels,
    )
    write_report(paper, title, entries, out)


if __name__ == "__main__":
    run(main)
