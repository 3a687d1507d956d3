"""Figure 1 of RADAR, drawn by code."""

from pathlib import Path

from mechaware.radar.figures import draw_architecture
from mechaware.report.style import save_figure
from scripts.command import run


def main(*, width: float, out: Path, png: Path) -> None:
    """Draw the way from a prompt to a vote."""
    save_figure(draw_architecture(width), out, png)


if __name__ == "__main__":
    run(main)
