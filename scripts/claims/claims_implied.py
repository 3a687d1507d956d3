"""What the numbers that the claims study's paper prints imply."""

from pathlib import Path

from mechaware.claims.study.implied import implied_numbers
from mechaware.frames import read_csv, write_csv
from mechaware.report.tables import write_shown
from scripts.command import run


def main(*, reported: list[Path], out: Path, tex: Path) -> None:
    """Work out the table from the printed numbers alone, config/reported/claims_*.csv."""
    table = implied_numbers({path.stem.removeprefix("claims_"): read_csv(path) for path in reported})
    write_csv(table, out)
    write_shown(table.rename(columns=str.capitalize), tex)


if __name__ == "__main__":
    run(main)
