"""Summarise the probes of planted docstrings over their seeds,
as `summarise_text_twins` does other detectors.
"""

from pathlib import Path

import pandas as pd

from exhibits.radar.summaries.probes import probes_table
from mechaware.core.frames import write_csv
from mechaware.instruments.radar.evidence.probes import probe_evidence
from scripts.command import Output


def main(
    *,
    seeds: list[int],
    scores: list[Path],
    probes: list[Path],
    confidence_level: float,
    seed: int,
    natural: Output,
) -> None:
    """Write the rows of `probes_table`. `scores` and `probes` have a file for each of `seeds`."""
    tables = []
    for number, of_detectors, of_probes in zip(seeds, scores, probes, strict=True):
        table = pd.read_parquet(of_detectors).merge(
            pd.read_parquet(of_probes), how="left", on=["twin", "id"], validate="one_to_one"
        )
        tables.append(table.assign(seed=number))
    both = pd.concat(tables, ignore_index=True)
    summary = probes_table(both, probe_evidence(both), confidence_level=confidence_level, seed=seed)
    write_csv(summary, natural)
