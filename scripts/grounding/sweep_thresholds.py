"""The rules at every pair of thresholds of a grid, from the patching tables alone."""

from pathlib import Path

from mechaware.frames import read_parquets, write_csv
from mechaware.grounding.study.summaries import threshold_grid
from scripts.command import Output, run


def main(*, patching: list[Path], taus: list[float], alphas: list[float], out: Output) -> None:
    """Write one row per run and pair of thresholds."""
    write_csv(threshold_grid(read_parquets(patching), taus, alphas), out)


if __name__ == "__main__":
    run(main)
