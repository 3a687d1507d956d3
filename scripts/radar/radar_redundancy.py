"""Rank and correlation of RADAR's 37 features."""

from pathlib import Path

from mechaware.frames import read_csvs
from mechaware.radar.figures import draw_redundancy
from mechaware.report.style import save_figure
from scripts.command import run


def main(
    *,
    correlation: list[Path],
    redundancy: list[Path],
    model_labels: dict[str, str],
    width: float,
    out: Path,
    png: Path,
) -> None:
    """Draw the correlation matrix of every model, with its counts."""
    figure = draw_redundancy(read_csvs(correlation), read_csvs(redundancy), model_labels, width=width)
    save_figure(figure, out, png)


if __name__ == "__main__":
    run(main)
