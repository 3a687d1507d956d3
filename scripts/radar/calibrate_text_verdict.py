"""Measure how often a verdict is wrong on planted docstrings,
as `calibrate_verdict` does on planted names.
"""

from pathlib import Path

from mechaware.core.frames import write_csv
from mechaware.core.levels import significance_at
from mechaware.verdicts.planted_texts import read_planted_models
from mechaware.verdicts.seen_calibration import calibrate
from scripts.command import Output


def main(
    *,
    text: str,
    seeds: list[int],
    scores: list[Path],
    evidence: list[Path],
    verdict_detectors: list[str],
    calibration_draws: int,
    confidence_level: float,
    seed: int,
    calibration: Output,
) -> None:
    """Write the rows of `calibrate`; `text` names the kind of text that was planted.

    Files are given seed by seed, for each seed twin A's evidence before twin B's.
    """
    table = calibrate(
        read_planted_models(seeds, scores, evidence),
        verdict_detectors,
        draws=calibration_draws,
        significance=significance_at(confidence_level),
        seed=seed,
    )
    write_csv(table.assign(text=text), calibration)
