"""Figure 5 of the claims study: predicted against expected tiers."""

from pathlib import Path

from mechaware.claims.figures import draw_confusion
from mechaware.frames import read_csv
from mechaware.report.style import save_figure
from scripts.command import run


def main(*, reported: Path, papers: Path, judge_labels: dict[str, str], width: float, out: Path, png: Path) -> None:
    """Draw the figure."""
    save_figure(draw_confusion(read_csv(reported), read_csv(papers), judge_labels, width=width), out, png)


if __name__ == "__main__":
    run(main)
