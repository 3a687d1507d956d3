"""Decide the statements of the paper: which outcome the tests of each have, and the sentence for it."""

from pathlib import Path

from exhibits.report.ledger import read_ledger, write_ledger
from exhibits.report.reported import read_reported
from exhibits.report.values import read_values
from scripts.command import Output


def main(
    *, values: list[Path], ledger: Path, reported: Path, studies: list[str], out: Output
) -> None:
    """Write the outcome, the sentence and the tests of each entry of the ledger that belongs to a study of the run.

    Beside them is the outcome in the reported run, if one is committed (`reported`).
    """
    read = read_values(values)
    headlines = read_ledger(ledger, read, studies)
    write_ledger(headlines, read, read_reported(reported), out)
