"""Figure 3 of the claims study: dimension scores of system-level claims and of component claims."""

from pathlib import Path

from mechaware.claims.figures import draw_dimensions
from mechaware.claims.study.means import claims_beside_truth, dimension_means
from mechaware.frames import read_csv
from mechaware.report.style import save_figure
from scripts.command import run


def main(
    *,
    claims: Path,
    truth: Path,
    judge_labels: dict[str, str],
    confidence_level: float,
    bootstrap_resamples: int,
    seed: int,
    width: float,
    out: Path,
    png: Path,
) -> None:
    """Draw the figure."""
    beside = claims_beside_truth(read_csv(claims), read_csv(truth))
    means = dimension_means(beside, level=confidence_level, resamples=bootstrap_resamples, seed=seed)
    save_figure(draw_dimensions(means, beside, judge_labels, width=width), out, png)


if __name__ == "__main__":
    run(main)
