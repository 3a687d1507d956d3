"""Writes planted papers and the truth about them to disk."""

from pathlib import Path

from mechaware.claims.fetching.documents import document_path
from mechaware.claims.planting.manuscript import compose
from mechaware.claims.planting.records import PlantedPaper
from mechaware.claims.planting.typesetting import print_pdf, typeset
from mechaware.claims.rubric.records import write_record
from mechaware.files import replacing


def write_paper(paper: PlantedPaper, folder: Path, truth: Path) -> None:
    """Write the paper's PDF into `folder`, as a fetched paper has it, and what it was written from to `truth`."""
    pdf = print_pdf(typeset(compose(paper)))
    with replacing(document_path(folder, ".pdf")) as partial:
        partial.write_bytes(pdf)
    write_record(paper, truth)
