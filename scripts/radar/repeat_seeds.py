"""Train and cross-validate RADAR's ensemble under many seeds."""

from pathlib import Path

import pandas as pd

from mechaware.frames import write_csv
from mechaware.radar.ensemble.controls import accuracy_by_seed
from mechaware.radar.features.measurements import Reduction
from scripts.command import Output, run


def main(
    *,
    training: Path,
    features: Path,
    reduction: Reduction,
    folds: int,
    spread_seeds: int,
    seed: int,
    out: Output,
) -> None:
    """Write the ensemble's accuracy per protocol and seed; `reduction` is that of `training` and `features`."""
    accuracies = accuracy_by_seed(
        pd.read_parquet(training), pd.read_parquet(features), folds=folds, seeds=spread_seeds, seed=seed
    )
    write_csv(accuracies.assign(reduction=reduction), out)


if __name__ == "__main__":
    run(main)
