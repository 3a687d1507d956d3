"""Layer usage among the pairs that pass."""

from pathlib import Path

from mechaware.frames import read_csv
from mechaware.grounding.figures import draw_layers
from mechaware.report.style import save_figure
from scripts.command import run


def main(*, layers: Path, width: float, out: Path, png: Path) -> None:
    """Draw the figure."""
    save_figure(draw_layers(read_csv(layers), width=width), out, png)


if __name__ == "__main__":
    run(main)
