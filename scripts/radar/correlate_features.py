"""Correlate RADAR's features with one another."""

from pathlib import Path

from mechaware.frames import read_parquets, write_csv
from mechaware.radar.feature_extraction.redundancy import correlation_rows
from scripts.command import Output, run


def main(*, model: str, features: list[Path], out: Output) -> None:
    """Write Spearman's correlation of every two features over the prompts of all sets."""
    rows = correlation_rows(read_parquets(features))
    rows.insert(0, "model", model)
    write_csv(rows, out)


if __name__ == "__main__":
    run(main)
