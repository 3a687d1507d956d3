"""Predict prompt sets with the trained ensemble."""

from pathlib import Path

import pandas as pd

from mechaware.frames import write_parquet
from mechaware.radar.ensemble.ensemble_file import load_ensemble
from mechaware.radar.identity import with_identity
from scripts.command import Output, run


def main(*, ensemble: Path, features: list[Path], out: list[Output]) -> None:
    """Write votes, predicted label, probability and confidence of every prompt; `features` and `out` are by set."""
    trained = load_ensemble(ensemble)
    for path, predictions in zip(features, out, strict=True):
        table = pd.read_parquet(path)
        write_parquet(with_identity(table, trained.predict(table)), predictions)


if __name__ == "__main__":
    run(main)
