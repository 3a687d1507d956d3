"""Summarise how well each feature separates the classes."""

from pathlib import Path

import pandas as pd

from mechaware.frames import write_csv
from mechaware.radar.identity import from_sets
from mechaware.radar.study.summaries import discriminate
from scripts.command import Output, run


def main(
    *,
    model: str,
    prompt_sets: list[str],
    features: list[Path],
    confidence_level: float,
    bootstrap_resamples: int,
    seeds: list[int],
    out: Output,
) -> None:
    """Write means by class, Cohen's d with its interval and area under the ROC curve, per prompt set and feature."""
    rows = [
        discriminate(pd.read_parquet(path), resamples=bootstrap_resamples, seed=seed, level=confidence_level)
        for path, seed in zip(features, seeds, strict=True)
    ]
    write_csv(from_sets(rows, model, prompt_sets), out)


if __name__ == "__main__":
    run(main)
