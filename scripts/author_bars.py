"""Measures the bar for a judge on the author's audits, for docs/measured/claims_prose.csv.

python -m scripts.author_items --out items.csv
python -m scripts.author_bars --items items.csv
"""

import subprocess
from datetime import UTC, datetime
from pathlib import Path

import tyro

from exhibits.author.bars import bars
from exhibits.claims.schemas import ITEMS
from exhibits.report.reported import this_machine
from mechaware.core.frames import read_csv, write_csv
from mechaware.core.provenance import REPOSITORY


def main(*, items: Path, out: Path = REPOSITORY / "docs/measured/claims_prose.csv") -> None:
    """Write the table, with the day, the machine, the commit and the command."""
    measured = bars(read_csv(items, ITEMS), resamples=2000, seed=0, level=0.95)
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        cwd=REPOSITORY,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    made = {
        "date": datetime.now(UTC).date().isoformat(),
        "device": this_machine(),
        "commit": commit.stdout.strip(),
        "command": "python -m scripts.author_bars --items items.csv",
    }
    write_csv(measured.assign(**made), out)


if __name__ == "__main__":
    tyro.cli(main)
