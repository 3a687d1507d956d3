"""Count how many of RADAR's features are constant, distinct and independent."""

from pathlib import Path

import pandas as pd

from mechaware.frames import read_parquets, write_csv
from mechaware.radar.feature_extraction.redundancy import count_redundancy
from scripts.command import Output, run


def main(*, model: str, features: list[Path], out: Output) -> None:
    """Write the counts over the prompts of all sets."""
    counts = count_redundancy(read_parquets(features))
    write_csv(pd.DataFrame([{"model": model} | counts._asdict()]), out)


if __name__ == "__main__":
    run(main)
