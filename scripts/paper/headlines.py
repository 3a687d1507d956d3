"""Decide the statements of the paper: which outcome the tests of each have, and the sentence for it."""

from pathlib import Path

from exhibits.report.gallery import read_values
from exhibits.report.ledger import read_ledger, write_ledger
from scripts.command import Output


def main(*, values: list[Path], ledger: Path, studies: list[str], out: Output) -> None:
    """Write the outcome, the sentence and the tests of each entry of the ledger that belongs to a study of the run."""
    headlines = read_ledger(ledger, read_values(values), studies)
    write_ledger(headlines, out)
