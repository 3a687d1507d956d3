"""Measure how well each feature of a model separates recall from reasoning prompts.

Also measures how redundant the features are.
"""

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
    """Write three tables: one by prompt set, and two over the prompts of all sets together.

    By prompt set, `discrimination` has how well each feature separates recall from reasoning
    prompts. Over all sets, `correlation` has the rank correlation of every two features, and
    `redundancy` has one row with the counts of `count_redundancy`, such as how many features are
    constant and how many of the others are distinct. `features` and `seeds` have one entry for each
    of `prompt_sets`.
    """
    tables = [pd.read_parquet(path) for path in features]
    separations = []
    for table, seed in zip(tables, seeds, strict=True):
        separation = summarise_features(
            table, resamples=bootstrap_resamples, seed=seed, confidence_level=confidence_level
        )
        separations.append(separation)
    every_set = concat_sets(separations, model, prompt_sets)
    write_parquet(every_set, discrimination, digits=10)

    every_prompt = pd.concat(tables, ignore_index=True)
    write_parquet(correlate_features(every_prompt).assign(model=model), correlation, digits=10)
    counts = {"model": model} | count_redundancy(every_prompt)._asdict()
    write_parquet(pd.DataFrame([counts]), redundancy, digits=10)
