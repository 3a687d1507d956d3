"""Predict every training prompt by an ensemble that was fitted on the other folds."""

from pathlib import Path

import pandas as pd

from mechaware.frames import write_csv
from mechaware.radar.ensemble.cross_validation import cross_validate
from scripts.command import Output, run


def main(*, features: Path, folds: int, seed: int, out: Output) -> None:
    """Write the held-out prediction of every prompt and its fold."""
    write_csv(cross_validate(pd.read_parquet(features), folds=folds, seed=seed), out)


if __name__ == "__main__":
    run(main)
