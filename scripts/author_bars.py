"""Measures the bar for a judge on the author's audits, for docs/measured/claims_prose.csv.

python -m scripts.author_items --out items.csv
python -m scripts.author_bars --items items.csv
"""

import sys
from pathlib import Path

import tyro

from exhibits.author.bars import bars
from exhibits.claims.schemas import ITEMS
from exhibits.report.origin import origin_today
from mechaware.core.errors import UserError
from mechaware.core.frames import read_csv, write_csv
from mechaware.core.git_repository import REPOSITORY, git_state

COMMAND = "python -m scripts.author_bars --items items.csv"


def main(*, items: Path, out: Path = REPOSITORY / "docs/measured/claims_prose.csv") -> None:
    """Write the table, with the day, the machine, the commit and the command."""
    # First of all: what is measured at no commit is not kept.
    origin = origin_today(git_state(), out.name, COMMAND)
    table = bars(read_csv(items, ITEMS), resamples=2000, seed=0, confidence_level=0.95)
    write_csv(table.assign(**origin._asdict()), out)


if __name__ == "__main__":
    try:
        tyro.cli(main)
    except UserError as error:
        sys.exit(f"error: {error}")
