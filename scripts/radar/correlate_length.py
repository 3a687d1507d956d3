"""How far a model's attention entropy follows the length of prompts, under both reductions."""

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

    `entropy_sum` and `entropy_mean` are the features of the prompt sets, in the order of
    `prompt_sets`: attention entropies are summed in the former and averaged in the latter.
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
