"""Fit RADAR's ensemble on the training set, and predict and score every prompt set."""

from pathlib import Path

import pandas as pd
import skops.io

from mechaware.core.files import atomic_write
from mechaware.core.frames import write_parquet
from mechaware.instruments.radar.ensemble import Ensemble, cross_validate
from mechaware.instruments.radar.feature_extraction.features import FEATURES
from mechaware.instruments.radar.feature_extraction.scores import score_table
from mechaware.instruments.radar.identity import with_identity, with_origin
from scripts.command import Output


def main(
    *,
    model: str,
    prompt_sets: list[str],
    training: Path,
    features: list[Path],
    weights: Path,
    folds: int,
    seed: int,
    fold_seed: int,
    ensemble: Output,
    cross_validation: Output,
    predictions: list[Output],
    scores: list[Output],
) -> None:
    """Write the ensemble, the held-out predictions of the training set, and predictions and scores
    of the other sets.

    `prompt_sets` are the names of the other sets; `features`, `predictions` and `scores` have a
    file for each. The four scores are standardised by the training set.
    """
    training_table = pd.read_parquet(training)
    weight_table = pd.read_csv(weights)
    write_parquet(cross_validate(training_table, folds=folds, seed=fold_seed), cross_validation)

    fitted = Ensemble.fit(training_table, FEATURES, seed)
    parts = {"features": fitted.features, "scaler": fitted.scaler, **fitted.classifiers}
    with atomic_write(ensemble) as partial:  # never pickled
        skops.io.dump(parts, partial)

    by_set = zip(prompt_sets, features, predictions, scores, strict=True)
    for prompt_set, path, predicted, scored in by_set:
        table = pd.read_parquet(path)
        write_parquet(with_identity(table, fitted.predict(table)), predicted)
        set_scores = with_identity(table, score_table(training_table, table, weight_table))
        write_parquet(with_origin(set_scores, model, prompt_set), scored, digits=10)
