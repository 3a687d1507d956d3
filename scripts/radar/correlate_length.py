"""Correlate the mean attention entropy with the length of the prompts."""

from pathlib import Path

import pandas as pd

from mechaware.frames import write_csv
from mechaware.radar.feature_extraction.measurements import REDUCTIONS
from mechaware.radar.study.summaries import length_correlation
from mechaware.seeds import derive_seed
from scripts.command import Output, run


def main(
    *,
    model: str,
    prompt_sets: list[str],
    sum: list[Path],
    mean: list[Path],
    confidence_level: float,
    bootstrap_resamples: int,
    seed: int,
    out: Output,
) -> None:
    """Write one row per prompt set and reduction; `sum` and `mean` are the sets' features under each."""
    rows = []
    for reduction, paths in zip(REDUCTIONS, (sum, mean), strict=True):
        for prompt_set, path in zip(prompt_sets, paths, strict=True):
            correlation = length_correlation(
                pd.read_parquet(path),
                "attention_entropy",
                resamples=bootstrap_resamples,
                seed=derive_seed(seed, prompt_set),
                level=confidence_level,
            )
            rows.append({"model": model, "prompt_set": prompt_set, "reduction": reduction} | correlation)
    write_csv(pd.DataFrame(rows), out)


if __name__ == "__main__":
    run(main)
