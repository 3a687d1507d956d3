"""Predict a prompt set with the trained ensemble."""

from pathlib import Path

import pandas as pd

from mechaware.frames import write_parquet
from mechaware.radar.ensemble.ensemble_file import load_ensemble
from mechaware.radar.identity import with_identity
from scripts.command import Output, run


def main(*, ensemble: Path, features: Path, out: Output) -> None:
    """Write votes, predicted label, probability and confidence of every prompt."""
    table = pd.read_parquet(features)
    write_parquet(with_identity(table, load_ensemble(ensemble).predict(table)), out)


if __name__ == "__main__":
    run(main)
