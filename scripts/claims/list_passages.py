"""List the passages of a paper that are likeliest to bear on each criterion, for a human judge."""

from pathlib import Path

from mechaware.core.frames import Schema, read_csv
from mechaware.instruments.claims.aid.candidates import (
    aid_criteria,
    candidate_passages,
    criteria_of_rubric,
)
from mechaware.instruments.claims.judges.language_model.prompts import Prompts
from mechaware.instruments.claims.reading.passages import split_passages
from mechaware.instruments.claims.rubric.records import PaperText, read_record
from mechaware.instruments.claims.rubric.rubric import read_rubric
from mechaware.verdicts.paper.reading_aid import aid_record, read_recall, write_reading_aid
from scripts.command import Output

# Of the table `recall`. The row of all criteria together has the empty text as its criterion.
RECALL = Schema(text=("criterion",))


def main(
    *,
    title: str,
    text: Path,
    flags: Path,
    prompts: list[Path],
    rubric: list[Path],
    recall: Path,
    out: Output,
) -> None:
    """Write the reading aid into the folder `out`.

    The criteria are those of a rubric of the user's own, if `rubric` has its file. If `rubric` is
    empty, they are the 27 criteria, as `prompts`, the files of one version, word them. `recall` is
    the table of `measure_reading_aid`: how much the search finds for each of the 27. That is not
    measured for a rubric of the user's own.

    Raises `UserError` for a paper that could not be read.
    """
    about = read_record(PaperText, flags)
    about.require_readable(title)

    if rubric:
        own_rubric = read_rubric(rubric[0])
        rubric_name = own_rubric.name
        criteria = criteria_of_rubric(own_rubric)
        recall_by_criterion = {}
    else:
        rubric_name = ""
        criteria = aid_criteria(Prompts.load(prompts).criteria)
        recall_by_criterion = read_recall(read_csv(recall, RECALL))

    content = text.read_text(encoding="utf-8")
    passages = split_passages(content)
    record = aid_record(
        title,
        content,
        about,
        criteria,
        candidate_passages(passages, criteria),
        recall_by_criterion,
        passages=len(passages),
        rubric=rubric_name,
    )
    write_reading_aid(record, out)
