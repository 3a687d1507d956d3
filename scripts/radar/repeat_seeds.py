"""Train and cross-validate RADAR's ensemble and two baselines under many seeds."""

from pathlib import Path

import pandas as pd

from mechaware.frames import write_csv
from mechaware.radar.ensemble.controls import right_by_seed
from mechaware.radar.features.measurements import REDUCTIONS
from mechaware.radar.identity import with_text
from mechaware.radar.prompts import read_prompts
from scripts.command import Output, run


def main(
    *,
    training: tuple[Path, Path],
    features: tuple[Path, Path],
    training_prompts: Path,
    prompts: Path,
    folds: int,
    spread_seeds: int,
    seed: int,
    out: Output,
) -> None:
    """Write which prompts each system gets right, per reduction, protocol and seed.

    `training` and `features` are the features under each reduction, the sum first.
    """
    training_texts, texts = read_prompts(training_prompts), read_prompts(prompts)
    right = [
        right_by_seed(
            with_text(pd.read_parquet(fitted), training_texts),
            with_text(pd.read_parquet(table), texts),
            folds=folds,
            seeds=spread_seeds,
            seed=seed,
        ).assign(reduction=reduction)
        for reduction, fitted, table in zip(REDUCTIONS, training, features, strict=True)
    ]
    write_csv(pd.concat(right, ignore_index=True), out)


if __name__ == "__main__":
    run(main)
