"""Fit RADAR's ensemble on the training set, and predict and score the evaluated prompt sets.

The ensemble predicts recall or reasoning. Each of the four scores is the logistic function of a
weighted sum of features.
"""

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
    """Write the fitted ensemble, its predictions in cross-validation, and predictions and scores of
    the evaluated sets.

    Args:
        model: The name of the model whose features are read.
        prompt_sets: The names of the evaluated sets. `features`, `predictions` and `scores` have
            one file for each, in the same order.
        training: The features of the training set.
        features: The features of the evaluated sets.
        weights: The weights of features in the four scores (config/radar_scores.csv).
        folds: The number of folds of the cross-validation.
        seed: The seed of the ensemble.
        fold_seed: The seed of the folds, and of the ensembles that are fitted in them.
        ensemble: The file of the fitted ensemble.
        cross_validation: The prediction of each training prompt by an ensemble that was fitted on
            the other folds.
        predictions: The ensemble's predictions.
        scores: The four scores, from 0 to 1, of features that are standardised by the training set.
    """
    training_table = pd.read_parquet(training)
    weight_table = pd.read_csv(weights)
    write_parquet(cross_validate(training_table, folds=folds, seed=fold_seed), cross_validation)

    fitted = Ensemble.fit(training_table, FEATURES, seed)
    parts = {"features": fitted.features, "scaler": fitted.scaler, **fitted.classifiers}
    # skops and not pickle: loading a pickle can run any code.
    with atomic_write(ensemble) as partial:
        skops.io.dump(parts, partial)

    files_by_set = zip(prompt_sets, features, predictions, scores, strict=True)
    for prompt_set, features_file, predictions_file, scores_file in files_by_set:
        table = pd.read_parquet(features_file)
        write_parquet(with_identity(table, fitted.predict(table)), predictions_file)
        set_scores = with_identity(table, score_table(training_table, table, weight_table))
        write_parquet(with_origin(set_scores, model, prompt_set), scores_file, digits=10)
