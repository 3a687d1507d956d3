"""Report one paper by all judges: a page, tables and scores."""

from pathlib import Path

from mechaware.claims.page.reports import paper_entries, write_report
from mechaware.claims.page.trust import trust_lines
from mechaware.claims.rubric.records import Audited, PaperText, Scores, Voted, read_record
from mechaware.claims.schemas import PLANTED
from mechaware.frames import read_csv
from scripts.command import Output, run


def main(
    *,
    title: str,
    scores: list[Path],
    voted: list[Path],
    audited: list[Path],
    flags: Path,
    text: Path,
    planted: Path,
    judge_labels: dict[str, str],
    rule_judges: list[str],
    out: Output,
) -> None:
    """Write the report into the folder `out`. `planted` is a table of what judges got right on planted papers."""
    entries = paper_entries(
        [read_record(Scores, path) for path in scores],
        [read_record(Voted, path) for path in voted],
        [read_record(Audited, path) for path in audited],
        read_record(PaperText, flags),
        judge_labels,
        rule_judges,
        trust_lines(read_csv(planted, PLANTED), judge_labels),
    )
    write_report(title, entries, text.read_text(encoding="utf-8"), out)


if __name__ == "__main__":
    run(main)
