"""Summarise what a judge did without its quotes, over all of its papers."""

from pathlib import Path

from mechaware.claims.schemas import REMOVAL
from mechaware.claims.study.trust import removal_summary
from mechaware.frames import read_csvs, write_csv
from scripts.command import Output, run


def main(*, removals: list[Path], confidence_level: float, out: Output) -> None:
    """Write a row for each criterion, and one for all."""
    write_csv(removal_summary(read_csvs(removals, REMOVAL), level=confidence_level), out)


if __name__ == "__main__":
    run(main)
