"""Summarise the planted docstrings over their seeds."""

from pathlib import Path

import pandas as pd

from exhibits.radar.summaries.natural import natural_table
from mechaware.core.frames import write_csv
from mechaware.instruments.radar.detectors.columns import columns_of_detectors
from scripts.command import Output


def main(*, seeds: list[int], scores: list[Path], confidence_level: float, natural: Output) -> None:
    """Write one row per detector and dose; `scores` has a file for each seed."""
    tables = []
    for number, path in zip(seeds, scores, strict=True):
        tables.append(pd.read_parquet(path).assign(seed=number))
    all_scores = pd.concat(tables, ignore_index=True)

    detectors = columns_of_detectors(all_scores)
    write_csv(natural_table(all_scores, detectors, confidence_level), natural)
