"""Summarise predictions: accuracies with intervals."""

from pathlib import Path

from mechaware.frames import write_csv
from mechaware.radar.identity import from_sets
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
        performance(read_predictions(path), resamples=bootstrap_resamples, seed=seed, level=confidence_level)
        for path, seed in zip(predictions, seeds, strict=True)
    ]
    write_csv(from_sets(rows, model, prompt_sets), out)


if __name__ == "__main__":
    run(main)
