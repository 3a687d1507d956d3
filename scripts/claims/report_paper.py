"""Report one paper by all judges: a page, tables and scores."""

from pathlib import Path

from mechaware.claims.judges.language_model.prompts import Prompts
from mechaware.claims.page.reports import paper_entries, write_report
from mechaware.claims.page.trust import merge_notes, responses_to_edits, trust_lines
from mechaware.claims.planting.plan import PlantedPaper
from mechaware.claims.rubric.records import Audited, PaperText, Scores, Voted, read_record
from mechaware.claims.schemas import PLANTED, TRUSTED_CRITERIA
from mechaware.errors import UserError
from mechaware.frames import read_csv
from scripts.command import Output, run


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
        raise UserError(f"{title}: {about.fault.message.partition(': ')[2]}")  # without the stored file's name
    written_from = read_record(PlantedPaper, truth[0]) if truth else None
    entries = paper_entries(
        [read_record(Scores, path) for path in scores],
        [read_record(Voted, path) for path in voted],
        [read_record(Audited, path) for path in audited],
        about,
        text.read_text(encoding="utf-8"),
        written_from,
        least_similarity,
        judge_labels,
        rule_judges,
        merge_notes(
            judge_labels,
            trust_lines([read_csv(path, PLANTED) for path in planted], judge_labels),
            responses_to_edits(read_csv(path, TRUSTED_CRITERIA) for path in criteria),
        ),
    )
    heading = f"{written_from.title} ({title})" if written_from else title
    write_report(heading, entries, Prompts.load(prompts).criteria, out)


if __name__ == "__main__":
    run(main)
