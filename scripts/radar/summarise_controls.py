"""Summarise the controls' predictions: accuracies with intervals, ranges over seeds, tests against RADAR."""

from pathlib import Path

from mechaware.frames import read_csv, read_csvs, write_csv
from mechaware.radar.features.measurements import Reduction
from mechaware.radar.identity import from_origin
from mechaware.radar.schemas import CONTROL_PREDICTIONS, PERMUTATIONS, SPREAD
from mechaware.radar.study.comparison import compare_controls
from scripts.command import Output, run


def main(
    *,
    model: str,
    prompt_set: str,
    predictions: Path,
    spread: tuple[Path, Path],
    permutations: Path,
    attention_entropy_reduction: Reduction,
    confidence_level: float,
    bootstrap_resamples: int,
    seed: int,
    out: Output,
) -> None:
    """Write one row per protocol, system and reduction; `spread` are the right answers per seed."""
    rows = compare_controls(
        read_csv(predictions, CONTROL_PREDICTIONS),
        read_csvs(spread, SPREAD),
        read_csv(permutations, PERMUTATIONS),
        reduction=attention_entropy_reduction,
        resamples=bootstrap_resamples,
        seed=seed,
        level=confidence_level,
    )
    write_csv(from_origin(rows, model, prompt_set), out)


if __name__ == "__main__":
    run(main)
