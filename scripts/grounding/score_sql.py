"""Exact match and field accuracy of a trained model, with intervals."""

from pathlib import Path

from mechaware.frames import read_csv, write_csv
from mechaware.grounding.schemas import PREDICTIONS
from mechaware.grounding.study.accuracy import score_by_condition
from scripts.command import Output, run


def main(
    *, predictions: Path, trained_run: str, confidence_level: float, bootstrap_resamples: int, seed: int, out: Output
) -> None:
    """Write one row per condition and metric."""
    scores = read_csv(predictions, PREDICTIONS)
    table = score_by_condition(scores, level=confidence_level, resamples=bootstrap_resamples, seed=seed)
    write_csv(table.assign(run=trained_run), out)


if __name__ == "__main__":
    run(main)
