"""Copies a table of results to docs/measured, with the date, device, commit and command of the measurement as columns.

`python -m scripts.keep_measured --table results/grounding/ladder.csv --device "two CPU cores, one thread"
--command "snakemake grounding_ladder --cores 1" --out docs/measured/grounding_ladder.csv`
"""

import json
import sys
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd
import tyro

from mechaware.errors import UserError
from mechaware.frames import write_csv
from mechaware.provenance import sidecar


def main(*, table: Path, device: str, command: str, out: Path) -> None:
    """Write the cells of `table` as they are, and the four columns; the commit is that of the table's record.

    Raises `UserError` for a table without a record, and for one that was made with changes that no commit has.
    """
    if not sidecar(table).exists():
        raise UserError(f"{table}: no {sidecar(table).name} beside it; give a table that the workflow made")
    git = json.loads(sidecar(table).read_text())["git"]
    if git["commit"] is None or git["modified"]:
        raise UserError(f"{table}: made with changes that no commit has; commit them and make the table again")
    measured = pd.read_csv(table, dtype=str, keep_default_na=False)
    date = datetime.fromtimestamp(table.stat().st_mtime, UTC).date().isoformat()
    write_csv(measured.assign(date=date, device=device, commit=git["commit"][:7], command=command), out)


if __name__ == "__main__":
    try:
        tyro.cli(main)
    except UserError as error:
        sys.exit(f"error: {error}")
