"""Summarise over planted seeds what the logit lens adds,
and what it loses on models that it was not fitted on.
"""

from pathlib import Path

import pandas as pd

from exhibits.radar.summaries.lens import lens_table
from mechaware.core.frames import write_csv
from scripts.command import Output


def main(*, lens_scores: list[Path], confidence_level: float, lens: Output) -> None:
    """Write the rows of `lens_table`; `lens_scores` has a file for each plant."""
    scores = pd.concat([pd.read_parquet(path) for path in lens_scores], ignore_index=True)
    write_csv(lens_table(scores, confidence_level), lens)
