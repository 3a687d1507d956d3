"""Do noising and ablation say what denoising says?"""

from pathlib import Path

from mechaware.frames import read_parquets, write_csv
from mechaware.grounding.study.summaries import triangulate
from scripts.command import Output, run


def main(*, patching: list[Path], tau: float, alpha: float, out: Output) -> None:
    """Write one row per run and intervention."""
    write_csv(triangulate(read_parquets(patching), tau=tau, alpha=alpha), out)


if __name__ == "__main__":
    run(main)
