"""Decide the outcome of each statement of the ledger by its tests,
and choose the sentence for that outcome.
"""

from pathlib import Path

from exhibits.report.ledger import read_ledger, write_ledger
from exhibits.report.reported import read_reported
from exhibits.report.values import read_values
from scripts.command import Output


def main(
    *, values: list[Path], ledger: Path, reported: Path, studies: list[str], out: Output
) -> None:
    """Write the outcome, the sentence and the tests of each entry of the ledger that belongs to a
    study of the run.

    Each also has its outcome in the reported run, if one is committed (`reported`).
    """
    values_of_run = read_values(values)
    headlines = read_ledger(ledger, values_of_run, studies)
    write_ledger(headlines, values_of_run, read_reported(reported), out)
