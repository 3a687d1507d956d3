"""Average the scores by class."""

from pathlib import Path

from mechaware.frames import read_csv, write_csv
from mechaware.radar.frames import from_origin, is_of_the_papers_kind, pairs
from mechaware.radar.study.summaries import score_means
from scripts.command import run


def main(*, scores: Path, confidence_level: float, bootstrap_resamples: int, seed: int, out: Path) -> None:
    """Write the mean of every score for recall and for reasoning prompts, with bootstrap intervals."""
    table = read_csv(scores)
    rows = score_means(table, pairs(table), resamples=bootstrap_resamples, seed=seed, level=confidence_level)
    rows["papers_kind"] = is_of_the_papers_kind(table)
    write_csv(from_origin(rows, table["model"].iloc[0], table["prompt_set"].iloc[0]), out)


if __name__ == "__main__":
    run(main)
