"""Train RADAR's ensemble on the training set."""

from pathlib import Path

import pandas as pd

from mechaware.radar.ensemble.classifier import Ensemble
from mechaware.radar.ensemble.ensemble_file import save_ensemble
from mechaware.radar.feature_extraction.features import FEATURES
from scripts.command import Output, run


def main(*, features: Path, seed: int, out: Output) -> None:
    """Fit the four classifiers on all features and write them as one skops file."""
    save_ensemble(Ensemble.fit(pd.read_parquet(features), FEATURES, seed), out)


if __name__ == "__main__":
    run(main)
