"""A score against prompt length."""

from pathlib import Path

from mechaware.frames import read_csvs
from mechaware.radar.figures import draw_length
from mechaware.report.style import save_figure
from scripts.command import run


def main(*, scores: list[Path], model_labels: dict[str, str], score: str, width: float, out: Path, png: Path) -> None:
    """Draw the configured score of every prompt against its number of tokens."""
    save_figure(draw_length(read_csvs(scores), model_labels, score=score, width=width), out, png)


if __name__ == "__main__":
    run(main)
