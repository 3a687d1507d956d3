"""List the passages of a paper that are likeliest to bear on each criterion, for a person who judges it."""

from pathlib import Path

from mechaware.core.errors import UserError
from mechaware.core.frames import Schema, read_csv
from mechaware.instruments.claims.aid.candidates import candidate_passages
from mechaware.instruments.claims.judges.language_model.prompts import Prompts
from mechaware.instruments.claims.reading.passages import split_passages
from mechaware.instruments.claims.rubric.records import PaperText, read_record
from mechaware.verdicts.paper.reading_aid import aid_record, read_recall, write_reading_aid
from scripts.command import Output

RECALL = Schema(text=("criterion",))


def main(
    *, title: str, text: Path, flags: Path, prompts: list[Path], recall: Path, out: Output
) -> None:
    """Write the reading aid into the folder `out`; a paper that cannot be read has none.

    `prompts` are the files of a version, of which the criteria's guides are read; `recall` is what
    `measure_reading_aid` wrote.
    """
    about = read_record(PaperText, flags)
    if about.fault is not None:
        # Without the stored file's name.
        raise UserError(f"{title}: {about.fault.message.partition(': ')[2]}")
    content = text.read_text(encoding="utf-8")
    passages = split_passages(content)
    guides = Prompts.load(prompts).criteria
    record = aid_record(
        title,
        content,
        about,
        candidate_passages(passages, guides),
        guides,
        read_recall(read_csv(recall, RECALL)),
        passages=len(passages),
    )
    write_reading_aid(record, out)
