"""Predict every training prompt by an ensemble that has not seen it."""

from pathlib import Path

import pandas as pd

from mechaware.frames import write_csv
from mechaware.radar.ensemble.classifier import Ensemble
from mechaware.radar.ensemble.splits import cross_predict, fold_of_each
from mechaware.radar.features.features import FEATURES
from mechaware.radar.frames import pairs, with_identity
from scripts.command import run


def main(*, features: Path, folds: int, seed: int, out: Path) -> None:
    """Write the out-of-fold prediction of every prompt and its fold."""
    table = pd.read_parquet(features)
    fold = fold_of_each(table, pairs(table), folds=folds, seed=seed)
    predictions = cross_predict(table, fold, lambda train, held: Ensemble.fit(train, FEATURES, seed).predict(held))
    write_csv(with_identity(table, predictions.assign(fold=fold)), out)


if __name__ == "__main__":
    run(main)
