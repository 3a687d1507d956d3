"""Summarise predictions: accuracies with intervals."""

from pathlib import Path

from mechaware.frames import write_csv
from mechaware.radar.identity import as_one, from_origin
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
    write_csv(as_one(rows), out)


if __name__ == "__main__":
    run(main)
