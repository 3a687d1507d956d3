"""Report one paper by all judges: a page, tables and scores."""

from pathlib import Path

from exhibits.claims.schemas import PLANTED, TRUSTED_CRITERIA
from mechaware.core.errors import UserError
from mechaware.core.frames import read_csv
from mechaware.instruments.claims.judges.language_model.prompts import Prompts
from mechaware.instruments.claims.rubric.records import (
    Audited,
    PaperText,
    Scores,
    Voted,
    read_record,
)
from mechaware.planted.papers.plan import PlantedPaper
from mechaware.verdicts.paper.entries import paper_entries, trust_lines
from mechaware.verdicts.paper.html_page import write_report
from scripts.command import Output


def main(
    *,
    title: str,
    truth: list[Path],
    least_similarity: float,
    scores: list[Path],
    voted: list[Path],
    audited: list[Path],
    flags: Path,
    text: Path,
    prompts: list[Path],
    planted: list[Path],
    criteria: list[Path],
    judge_labels: dict[str, str],
    rule_judges: list[str],
    out: Output,
) -> None:
    """Write the report into the folder `out`; a paper that cannot be read has none. `truth` is that of a planted paper.

    `planted` are tables of what judges got right on planted papers, the later ones first to be believed; `criteria`
    those of the trust study that are there.
    """
    about = read_record(PaperText, flags)
    if about.fault is not None:
        # Without the stored file's name.
        raise UserError(f"{title}: {about.fault.message.partition(': ')[2]}")
    written_from = read_record(PlantedPaper, truth[0]) if truth else None
    records = [
        (read_record(Scores, a), read_record(Voted, b), read_record(Audited, c), about)
        for a, b, c in zip(scores, voted, audited, strict=True)
    ]
    measured, edits = (
        [read_csv(one, PLANTED) for one in planted],
        [read_csv(one, TRUSTED_CRITERIA) for one in criteria],
    )
    trust = trust_lines(judge_labels, measured, edits)
    content = text.read_text(encoding="utf-8")
    entries = paper_entries(
        records, content, written_from, least_similarity, judge_labels, rule_judges, trust
    )
    heading = f"{written_from.title} ({title})" if written_from else title
    write_report(heading, entries, Prompts.load(prompts).criteria, out)
