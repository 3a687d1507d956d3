"""Calibrate the verdict on a paper: how often each judge is wrong on planted papers, with the procedure it followed."""

from pathlib import Path

import pandas as pd

from mechaware.core.frames import write_csv
from mechaware.instruments.claims.judges.judge import ClaimsFound
from mechaware.instruments.claims.rubric.records import (
    PaperText,
    Scores,
    VoteRule,
    read_record,
)
from mechaware.instruments.claims.votes.audit import DevilsAdvocate
from mechaware.planted.papers.plan import PlantedPaper
from mechaware.verdicts.supported import Judging, procedures_of
from mechaware.verdicts.supported_calibration import calibrate_judges
from scripts.command import Output


def main(
    *,
    scores: list[Path],
    truth: list[Path],
    flags: list[Path],
    summary: list[Path],
    prompts: list[Path],
    judge_settings: dict[str, str],
    revisions: dict[str, str],
    vote: VoteRule,
    claims_found: ClaimsFound,
    least_similarity: float,
    leak_audit: bool,
    devils_advocate: DevilsAdvocate,
    runs: int,
    max_pages: int,
    confidence_level: float,
    calibration: Output,
) -> None:
    """Write one row per judge.

    `scores` are of all papers, `truth` and `flags` of the planted ones; `summary` are tables, each named as its file.
    `judge_settings` are each judge's entry as JSON, `revisions` the weights of those that are embedded.
    """
    judging = Judging(
        prompts=prompts,
        runs=runs,
        vote=vote,
        claims_found=claims_found,
        least_similarity=least_similarity,
        leak_audit=leak_audit,
        devils_advocate=devils_advocate,
        max_pages=max_pages,
        level=confidence_level,
    )
    table = calibrate_judges(
        [read_record(Scores, path) for path in scores],
        [read_record(PlantedPaper, path) for path in truth],
        [read_record(PaperText, path) for path in flags],
        {path.stem: pd.read_parquet(path) for path in summary},
        procedures_of(judge_settings, revisions, judging),
        level=confidence_level,
    )
    write_csv(table, calibration)
