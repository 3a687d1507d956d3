"""Correlate the 37 features with one another."""

from pathlib import Path

from mechaware.frames import read_parquets, write_csv
from mechaware.radar.features.redundancy import rank_correlation
from scripts.command import run


def main(*, model: str, features: list[Path], out: Path) -> None:
    """Write Spearman's correlation of every two features over all prompts of the study."""
    long = rank_correlation(read_parquets(features)).stack().reset_index()
    long.columns = ["feature", "other", "correlation"]
    long.insert(0, "model", model)
    write_csv(long, out)


if __name__ == "__main__":
    run(main)
