"""Choose the reduction of attention entropies that the study reports."""

from pathlib import Path
from typing import Literal

import pandas as pd

from mechaware.frames import write_parquet
from scripts.command import run


def main(*, sum: Path, mean: Path, attention_entropy_reduction: Literal["sum", "mean"], out: Path) -> None:
    """Copy the features under the configured reduction."""
    chosen = {"sum": sum, "mean": mean}[attention_entropy_reduction]
    write_parquet(pd.read_parquet(chosen), out)


if __name__ == "__main__":
    run(main)
