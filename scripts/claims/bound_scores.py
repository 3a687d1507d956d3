"""Give each paper's CVS an interval from the mistakes that the judge made on the planted papers of the trust study."""

from pathlib import Path

from mechaware.claims.rubric.records import Scores, read_record
from mechaware.claims.schemas import TRIALS
from mechaware.claims.study.trust import bounded_scores
from mechaware.frames import read_csv, write_csv
from scripts.command import Output, run


def main(*, trials: Path, scores: list[Path], draws: int, confidence_level: float, seed: int, out: Output) -> None:
    """Write a row for each paper that has a score."""
    records = [read_record(Scores, path) for path in scores]
    table = bounded_scores(read_csv(trials, TRIALS), records, draws=draws, level=confidence_level, seed=seed)
    write_csv(table, out)


if __name__ == "__main__":
    run(main)
