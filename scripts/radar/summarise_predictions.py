"""Summarise RADAR's predictions by prompt set: accuracies, answer counts and mean scores."""

from pathlib import Path

import pandas as pd

from exhibits.radar.summaries.predictions import (
    count_answers,
    summarise_performance,
    summarise_scores,
)
from mechaware.core.frames import write_parquet
from mechaware.instruments.radar.identity import concat_sets
from scripts.command import Output


def main(
    *,
    model: str,
    prompt_sets: list[str],
    cross_validation: Path,
    predictions: list[Path],
    scores: list[Path],
    answers: list[Path],
    confidence_level: float,
    bootstrap_resamples: int,
    seeds: list[int],
    score_seeds: list[int],
    performance: Output,
    answer_counts: Output,
    score_means: Output,
) -> None:
    """Write three tables with rows of each prompt set.

    `performance` has RADAR's accuracies, `answer_counts` its predictions on prompts that the model
    answers rightly or not, and `score_means` the means of its scores.

    The training set comes first in `prompt_sets`, `answers` and `seeds`. `predictions`, `scores`
    and `score_seeds` are of the other sets, in the order of `prompt_sets`. The training set's
    predictions are those of `cross_validation`, and it has no scores.
    """
    intervals = {"resamples": bootstrap_resamples, "confidence_level": confidence_level}
    predicted = [pd.read_parquet(path) for path in (cross_validation, *predictions)]
    answered = [pd.read_parquet(path) for path in answers]

    accuracies = []
    for set_predictions, set_answers, seed in zip(predicted, answered, seeds, strict=True):
        accuracies.append(
            summarise_performance(set_predictions, set_answers, seed=seed, **intervals)
        )
    write_parquet(concat_sets(accuracies, model, prompt_sets), performance, digits=10)

    counts = []
    for set_predictions, set_answers in zip(predicted, answered, strict=True):
        counts.append(
            count_answers(set_answers, set_predictions, confidence_level=confidence_level)
        )
    write_parquet(concat_sets(counts, model, prompt_sets), answer_counts, digits=10)

    means = []
    for path, seed in zip(scores, score_seeds, strict=True):
        means.append(summarise_scores(pd.read_parquet(path), seed=seed, **intervals))
    evaluated_sets = prompt_sets[1:]
    write_parquet(concat_sets(means, model, evaluated_sets), score_means, digits=10)
