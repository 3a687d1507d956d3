"""Ask whether RADAR's features add to what the twins' output shows,
on planted seeds that were left out.
"""

from pathlib import Path

import pandas as pd

from exhibits.radar.summaries.inside import inside_table
from mechaware.core.frames import write_csv
from scripts.command import Output


def main(
    *,
    seeds: list[int],
    scores: list[Path],
    answer_scores: list[Path],
    confidence_level: float,
    seed: int,
    inside: Output,
) -> None:
    """Write a row per reader, kind, cell and choice of seeds;
    a list of files has one for each of `seeds`.
    """
    tables = []
    for number, path, answers in zip(seeds, scores, answer_scores, strict=True):
        table = pd.read_parquet(path).assign(seed=number)
        both = table.merge(pd.read_parquet(answers), on=["twin", "id"], validate="one_to_one")
        tables.append(both)
    items = pd.concat(tables, ignore_index=True)
    write_csv(inside_table(items, confidence_level=confidence_level, seed=seed), inside)
