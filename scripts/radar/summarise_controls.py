"""Summarise the controls' predictions: accuracies with intervals, ranges over seeds, tests against RADAR."""

from pathlib import Path

from mechaware.frames import read_csv, write_csv
from mechaware.radar.feature_extraction.measurements import Reduction
from mechaware.radar.identity import from_sets
from mechaware.radar.schemas import CONTROL_PREDICTIONS, PERMUTATIONS, SPREAD
from mechaware.radar.study.comparison import compare_controls
from scripts.command import Output, run


def main(
    *,
    model: str,
    prompt_sets: list[str],
    predictions: list[Path],
    spread: list[Path],
    permutations: list[Path],
    attention_entropy_reduction: Reduction,
    confidence_level: float,
    bootstrap_resamples: int,
    seeds: list[int],
    out: Output,
) -> None:
    """Write one row per prompt set, protocol, system and reduction; `spread` are the right answers per seed."""
    rows = [
        compare_controls(
            read_csv(predicted, CONTROL_PREDICTIONS),
            read_csv(by_seed, SPREAD),
            read_csv(null, PERMUTATIONS),
            reduction=attention_entropy_reduction,
            resamples=bootstrap_resamples,
            seed=seed,
            level=confidence_level,
        )
        for predicted, by_seed, null, seed in zip(predictions, spread, permutations, seeds, strict=True)
    ]
    write_csv(from_sets(rows, model, prompt_sets), out)


if __name__ == "__main__":
    run(main)
