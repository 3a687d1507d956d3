"""Train and cross-validate the ensemble under many seeds."""

from pathlib import Path
from typing import Literal

import pandas as pd

from mechaware.frames import write_csv
from mechaware.radar.ensemble.controls import accuracy_by_seed
from scripts.command import run


def main(
    *,
    training: Path,
    features: Path,
    reduction: Literal["sum", "mean"],
    folds: int,
    spread_seeds: int,
    seed: int,
    out: Path,
) -> None:
    """Write the ensemble's accuracy per protocol and seed."""
    spread = accuracy_by_seed(
        pd.read_parquet(training), pd.read_parquet(features), folds=folds, seeds=spread_seeds, seed=seed
    )
    write_csv(spread.assign(reduction=reduction), out)


if __name__ == "__main__":
    run(main)
