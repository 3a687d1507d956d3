"""Compare the verdicts of R2 and R3 under noising and ablation with those under denoising."""

from pathlib import Path

from mechaware.frames import read_parquets, write_csv
from mechaware.grounding.study.summaries import triangulate
from scripts.command import Output, run


def main(*, patching: list[Path], tau: float, alpha: float, out: Output) -> None:
    """Write one row per run and intervention."""
    write_csv(triangulate(read_parquets(patching), tau=tau, alpha=alpha), out)


if __name__ == "__main__":
    run(main)
