"""Summarise how well each feature separates the classes."""

from pathlib import Path

import pandas as pd

from mechaware.frames import write_csv
from mechaware.radar.identity import from_origin
from mechaware.radar.study.summaries import discriminate
from scripts.command import Output, run


def main(
    *,
    model: str,
    prompt_set: str,
    features: Path,
    confidence_level: float,
    bootstrap_resamples: int,
    seed: int,
    out: Output,
) -> None:
    """Write means by class, Cohen's d with its interval and the area under the ROC curve of every feature."""
    rows = discriminate(pd.read_parquet(features), resamples=bootstrap_resamples, seed=seed, level=confidence_level)
    write_csv(from_origin(rows, model, prompt_set), out)


if __name__ == "__main__":
    run(main)
