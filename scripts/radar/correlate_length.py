"""Correlate attention entropy, summed and averaged over queries, with the length of prompts."""

from pathlib import Path

import pandas as pd

from exhibits.radar.summaries.length import correlate_length
from mechaware.core.frames import write_parquet
from mechaware.core.seeds import derive_seed
from scripts.command import Output


def main(
    *,
    model: str,
    prompt_sets: list[str],
    entropy_sum: list[Path],
    entropy_mean: list[Path],
    confidence_level: float,
    bootstrap_resamples: int,
    seed: int,
    length_correlation: Output,
) -> None:
    """Write one row per reduction and prompt set.

    Columns: model, prompt_set, reduction (sum or mean), and those of `correlate_length`: Spearman's
    correlation of the feature attention_entropy with the number of tokens, its bootstrap interval
    low and high, and n, the number of prompts.

    `entropy_sum` and `entropy_mean` are files of features, one for each prompt set, in the order of
    `prompt_sets`: attention entropies are summed in the former and averaged in the latter. Both
    reductions of a prompt set have the same bootstrap resamples.
    """
    rows = []
    for reduction, paths in {"sum": entropy_sum, "mean": entropy_mean}.items():
        for prompt_set, path in zip(prompt_sets, paths, strict=True):
            correlation = correlate_length(
                pd.read_parquet(path),
                "attention_entropy",
                resamples=bootstrap_resamples,
                seed=derive_seed(seed, prompt_set),
                confidence_level=confidence_level,
            )
            identity = {"model": model, "prompt_set": prompt_set, "reduction": reduction}
            rows.append(identity | correlation)
    write_parquet(pd.DataFrame(rows), length_correlation, digits=10)
