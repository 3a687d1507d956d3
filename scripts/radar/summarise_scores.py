"""Summarise the scores by class."""

from pathlib import Path

from mechaware.frames import read_csv, write_csv
from mechaware.radar.identity import from_origin
from mechaware.radar.schemas import SCORES
from mechaware.radar.study.summaries import score_means
from scripts.command import Output, run


def main(*, scores: Path, confidence_level: float, bootstrap_resamples: int, seed: int, out: Output) -> None:
    """Write the mean of every score for recall and for reasoning prompts, with bootstrap intervals."""
    table = read_csv(scores, SCORES)
    rows = score_means(table, resamples=bootstrap_resamples, seed=seed, level=confidence_level)
    model, prompt_set = table.loc[0, ["model", "prompt_set"]]
    write_csv(from_origin(rows, model, prompt_set), out)


if __name__ == "__main__":
    run(main)
