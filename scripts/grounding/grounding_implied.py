"""What the symbolic-mechanistic paper's printed numbers imply."""

from pathlib import Path

import pandas as pd

from mechaware.frames import write_csv
from mechaware.grounding.study.implied import implied_numbers
from mechaware.report.tables import write_shown
from scripts.command import run


def main(*, reported: Path, reported_accuracy: Path, out: Path, tex: Path) -> None:
    """Work out the table from the printed numbers alone."""
    table = implied_numbers(pd.read_csv(reported), pd.read_csv(reported_accuracy))
    write_csv(table, out)
    write_shown(table.rename(columns=str.capitalize), tex)


if __name__ == "__main__":
    run(main)
