"""Summarise a model's predictions, controls, features, scores and answers over its prompt sets."""

from pathlib import Path

import pandas as pd

from exhibits.radar.summaries.comparison import compare_controls
from exhibits.radar.summaries.summaries import (
    correlate_features,
    correlate_length,
    count_answers,
    count_redundancy,
    summarise_features,
    summarise_performance,
    summarise_scores,
)
from mechaware.core.frames import write_parquet
from mechaware.core.seeds import derive_seed
from mechaware.instruments.radar.feature_extraction.measurements import REDUCTIONS, Reduction
from mechaware.instruments.radar.identity import concat_sets
from scripts.command import Output


def main(
    *,
    model: str,
    prompt_sets: list[str],
    sum: list[Path],
    mean: list[Path],
    cross_validation: Path,
    predictions: list[Path],
    scores: list[Path],
    controls: list[Path],
    spread: list[Path],
    permuted: list[Path],
    answers: list[Path],
    attention_entropy_reduction: Reduction,
    confidence_level: float,
    bootstrap_resamples: int,
    seeds: list[int],
    score_seeds: list[int],
    length_seed: int,
    performance: Output,
    comparison: Output,
    discrimination: Output,
    answer_counts: Output,
    score_means: Output,
    correlation: Output,
    redundancy: Output,
    length_correlation: Output,
) -> None:
    """Write one table per question, with rows of each prompt set, or of all sets together for `correlation` and counts.

    The training set comes first in `prompt_sets`, `sum`, `mean`, `answers` and `seeds`; the other files and
    `score_seeds` are of the other sets, and the training set's predictions are those of `cross_validation`. `sum` and
    `mean` are the features under the two reductions of attention entropies.
    """
    intervals = {"resamples": bootstrap_resamples, "level": confidence_level}
    features = {
        reduction: [pd.read_parquet(path) for path in paths]
        for reduction, paths in zip(REDUCTIONS, (sum, mean), strict=True)
    }
    reported, others = features[attention_entropy_reduction], prompt_sets[1:]
    predicted = [pd.read_parquet(path) for path in (cross_validation, *predictions)]

    answered = [pd.read_parquet(path) for path in answers]
    accuracies = [
        summarise_performance(table, own, seed=seed, **intervals)
        for table, own, seed in zip(predicted, answered, seeds, strict=True)
    ]
    write_parquet(concat_sets(accuracies, model, prompt_sets), performance, digits=10)

    compared = [
        compare_controls(
            *(pd.read_parquet(path) for path in paths),
            reduction=attention_entropy_reduction,
            seed=seed,
            **intervals,
        )
        for *paths, seed in zip(controls, spread, permuted, seeds[1:], strict=True)
    ]
    write_parquet(concat_sets(compared, model, others), comparison, digits=10)

    effects = [
        summarise_features(table, seed=seed, **intervals)
        for table, seed in zip(reported, seeds, strict=True)
    ]
    write_parquet(concat_sets(effects, model, prompt_sets), discrimination, digits=10)

    counts = [
        count_answers(own, table, level=confidence_level)
        for own, table in zip(answered, predicted, strict=True)
    ]
    write_parquet(concat_sets(counts, model, prompt_sets), answer_counts, digits=10)

    means = [
        summarise_scores(pd.read_parquet(path), seed=seed, **intervals)
        for path, seed in zip(scores, score_seeds, strict=True)
    ]
    write_parquet(concat_sets(means, model, others), score_means, digits=10)

    every_prompt = pd.concat(reported, ignore_index=True)
    write_parquet(correlate_features(every_prompt).assign(model=model), correlation, digits=10)
    write_parquet(
        pd.DataFrame([{"model": model} | count_redundancy(every_prompt)._asdict()]),
        redundancy,
        digits=10,
    )
    lengths = [
        {"model": model, "prompt_set": prompt_set, "reduction": reduction}
        | correlate_length(
            table, "attention_entropy", seed=derive_seed(length_seed, prompt_set), **intervals
        )
        for reduction, tables in features.items()
        for prompt_set, table in zip(prompt_sets, tables, strict=True)
    ]
    write_parquet(pd.DataFrame(lengths), length_correlation, digits=10)
