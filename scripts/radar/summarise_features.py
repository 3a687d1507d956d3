"""Summarise how well each feature separates the classes."""

from pathlib import Path

import pandas as pd

from mechaware.frames import write_csv
from mechaware.radar.identity import from_origin
from mechaware.radar.study.summaries import discriminate
from scripts.command import Output, run


def main(*, model: str, prompt_set: str, features: Path, out: Output) -> None:
    """Write means by class, Cohen's d and the area under the ROC curve of every feature."""
    write_csv(from_origin(discriminate(pd.read_parquet(features)), model, prompt_set), out)


if __name__ == "__main__":
    run(main)
