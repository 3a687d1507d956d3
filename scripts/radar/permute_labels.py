"""Permute a prompt set's labels: the null of RADAR's accuracy and of its largest effect."""

from pathlib import Path

import pandas as pd

from mechaware.core.frames import write_parquet
from mechaware.instruments.radar.identity import with_origin, with_text
from mechaware.instruments.radar.permuted_labels import permutation_draws
from mechaware.instruments.radar.prompts import read_prompts
from scripts.command import Output


def main(
    *,
    model: str,
    prompt_set: str,
    features: Path,
    prompts: Path,
    folds: int,
    permutations: int,
    seed: int,
    out: Output,
) -> None:
    """Write one row per permutation: the largest effect and, in a set of pairs,
    the refitted systems' accuracies.
    """
    table = with_text(pd.read_parquet(features), read_prompts(prompts))
    draws = permutation_draws(table, folds=folds, permutations=permutations, seed=seed)
    write_parquet(with_origin(draws, model, prompt_set), out, digits=10)
