"""Compare RADAR with its controls in each prompt set of a model."""

from pathlib import Path

import pandas as pd

from exhibits.radar.summaries.comparison import compare_controls
from mechaware.core.frames import write_parquet
from mechaware.instruments.radar.feature_extraction.measurements import Reduction
from mechaware.instruments.radar.identity import concat_sets
from scripts.command import Output


def main(
    *,
    model: str,
    prompt_sets: list[str],
    controls: list[Path],
    spread: list[Path],
    permuted: list[Path],
    attention_entropy_reduction: Reduction,
    confidence_level: float,
    bootstrap_resamples: int,
    seeds: list[int],
    comparison: Output,
) -> None:
    """Write one row per prompt set, protocol, system and reduction (`compare_controls`).

    `controls`, `spread`, `permuted` and `seeds` have one entry per prompt set, in the order of
    `prompt_sets`. The files of a set have the predictions of every system (`controls`), whether
    RADAR and two baselines are right under each of several seeds (`spread`), and their accuracies
    under permuted labels (`permuted`).
    """
    compared = []
    by_set = zip(controls, spread, permuted, seeds, strict=True)
    for controls_file, spread_file, permuted_file, seed in by_set:
        of_set = compare_controls(
            pd.read_parquet(controls_file),
            pd.read_parquet(spread_file),
            pd.read_parquet(permuted_file),
            reduction=attention_entropy_reduction,
            resamples=bootstrap_resamples,
            seed=seed,
            confidence_level=confidence_level,
        )
        compared.append(of_set)
    write_parquet(concat_sets(compared, model, prompt_sets), comparison, digits=10)
