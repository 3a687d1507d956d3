"""How far each judge errs on each criterion of the planted papers, and in which direction."""

from pathlib import Path

from mechaware.claims.figures import draw_planted_bias
from mechaware.claims.study.means import criterion_bias
from mechaware.frames import read_csv
from mechaware.report.style import save_figure
from scripts.command import run


def main(
    *,
    criteria: Path,
    judge_labels: dict[str, str],
    confidence_level: float,
    bootstrap_resamples: int,
    seed: int,
    width: float,
    out: Path,
    png: Path,
) -> None:
    """Draw the figure."""
    bias = criterion_bias(read_csv(criteria), level=confidence_level, resamples=bootstrap_resamples, seed=seed)
    save_figure(draw_planted_bias(bias, judge_labels, width=width), out, png)


if __name__ == "__main__":
    run(main)
