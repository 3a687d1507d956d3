"""Figure 4 of the claims study: the spread of single runs and what the minimum vote makes of it."""

from pathlib import Path

from mechaware.claims.figures import draw_variance
from mechaware.frames import read_csv
from mechaware.report.style import save_figure
from scripts.command import run


def main(
    *, reported: Path, single_run: Path, papers: Path, judge_labels: dict[str, str], width: float, out: Path, png: Path
) -> None:
    """Draw the figure."""
    tables = map(read_csv, (reported, single_run, papers))
    save_figure(draw_variance(*tables, judge_labels, width=width), out, png)


if __name__ == "__main__":
    run(main)
