"""Figure 1 of the claims study, drawn by code."""

from pathlib import Path

from mechaware.claims.diagram import draw_architecture
from mechaware.report.style import save_figure
from scripts.command import run


def main(*, judge_labels: dict[str, str], runs: int, width: float, out: Path, png: Path) -> None:
    """Draw the way from a paper to its evidence tier."""
    save_figure(draw_architecture(list(judge_labels.values()), runs=runs, width=width), out, png)


if __name__ == "__main__":
    run(main)
