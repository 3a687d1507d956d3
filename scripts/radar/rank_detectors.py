"""Compare the detectors on a suspected benchmark whose truth is known."""

from pathlib import Path

from mechaware.frames import read_csv, write_csv
from mechaware.radar.detectors.listed import all_detectors
from mechaware.radar.schemas import SUSPECTED
from mechaware.radar.suspected.ranking import rank_detectors
from scripts.command import Output, run


def main(
    *,
    scores: Path,
    detectors: list[str],
    confidence_level: float,
    bootstrap_resamples: int,
    seed: int,
    out: Output,
) -> None:
    """Write one row per detector; `detectors` are names in the user's own package."""
    table = rank_detectors(
        read_csv(scores, SUSPECTED),
        all_detectors(detectors),
        resamples=bootstrap_resamples,
        seed=seed,
        confidence_level=confidence_level,
    )
    write_csv(table, out)


if __name__ == "__main__":
    run(main)
