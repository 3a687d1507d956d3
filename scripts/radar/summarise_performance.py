"""Turn predictions into accuracies with intervals."""

from pathlib import Path

import pandas as pd

from mechaware.frames import read_csv, write_csv
from mechaware.radar.frames import from_origin, is_of_the_papers_kind, pairs
from mechaware.radar.study.summaries import performance
from scripts.command import run


def main(
    *,
    model: str,
    prompt_set: str,
    predictions: Path,
    confidence_level: float,
    bootstrap_resamples: int,
    seed: int,
    out: Path,
) -> None:
    """Write accuracy overall, by label and by category."""
    table = read_csv(predictions) if predictions.suffix == ".csv" else pd.read_parquet(predictions)
    rows = performance(table, pairs(table), resamples=bootstrap_resamples, seed=seed, level=confidence_level)
    rows["papers_kind"] = is_of_the_papers_kind(table)
    write_csv(from_origin(rows, model, prompt_set), out)


if __name__ == "__main__":
    run(main)
