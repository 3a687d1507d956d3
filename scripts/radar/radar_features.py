"""Figure 2 of RADAR, left: the most discriminative features by class."""

from pathlib import Path

from mechaware.frames import read_csvs
from mechaware.radar.figures import draw_features
from mechaware.report.style import save_figure
from scripts.command import run


def main(
    *, discrimination: list[Path], model_labels: dict[str, str], top: int, width: float, out: Path, png: Path
) -> None:
    """Draw Cohen's d of the top features; the first files are the training set's."""
    save_figure(draw_features(read_csvs(discrimination), model_labels, top=top, width=width), out, png)


if __name__ == "__main__":
    run(main)
