"""Summarise over the seeds how planted items were memorised, detected and told apart by kind."""

from collections.abc import Iterator, Sequence
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
    """Write three tables.

    - `planted_items` (`items_table`): what was memorised of the items and of the canaries, and
      which items RADAR calls recall
    - `detectors` (`detector_table`): how well each detector separates seen items from others
    - `kinds` (`kinds_table`, with the column design): how well each score of an item's kind, and
      each of RADAR's features, separates recall from reasoning

    `planted` and `scores` have one path for each of `seeds`. `answers` and `canaries` have two, the
    file of twin A before that of twin B. `own_scores` are the scores by the user's own detectors,
    one file for each seed, or no file.

    The table of kinds covers several designs. `design` is the design of `seeds`. `further_scores`
    has one file for each seed of the other designs, and `further_designs` names each file's design.
    """
    scores_of_seeds = []
    for seed, table in zip(seeds, read_scores(scores, own_scores), strict=True):
        scores_of_seeds.append(table.assign(seed=seed))
    all_scores = pd.concat(scores_of_seeds, ignore_index=True)

    items = []
    for seed, folder, answered, scored in zip(
        seeds, planted, _read_by_twin(answers), scores_of_seeds, strict=True
    ):
        items.append(item_rows(answered, scored, read_plan(folder).items, seed))
    recited = []
    for tables_of_seed in _read_by_twin(canaries):
        for twin, table in tables_of_seed.items():
            recited.append(table.assign(twin=twin))
    summary = items_table(pd.concat(items, ignore_index=True), pd.concat(recited), confidence_level)
    write_parquet(summary, planted_items, digits=10)

    detector_names = columns_of_detectors(all_scores)
    write_csv(detector_table(all_scores, detector_names, confidence_level), detectors)

    scores_by_design = {design: [all_scores]}
    for number, (name, path) in enumerate(zip(further_designs, further_scores, strict=True)):
        # Within a design any distinct numbers serve as seeds: they only group the rows.
        table = pd.read_parquet(path).assign(seed=number)
        scores_by_design.setdefault(name, []).append(table)

    features = [column for column in all_scores if column.startswith(FEATURE)]
    readers = [*KIND_READERS, *features]
    kind_tables = []
    for name, tables in scores_by_design.items():
        table = kinds_table(pd.concat(tables), readers, confidence_level)
        kind_tables.append(table.assign(design=name))
    write_parquet(pd.concat(kind_tables, ignore_index=True), kinds, digits=10)


def _read_by_twin(paths: Sequence[Path]) -> Iterator[dict[str, pd.DataFrame]]:
    """For each seed its tables, by twin.

    The files s0/A, s0/B, s1/A, s1/B become {A: s0/A, B: s0/B} and {A: s1/A, B: s1/B}.
    """
    remaining = iter(paths)
    for _ in range(len(paths) // len(TWINS)):
        yield {twin: pd.read_parquet(next(remaining)) for twin in TWINS}
