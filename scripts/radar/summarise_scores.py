"""Summarise the scores by class."""

from pathlib import Path

from mechaware.frames import read_csv, write_csv
from mechaware.radar.identity import as_one, from_origin
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
        from_origin(
            score_means(read_csv(path, SCORES), resamples=bootstrap_resamples, seed=seed, level=confidence_level),
            model,
            prompt_set,
        )
        for prompt_set, path, seed in zip(prompt_sets, scores, seeds, strict=True)
    ]
    write_csv(as_one(rows), out)


if __name__ == "__main__":
    run(main)
