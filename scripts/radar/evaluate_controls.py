"""Evaluate RADAR and its controls on the same splits of a prompt set, and three of the systems under many seeds."""

from pathlib import Path

import pandas as pd

from mechaware.core.frames import write_parquet
from mechaware.instruments.radar.controls import evaluate_controls, right_by_seed
from mechaware.instruments.radar.feature_extraction.measurements import REDUCTIONS
from mechaware.instruments.radar.identity import with_text
from mechaware.instruments.radar.prompts import read_prompts
from scripts.command import Output


def main(
    *,
    training: tuple[Path, Path],
    features: tuple[Path, Path],
    training_prompts: Path,
    prompts: Path,
    folds: int,
    seed: int,
    fold_seed: int,
    spread_seeds: int,
    spread_seed: int,
    predictions: Output,
    spread: Output,
) -> None:
    """Write every system's prediction of every prompt, and what systems get right under each of `spread_seeds` seeds.

    Both are of systems trained on the training set, and cross-validated. `training` and `features` are the feature
    tables under the reductions sum and mean, in this order.
    """
    training_texts, texts = read_prompts(training_prompts), read_prompts(prompts)
    tables = {
        reduction: (
            with_text(pd.read_parquet(training_path), training_texts),
            with_text(pd.read_parquet(features_path), texts),
        )
        for reduction, training_path, features_path in zip(
            REDUCTIONS, training, features, strict=True
        )
    }
    write_parquet(
        evaluate_controls(tables, folds=folds, seed=seed, fold_seed=fold_seed), predictions
    )
    right = [
        right_by_seed(fitted, table, folds=folds, seeds=spread_seeds, seed=spread_seed).assign(
            reduction=reduction
        )
        for reduction, (fitted, table) in tables.items()
    ]
    write_parquet(pd.concat(right, ignore_index=True), spread)
