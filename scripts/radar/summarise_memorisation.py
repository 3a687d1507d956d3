"""Summarise the planted memorisation over its seeds."""

from pathlib import Path

import pandas as pd

from exhibits.radar.summaries.memorisation import detector_table, kinds_table
from exhibits.radar.summaries.planted_items import item_rows, items_table
from mechaware.core.frames import write_csv, write_parquet
from mechaware.instruments.radar.detectors.columns import (
    FEATURE,
    KIND_READERS,
    columns_of_detectors,
)
from mechaware.planted.twins.items import TWINS
from mechaware.planted.twins.planted_files import read_plan
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
    """Write three tables: right answers and canaries of the items, detectors, and readers of an item's kind.

    `planted` and `scores` have a file for each of `seeds`, `answers` and `canaries` two, twin A's before twin B's.
    `own_scores` has no files if the user has no detectors of their own. `further_scores` are scores of seeds of other
    designs than `design`, for the table of kinds; `further_designs` names the design of each.
    """
    scored = []
    for seed, table in zip(seeds, read_scores(scores, own_scores), strict=True):
        scored.append(table.assign(seed=seed))

    rows = []
    recited = []
    answers_in_order = iter(answers)
    canaries_in_order = iter(canaries)
    for seed, folder, scores_of_seed in zip(seeds, planted, scored, strict=True):
        answered = {}
        for twin in TWINS:
            answered[twin] = pd.read_parquet(next(answers_in_order))
            recited.append(pd.read_parquet(next(canaries_in_order)).assign(twin=twin))
        rows.append(item_rows(answered, scores_of_seed, read_plan(folder).items, seed))
    all_rows = pd.concat(rows, ignore_index=True)
    items = items_table(all_rows, pd.concat(recited), confidence_level)
    write_parquet(items, planted_items, digits=10)

    all_scores = pd.concat(scored, ignore_index=True)
    names = columns_of_detectors(all_scores)
    write_csv(detector_table(all_scores, names, confidence_level), detectors)

    readers = list(KIND_READERS)
    for name in all_scores:
        if name.startswith(FEATURE):
            readers.append(name)

    by_design = {design: [all_scores]}
    for number, (name, path) in enumerate(zip(further_designs, further_scores, strict=True)):
        by_design.setdefault(name, []).append(pd.read_parquet(path).assign(seed=number))
    tables = []
    for name, tables_of_design in by_design.items():
        of_design = kinds_table(pd.concat(tables_of_design), readers, confidence_level)
        tables.append(of_design.assign(design=name))
    write_parquet(pd.concat(tables, ignore_index=True), kinds, digits=10)
