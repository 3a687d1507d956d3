"""Evaluate RADAR and its controls on the same splits of a prompt set.

RADAR, prompt length and a bag of words are also evaluated under many seeds.
"""

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
    """Write each system's prediction of each prompt, and which prompts RADAR and two of its
    controls get right by seed.

    A system is RADAR or one of its controls. `predictions` is the table of `evaluate_controls`.
    `spread` has the rows of `right_by_seed`, with `spread_seeds` seeds, under both reductions, and
    the column reduction. Its systems are RADAR, prompt length and a bag of words
    (`systems.REPEATED`). Both tables are about systems that were fitted on the training set and,
    unless the prompt set has one class, about cross-validated ones.

    `training` and `features` are the feature tables of the training set and of the prompt set, each
    under the reductions sum and mean, in this order.
    """
    training_texts = read_prompts(training_prompts)
    texts = read_prompts(prompts)
    tables = {}
    for reduction, training_path, features_path in zip(REDUCTIONS, training, features, strict=True):
        training_table = with_text(pd.read_parquet(training_path), training_texts)
        table = with_text(pd.read_parquet(features_path), texts)
        tables[reduction] = (training_table, table)

    predicted = evaluate_controls(tables, folds=folds, seed=seed, fold_seed=fold_seed)
    write_parquet(predicted, predictions)

    by_reduction = []
    for reduction, (training_table, table) in tables.items():
        right = right_by_seed(
            training_table, table, folds=folds, seeds=spread_seeds, seed=spread_seed
        )
        by_reduction.append(right.assign(reduction=reduction))
    write_parquet(pd.concat(by_reduction, ignore_index=True), spread)
