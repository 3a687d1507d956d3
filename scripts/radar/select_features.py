"""Select the reduction of attention entropies that the study reports."""

from pathlib import Path

import pandas as pd

from mechaware.frames import write_parquet
from mechaware.radar.features.measurements import Reduction
from scripts.command import Output, run


def main(*, sum: Path, mean: Path, attention_entropy_reduction: Reduction, out: Output) -> None:
    """Copy the features under the configured reduction; `sum` and `mean` are the tables under each."""
    selected = {"sum": sum, "mean": mean}[attention_entropy_reduction]
    write_parquet(pd.read_parquet(selected), out)


if __name__ == "__main__":
    run(main)
