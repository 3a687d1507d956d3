"""Calibrate the verdict on a paper: how often each judge is wrong on planted papers,
with the procedure it followed.
"""

from pathlib import Path

import pandas as pd

from mechaware.core.frames import write_csv
from mechaware.instruments.claims.rubric.records import PaperText, Scores, read_record
from mechaware.planted.papers.plan import PlantedPaper
from mechaware.verdicts.procedure import read_procedures
from mechaware.verdicts.supported_calibration import calibrate_judges
from scripts.command import Output


def main(
    *,
    scores: list[Path],
    truth: list[Path],
    flags: list[Path],
    summary: list[Path],
    procedures: Path,
    confidence_level: float,
    calibration: Output,
) -> None:
    """Write one row per judge.

    `scores` are of all papers, `truth` and `flags` of the planted ones; `summary` are tables, each
    named as its file; `procedures` are by judge.
    """
    table = calibrate_judges(
        [read_record(Scores, path) for path in scores],
        [read_record(PlantedPaper, path) for path in truth],
        [read_record(PaperText, path) for path in flags],
        {path.stem: pd.read_parquet(path) for path in summary},
        read_procedures(procedures),
        confidence_level=confidence_level,
    )
    write_csv(table, calibration)
