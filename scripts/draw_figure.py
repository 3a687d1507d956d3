"""Draw one figure: `python -m scripts.draw_figure MODULE FLAGS`; MODULE declares it (mechaware/report/results.py)."""

from matplotlib.figure import Figure

from mechaware.report.style import save_figure
from scripts.command import Output, run_result


def save(figure: Figure, *, out: Output, png: Output, svg: Output) -> None:
    """Write the figure as PDF, as PNG and as SVG."""
    save_figure(figure, out, png, svg)


if __name__ == "__main__":
    run_result("draw", save)
