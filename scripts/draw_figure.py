"""Draw one figure: `python -m scripts.draw_figure MODULE FLAGS`;
MODULE declares it (exhibits/report/results.py).
"""

from exhibits.report import style
from scripts.command import Output
from scripts.result_command import run_result


def save(figure: style.Figure, *, out: Output, png: Output, svg: Output) -> None:
    """Write the figure as PDF, as PNG and as SVG."""
    style.save_figure(figure, out, png, svg)


if __name__ == "__main__":
    run_result("draw", save)
