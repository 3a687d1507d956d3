"""Put the rows of several trained models into one table."""

from pathlib import Path

from mechaware.frames import read_csvs, write_csv
from mechaware.grounding.schemas import SUBJECTS
from scripts.command import Output, run


def main(*, subjects: list[Path], out: Output) -> None:
    """Write the rows in the order given."""
    write_csv(read_csvs(subjects, SUBJECTS), out)


if __name__ == "__main__":
    run(main)
