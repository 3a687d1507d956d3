"""Summarise the scores by class."""

from pathlib import Path

from mechaware.frames import read_csv, write_csv
from mechaware.radar.identity import from_sets
from mechaware.radar.schemas import SCORES
from mechaware.radar.study.summaries import score_means
from scripts.command import Output, run


def main(
    *,
    model: str,
    prompt_sets: list[str],
    scores: list[Path],
    confidence_level: float,
    bootstrap_resamples: int,
    seeds: list[int],
    out: Output,
) -> None:
    """Write the means of every score for each set's recall and reasoning prompts, with bootstrap intervals."""
    rows = [
        score_means(read_csv(path, SCORES), resamples=bootstrap_resamples, seed=seed, level=confidence_level)
        for path, seed in zip(scores, seeds, strict=True)
    ]
    write_csv(from_sets(rows, model, prompt_sets), out)


if __name__ == "__main__":
    run(main)
