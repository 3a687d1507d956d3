"""Calibrate the verdict on a paper: how often each judge is right about planted papers."""

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
    """Write a row per judge that read a planted paper; `calibrate_judges` has the columns.

    Args:
        scores: The files scores.json of all judges and papers, planted or not.
        truth: For each planted paper, what was planted in it.
        flags: For each planted paper, the record of its text (flags.json).
        summary: Tables of the judges' results; each has the name of its file.
        procedures: The procedure that each judge followed.
        confidence_level: The level of the intervals, such as 0.95.
        calibration: The rows, a CSV file.
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
