"""Both sets of rules over the grids of their thresholds, from the measurements alone."""

from pathlib import Path

import pandas as pd

from mechaware.frames import read_parquets, write_csv
from mechaware.grounding.rules.rule import Measurements, Thresholds
from mechaware.grounding.study.thresholds import grounded_grid, paper_grid
from scripts.command import Output, SideOutput, run


def main(
    *,
    runs: list[str],
    patching: list[Path],
    cuts: list[Path],
    answers: list[Path],
    thirds: list[Path],
    taus: list[float],
    alphas: list[float],
    null_quantile: float,
    grounded_alphas: list[float],
    most_blocks: list[int],
    unasked_shares: list[float],
    confidence_level: float,
    out: Output,
    grounded: SideOutput,
) -> None:
    """Write one row per run and point of each grid."""
    write_csv(paper_grid(read_parquets(patching), taus, alphas), out)
    measured = {
        run: Measurements(*map(pd.read_parquet, paths))
        for run, *paths in zip(runs, patching, cuts, answers, thirds, strict=True)
    }
    grid = grounded_grid(
        measured,
        Thresholds(taus[0], alphas[0], null_quantile, most_blocks[0], unasked_shares[0], 1 - confidence_level),
        alphas=grounded_alphas,
        most_blocks=most_blocks,
        unasked_shares=unasked_shares,
    )
    write_csv(grid, grounded)


if __name__ == "__main__":
    run(main)
