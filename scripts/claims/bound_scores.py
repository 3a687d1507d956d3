"""Give each paper's CVS an interval from the mistakes that the judge made on the planted papers of the trust study."""

from pathlib import Path

import pandas as pd

from mechaware.claims.rubric.records import Scores, read_record
from mechaware.claims.study.trust import bounded_scores
from mechaware.frames import write_csv
from scripts.command import Output, run


def main(*, trials: Path, scores: list[Path], draws: int, confidence_level: float, seed: int, out: Output) -> None:
    """Write a row for each paper that has a score."""
    records = [read_record(Scores, path) for path in scores]
    table = bounded_scores(pd.read_parquet(trials), records, draws=draws, level=confidence_level, seed=seed)
    write_csv(table, out)


if __name__ == "__main__":
    run(main)
