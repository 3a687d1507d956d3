"""The schema-sensitivity gap by category and model."""

from pathlib import Path

from mechaware.frames import read_csv, read_parquets
from mechaware.grounding.figures import draw_sensitivity
from mechaware.report.style import save_figure
from scripts.command import run


def main(*, rules: list[Path], summary: Path, tau: float, width: float, out: Path, png: Path) -> None:
    """Draw the figure."""
    save_figure(draw_sensitivity(read_parquets(rules), read_csv(summary), tau=tau, width=width), out, png)


if __name__ == "__main__":
    run(main)
