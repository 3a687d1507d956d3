"""Measure how often a verdict is wrong, on the items planted in twins."""

from pathlib import Path

import pandas as pd

from mechaware.core.frames import write_csv
from mechaware.core.levels import significance_at
from mechaware.instruments.radar.evidence.evidence import read_evidence
from mechaware.planted.twins.items import TWINS
from mechaware.verdicts.seen_calibration import PlantedModel, calibrate
from scripts.command import Output


def main(
    *,
    seeds: list[int],
    scores: list[Path],
    evidence: list[Path],
    verdict_detectors: list[str],
    calibration_draws: int,
    confidence_level: float,
    seed: int,
    calibration: Output,
) -> None:
    """Write one row per cell, with the verdict's detectors and with those that need no reference model.

    Files are given seed by seed, for each seed twin A's evidence before twin B's.
    """
    twins = iter(evidence)
    models = []
    for number, path in zip(seeds, scores, strict=True):
        table = pd.read_parquet(path)
        for twin in TWINS:
            rows = table[table["twin"] == twin].reset_index(drop=True)
            models.append(PlantedModel(f"s{number}/{twin}", rows, read_evidence(next(twins))))
    level = significance_at(confidence_level)
    write_csv(
        calibrate(models, verdict_detectors, draws=calibration_draws, level=level, seed=seed),
        calibration,
    )
