"""Figure 2 of RADAR, right: the RDS-RCI scatter."""

from pathlib import Path

from mechaware.frames import read_csvs
from mechaware.radar.figures import draw_scores
from mechaware.report.style import save_figure
from scripts.command import run


def main(
    *, scores: list[Path], model_labels: dict[str, str], width: float, marker_size: float, out: Path, png: Path
) -> None:
    """Draw RDS against RCI of every prompt."""
    save_figure(draw_scores(read_csvs(scores), model_labels, width=width, marker_size=marker_size), out, png)


if __name__ == "__main__":
    run(main)
