"""Summarise the probes of planted docstrings over their seeds, as `summarise_text_twins` does other detectors."""

from pathlib import Path

import pandas as pd

from exhibits.radar.summaries.natural import natural_table
from mechaware.core.frames import write_csv
from mechaware.instruments.radar.detectors.columns import SHUFFLED
from mechaware.instruments.radar.detectors.probes import PROBES
from mechaware.instruments.radar.evidence.probes import ProbeEvidence
from scripts.command import Output


def main(
    *,
    seeds: list[int],
    scores: list[Path],
    probes: list[Path],
    confidence_level: float,
    natural: Output,
) -> None:
    """Write the rows of `natural_table` for each of `PROBES`. `scores` and `probes` have a file for each seed."""
    tables = []
    for number, of_detectors, of_probes in zip(seeds, scores, probes, strict=True):
        rows = pd.read_parquet(of_detectors)
        measured = rows[["twin", "id"]].merge(
            pd.read_parquet(of_probes), how="left", on=["twin", "id"], validate="one_to_one"
        )
        evidence = ProbeEvidence(
            **{field: measured[field].to_numpy(float) for field in ProbeEvidence._fields}
        )
        for probe in PROBES:
            rows[probe.name] = probe.score(evidence)
            # No probe is fitted on the truth, so that a shuffled truth leaves its scores as they are.
            rows[f"{SHUFFLED}_{probe.name}"] = rows[probe.name]
        tables.append(rows.assign(seed=number))
    names = [probe.name for probe in PROBES]
    write_csv(natural_table(pd.concat(tables, ignore_index=True), names, confidence_level), natural)
