"""Exact match and field accuracy of the trained models, with intervals over requests and seeds."""

from pathlib import Path

import pandas as pd

from mechaware.frames import read_csv, write_csv
from mechaware.grounding.schemas import PREDICTIONS
from mechaware.grounding.study.accuracy import score_by_condition
from scripts.command import Output, run


def main(
    *,
    predictions: list[Path],
    trained_runs: list[str],
    confidence_level: float,
    out: Output,
) -> None:
    """Write one row per condition of training, condition of evaluation and metric."""
    scores = pd.concat(
        [read_csv(path, PREDICTIONS).assign(run=name) for name, path in zip(trained_runs, predictions, strict=True)]
    )
    table = score_by_condition(scores, level=confidence_level)
    write_csv(table, out)


if __name__ == "__main__":
    run(main)
