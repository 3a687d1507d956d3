"""Summarise the planted memorisation over its seeds."""

from pathlib import Path

import pandas as pd

from mechaware.frames import write_csv, write_parquet
from mechaware.radar.detectors.registry import DETECTORS
from mechaware.radar.memorisation.items import TWINS
from mechaware.radar.memorisation.planting import read_plan
from mechaware.radar.memorisation.scoring import BLIND
from mechaware.radar.study.memorisation import BootstrapSettings, crossed_table, detector_table, roc_table
from mechaware.radar.study.memorised_items import compare_proxies, item_rows, items_table, regression_table
from scripts.command import Output, run


def main(
    *,
    seeds: list[int],
    planted: list[Path],
    scores: list[Path],
    answers: list[Path],
    canaries: list[Path],
    causal: list[Path],
    roc_dose: int,
    confidence_level: float,
    bootstrap_resamples: int,
    seed: int,
    planted_items: Output,
    detectors: Output,
    roc: Output,
    crossed: Output,
    regression: Output,
    proxies: Output,
) -> None:
    """Write one table per question. Files are given seed by seed, for each seed twin A's before twin B's."""
    settings = BootstrapSettings(bootstrap_resamples, seed, confidence_level)
    runs = [(number, twin) for number in seeds for twin in TWINS]
    scored = pd.concat(
        [pd.read_parquet(path).assign(seed=number) for number, path in zip(seeds, scores, strict=True)],
        ignore_index=True,
    )
    names = [name for name in (*(detector.name for detector in DETECTORS), *BLIND) if name in scored]
    plans = [read_plan(path) for path in planted]
    answered = [pd.read_parquet(path) for path in answers]
    rows = [
        item_rows(dict(zip(TWINS, answered[2 * index : 2 * index + 2], strict=True)), list(plan.items), number)
        for index, (number, plan) in enumerate(zip(seeds, plans, strict=True))
    ]
    recited = pd.concat(
        [
            pd.read_parquet(path).assign(seed=number, twin=twin)
            for (number, twin), path in zip(runs, canaries, strict=True)
        ]
    )
    halves = {(number, item.id): item.half for number, plan in zip(seeds, plans, strict=True) for item in plan.items}
    measured = pd.concat(
        [
            table.assign(
                group=f"{number}/" + table["id"],
                model=f"{number}{twin}",
                seen=[halves[number, name] == twin for name in table["id"]],
            )
            for (number, twin), path in zip(runs, causal, strict=True)
            for table in [pd.read_parquet(path)]
        ],
        ignore_index=True,
    )
    write_parquet(items_table(pd.concat(rows, ignore_index=True), recited, settings), planted_items, digits=10)
    write_csv(detector_table(scored, names, settings), detectors)
    write_parquet(roc_table(scored, names, roc_dose), roc, digits=10)
    write_parquet(crossed_table(scored, settings), crossed, digits=10)
    write_parquet(regression_table(scored, settings), regression, digits=10)
    write_parquet(compare_proxies(measured, settings), proxies, digits=10)


if __name__ == "__main__":
    run(main)
