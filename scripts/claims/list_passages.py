"""List the passages of a paper that are likeliest to bear on each criterion, for a person who judges it."""

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
    """Write the reading aid into the folder `out`; a paper that cannot be read has none.

    The criteria are those of `prompts`, the files of a version, or those of a `rubric` of the user's own, a file or
    none. `recall` is what `measure_reading_aid` wrote for the criteria of the prompts.
    """
    about = read_record(PaperText, flags)
    about.require_readable(title)

    rubric_name = ""
    if rubric:
        own_rubric = read_rubric(rubric[0])
        rubric_name = own_rubric.name
        criteria = criteria_of_rubric(own_rubric)
        recall_by_criterion = {}
    else:
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
