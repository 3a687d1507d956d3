"""The pass rate over the thresholds, as a heat map."""

from pathlib import Path

from mechaware.frames import read_csv
from mechaware.grounding.figures import draw_thresholds
from mechaware.report.style import save_figure
from scripts.command import run


def main(*, thresholds: Path, tau: float, alpha: float, width: float, out: Path, png: Path) -> None:
    """Draw the figure."""
    save_figure(draw_thresholds(read_csv(thresholds), tau=tau, alpha=alpha, width=width), out, png)


if __name__ == "__main__":
    run(main)
