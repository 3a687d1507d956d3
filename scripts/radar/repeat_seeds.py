"""Train and cross-validate RADAR's ensemble and two baselines under many seeds."""

from pathlib import Path

import pandas as pd

from mechaware.frames import write_csv
from mechaware.radar.ensemble.controls import right_by_seed
from mechaware.radar.features.measurements import Reduction
from mechaware.radar.identity import with_text
from mechaware.radar.prompts import read_prompts
from scripts.command import Output, run


def main(
    *,
    training: Path,
    features: Path,
    training_prompts: Path,
    prompts: Path,
    reduction: Reduction,
    folds: int,
    spread_seeds: int,
    seed: int,
    out: Output,
) -> None:
    """Write which prompts each system gets right, per protocol and seed; `reduction` is that of both feature tables."""
    right = right_by_seed(
        with_text(pd.read_parquet(training), read_prompts(training_prompts)),
        with_text(pd.read_parquet(features), read_prompts(prompts)),
        folds=folds,
        seeds=spread_seeds,
        seed=seed,
    )
    write_csv(right.assign(reduction=reduction), out)


if __name__ == "__main__":
    run(main)
