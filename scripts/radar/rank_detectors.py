"""Compare the detectors on a suspected benchmark whose truth is known."""

from pathlib import Path

from mechaware.frames import read_csv, write_csv
from mechaware.radar.detectors.registry import all_detectors, rank_detectors
from mechaware.radar.schemas import SUSPECTED
from mechaware.radar.verdicts.control import CONTROL
from scripts.command import Output


def main(
    *,
    scores: Path,
    own_detectors: list[str],
    confidence_level: float,
    bootstrap_resamples: int,
    seed: int,
    detectors: Output,
) -> None:
    """Write one row per detector; `own_detectors` are names in the user's own package."""
    rows = read_csv(scores, SUSPECTED)
    table = rank_detectors(
        rows if CONTROL not in rows else rows[~rows[CONTROL]],
        all_detectors(own_detectors),
        resamples=bootstrap_resamples,
        seed=seed,
        confidence_level=confidence_level,
    )
    write_csv(table, detectors)
