"""Summarise predictions: accuracies with intervals."""

from pathlib import Path

import pandas as pd

from mechaware.frames import write_csv
from mechaware.radar.identity import from_origin
from mechaware.radar.study.summaries import performance, read_predictions
from scripts.command import Output, run


def main(
    *,
    model: str,
    prompt_sets: list[str],
    predictions: list[Path],
    confidence_level: float,
    bootstrap_resamples: int,
    seeds: list[int],
    out: Output,
) -> None:
    """Write each prompt set's accuracy overall, by label and by category, from its predictions and seed."""
    rows = [
        from_origin(
            performance(read_predictions(path), resamples=bootstrap_resamples, seed=seed, level=confidence_level),
            model,
            prompt_set,
        )
        for prompt_set, path, seed in zip(prompt_sets, predictions, seeds, strict=True)
    ]
    write_csv(pd.concat(rows, ignore_index=True), out)


if __name__ == "__main__":
    run(main)
