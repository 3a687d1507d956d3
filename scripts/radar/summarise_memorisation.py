"""Summarise the planted memorisation over its seeds."""

from pathlib import Path

import pandas as pd

from exhibits.radar.summaries.memorisation import (
    detector_table,
    item_rows,
    items_table,
    kinds_table,
)
from mechaware.core.frames import write_csv, write_parquet
from mechaware.instruments.radar.detectors.columns import FEATURE, IDENTITY, KIND_READERS, SHUFFLED
from mechaware.planted.twins.items import TWINS
from mechaware.planted.twins.planting import read_plan
from mechaware.planted.twins.scoring import read_scores
from scripts.command import Output


def main(
    *,
    seeds: list[int],
    planted: list[Path],
    scores: list[Path],
    own_scores: list[Path],
    answers: list[Path],
    canaries: list[Path],
    design: str,
    further_designs: list[str],
    further_scores: list[Path],
    confidence_level: float,
    planted_items: Output,
    detectors: Output,
    kinds: Output,
) -> None:
    """Write one table per question. Files are given seed by seed, for each seed twin A's before twin B's.

    `own_scores` has no files if the user has no detectors of their own. `further_scores` are the scores of seeds of
    other designs than `design`, beside which the table of kinds has them; `further_designs` names the design of each.
    """
    scored = [
        table.assign(seed=number)
        for number, table in zip(seeds, read_scores(scores, own_scores), strict=True)
    ]
    answered, recited = ([pd.read_parquet(path) for path in paths] for paths in (answers, canaries))
    rows = [
        item_rows(
            dict(zip(TWINS, answered[2 * index :][:2], strict=True)),
            own,
            read_plan(folder).items,
            number,
        )
        for index, (number, folder, own) in enumerate(zip(seeds, planted, scored, strict=True))
    ]
    twins = [twin for _ in seeds for twin in TWINS]
    lines = pd.concat([table.assign(twin=twin) for table, twin in zip(recited, twins, strict=True)])
    write_parquet(
        items_table(pd.concat(rows, ignore_index=True), lines, confidence_level),
        planted_items,
        digits=10,
    )
    both = pd.concat(scored, ignore_index=True)
    scored_twice = [name for name in both if f"{SHUFFLED}_{name}" in both and name not in IDENTITY]
    write_csv(detector_table(both, scored_twice, confidence_level), detectors)
    readers = [*KIND_READERS, *(name for name in both if name.startswith(FEATURE))]
    by_design = {design: [both]}
    for number, (name, path) in enumerate(zip(further_designs, further_scores, strict=True)):
        by_design.setdefault(name, []).append(pd.read_parquet(path).assign(seed=number))
    tables = [
        kinds_table(pd.concat(tables), readers, confidence_level).assign(design=name)
        for name, tables in by_design.items()
    ]
    write_parquet(pd.concat(tables, ignore_index=True), kinds, digits=10)
