"""Summarise the planted docstrings over their seeds."""

from pathlib import Path

import pandas as pd

from exhibits.radar.summaries.natural import natural_table
from mechaware.core.frames import write_csv
from mechaware.instruments.radar.detectors.columns import IDENTITY, SHUFFLED
from scripts.command import Output


def main(*, seeds: list[int], scores: list[Path], confidence_level: float, natural: Output) -> None:
    """Write one row per detector and dose; `scores` has a file for each seed."""
    tables = [
        pd.read_parquet(path).assign(seed=number)
        for number, path in zip(seeds, scores, strict=True)
    ]
    both = pd.concat(tables, ignore_index=True)
    detectors = [name for name in both if f"{SHUFFLED}_{name}" in both and name not in IDENTITY]
    write_csv(natural_table(both, detectors, confidence_level), natural)
