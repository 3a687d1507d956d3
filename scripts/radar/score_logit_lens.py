"""Score planted names by the logit lens over layers,
and by the likelihoods that are fitted alike.
"""

from pathlib import Path

import pandas as pd

from mechaware.core.frames import write_parquet
from mechaware.instruments.radar.detectors.logit_lens import score_logit_lens
from scripts.command import Output


def main(
    *,
    seeds: list[int],
    scores: list[Path],
    names_seeds: list[int],
    names_scores: list[Path],
    seed: int,
    lens_scores: Output,
) -> None:
    """Write the rows of `score_logit_lens`; `scores` has a file for each of `seeds`.

    If the items were planted in a pretrained model, `names_scores` are scores of names in clean
    bases, a file for each of `names_seeds`; otherwise both are empty.
    """
    names = read_seeds(names_seeds, names_scores) if names_scores else None
    table = score_logit_lens(read_seeds(seeds, scores), names, seed=seed)
    write_parquet(table, lens_scores)


def read_seeds(seeds: list[int], scores: list[Path]) -> pd.DataFrame:
    """The scores of all seeds below one another, with the column seed."""
    tables = []
    for number, path in zip(seeds, scores, strict=True):
        tables.append(pd.read_parquet(path).assign(seed=number))
    return pd.concat(tables, ignore_index=True)
