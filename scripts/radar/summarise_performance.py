"""Summarise predictions: accuracies with intervals."""

from pathlib import Path

import pandas as pd

from mechaware.frames import read_csv, write_csv
from mechaware.radar.identity import from_origin
from mechaware.radar.schemas import PREDICTIONS
from mechaware.radar.study.summaries import performance
from scripts.command import Output, run


def main(
    *,
    model: str,
    prompt_set: str,
    predictions: Path,
    confidence_level: float,
    bootstrap_resamples: int,
    seed: int,
    out: Output,
) -> None:
    """Write accuracy overall, by label and by category; `predictions` is cross_validation.csv or a Parquet file."""
    is_csv = predictions.suffix == ".csv"
    table = read_csv(predictions, PREDICTIONS) if is_csv else pd.read_parquet(predictions)
    rows = performance(table, resamples=bootstrap_resamples, seed=seed, level=confidence_level)
    write_csv(from_origin(rows, model, prompt_set), out)


if __name__ == "__main__":
    run(main)
