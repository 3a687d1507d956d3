"""Both sets of rules over the grids of their thresholds, from the measurements alone."""

from pathlib import Path

import pandas as pd

from mechaware.frames import read_parquets, write_csv
from mechaware.grounding.rules.rule import Measurements, Thresholds, significance_at
from mechaware.grounding.study.thresholds import grounded_grid, paper_grid
from scripts.command import Output, run


def main(
    *,
    runs: list[str],
    patching: list[Path],
    cuts: list[Path],
    answers: list[Path],
    thirds: list[Path],
    taus: list[float],
    alphas: list[float],
    alpha: float,
    null_quantile: float,
    most_blocks: int,
    unasked_share: float,
    confidence_level: float,
    grounded_alphas: list[float],
    numbers_of_blocks: list[int],
    unasked_shares: list[float],
    null_quantiles: list[float],
    significances: list[float],
    out: Output,
    grounded: Output,
) -> None:
    """Write one row per run and point of each grid."""
    write_csv(paper_grid(read_parquets(patching), taus, alphas), out)
    measured = {
        run: Measurements(*map(pd.read_parquet, paths))
        for run, *paths in zip(runs, patching, cuts, answers, thirds, strict=True)
    }
    grid = grounded_grid(
        measured,
        Thresholds(taus[0], alpha, null_quantile, most_blocks, unasked_share, significance_at(confidence_level)),
        alphas=grounded_alphas,
        most_blocks=numbers_of_blocks,
        unasked_shares=unasked_shares,
        null_quantiles=null_quantiles,
        significances=significances,
    )
    write_csv(grid, grounded)


if __name__ == "__main__":
    run(main)
