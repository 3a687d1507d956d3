"""Measures the bar for a judge on the author's audits, for docs/measured/claims_prose.csv.

python -m scripts.author_items --out items.csv
python -m scripts.author_bars --items items.csv
"""

import sys
from datetime import UTC, datetime
from pathlib import Path

import tyro

from exhibits.author.bars import bars
from exhibits.claims.schemas import ITEMS
from exhibits.report.reported import commit_of
from mechaware.core.errors import UserError
from mechaware.core.frames import read_csv, write_csv
from mechaware.core.provenance import REPOSITORY, git_state, this_machine

COMMAND = "python -m scripts.author_bars --items items.csv"
SHORT_COMMIT = 8


def main(*, items: Path, out: Path = REPOSITORY / "docs/measured/claims_prose.csv") -> None:
    """Write the table, with the day, the machine, the commit and the command."""
    commit = commit_of(git_state(), out.name, COMMAND)
    measured = bars(read_csv(items, ITEMS), resamples=2000, seed=0, confidence_level=0.95)
    made = {
        "date": datetime.now(UTC).date().isoformat(),
        "device": this_machine(),
        "commit": commit[:SHORT_COMMIT],
        "command": COMMAND,
    }
    write_csv(measured.assign(**made), out)


if __name__ == "__main__":
    try:
        tyro.cli(main)
    except UserError as error:
        sys.exit(f"error: {error}")
