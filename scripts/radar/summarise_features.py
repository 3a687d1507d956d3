"""How well a model's single features separate the classes of each prompt set, and how redundant they are."""

from pathlib import Path

import pandas as pd

from exhibits.radar.summaries.features import summarise_features
from exhibits.radar.summaries.redundancy import correlate_features, count_redundancy
from mechaware.core.frames import write_parquet
from mechaware.instruments.radar.identity import concat_sets
from scripts.command import Output


def main(
    *,
    model: str,
    prompt_sets: list[str],
    features: list[Path],
    confidence_level: float,
    bootstrap_resamples: int,
    seeds: list[int],
    discrimination: Output,
    correlation: Output,
    redundancy: Output,
) -> None:
    """Write the separation by prompt set, and correlations and counts over all sets together.

    `features` and `seeds` are given set by set.
    """
    tables = [pd.read_parquet(path) for path in features]
    effects = []
    for table, seed in zip(tables, seeds, strict=True):
        effect = summarise_features(
            table, resamples=bootstrap_resamples, seed=seed, confidence_level=confidence_level
        )
        effects.append(effect)
    write_parquet(concat_sets(effects, model, prompt_sets), discrimination, digits=10)

    every_prompt = pd.concat(tables, ignore_index=True)
    write_parquet(correlate_features(every_prompt).assign(model=model), correlation, digits=10)
    counts = {"model": model} | count_redundancy(every_prompt)._asdict()
    write_parquet(pd.DataFrame([counts]), redundancy, digits=10)
