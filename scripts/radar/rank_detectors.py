"""Compare the detectors on a suspected benchmark whose truth is known."""

from pathlib import Path

from mechaware.frames import read_csv, write_csv
from mechaware.radar.schemas import SUSPECTED
from mechaware.radar.suspected.ranking import rank_detectors
from scripts.command import Output, run


def main(*, scores: Path, confidence_level: float, bootstrap_resamples: int, seed: int, out: Output) -> None:
    """Write one row per detector."""
    table = rank_detectors(
        read_csv(scores, SUSPECTED), resamples=bootstrap_resamples, seed=seed, confidence_level=confidence_level
    )
    write_csv(table, out)


if __name__ == "__main__":
    run(main)
