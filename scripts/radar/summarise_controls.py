"""Compare RADAR with its controls in each prompt set of a model."""

from pathlib import Path

import pandas as pd

from exhibits.radar.summaries.comparison import compare_controls
from mechaware.core.frames import write_parquet
from mechaware.instruments.radar.feature_extraction.measurements import Reduction
from mechaware.instruments.radar.identity import concat_sets
from scripts.command import Output


def main(
    *,
    model: str,
    prompt_sets: list[str],
    controls: list[Path],
    spread: list[Path],
    permuted: list[Path],
    attention_entropy_reduction: Reduction,
    confidence_level: float,
    bootstrap_resamples: int,
    seeds: list[int],
    comparison: Output,
) -> None:
    """Write one row per prompt set, protocol, system and reduction. Files and seeds are given set by set."""
    compared = [
        compare_controls(
            *(pd.read_parquet(path) for path in paths),
            reduction=attention_entropy_reduction,
            resamples=bootstrap_resamples,
            seed=seed,
            confidence_level=confidence_level,
        )
        for *paths, seed in zip(controls, spread, permuted, seeds, strict=True)
    ]
    write_parquet(concat_sets(compared, model, prompt_sets), comparison, digits=10)
