"""Count a model's right answers, and RADAR's verdicts on them, by label."""

from pathlib import Path

import pandas as pd

from mechaware.frames import read_csv, write_csv
from mechaware.radar.identity import from_origin
from mechaware.radar.schemas import ANSWERS, PREDICTIONS
from mechaware.radar.study.summaries import answer_counts
from scripts.command import Output, run


def main(
    *, model: str, prompt_set: str, answers: Path, predictions: Path, confidence_level: float, out: Output
) -> None:
    """Write one row per label; `predictions` is cross_validation.csv or a Parquet file."""
    is_csv = predictions.suffix == ".csv"
    verdicts = read_csv(predictions, PREDICTIONS) if is_csv else pd.read_parquet(predictions)
    counts = answer_counts(read_csv(answers, ANSWERS), verdicts, level=confidence_level)
    write_csv(from_origin(counts, model, prompt_set), out)


if __name__ == "__main__":
    run(main)
