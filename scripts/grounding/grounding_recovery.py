"""The share of the gap that patching recovers, by layer."""

from pathlib import Path

from mechaware.frames import read_csv
from mechaware.grounding.figures import draw_recovery
from mechaware.report.style import save_figure
from scripts.command import run


def main(*, recovery: Path, width: float, out: Path, png: Path) -> None:
    """Draw the figure."""
    save_figure(draw_recovery(read_csv(recovery), width=width), out, png)


if __name__ == "__main__":
    run(main)
