"""Held-out loss and exact match during training."""

from pathlib import Path

from mechaware.frames import read_csv
from mechaware.grounding.figures import draw_training
from mechaware.report.style import save_figure
from scripts.command import run


def main(*, history: Path, width: float, out: Path, png: Path) -> None:
    """Draw the figure."""
    save_figure(draw_training(read_csv(history), width=width), out, png)


if __name__ == "__main__":
    run(main)
