"""What RADAR's scatter plots of prompts share: panels, points by class, a legend of the classes."""

from collections.abc import Mapping
from textwrap import fill

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from mechaware.radar.names import plain
from mechaware.radar.prompts import LABELS
from mechaware.report.style import COLOUR, MARKER, panel_grid


def prompt_panels(
    scores: pd.DataFrame, model_labels: Mapping[str, str], width: float
) -> tuple[Figure, list[tuple[Axes, pd.DataFrame]]]:
    """A panel per model (rows) and prompt set (columns), titled, with the rows of `scores` that belong to it."""
    sets = list(scores["prompt_set"].unique())
    width = max(width, 3.3 / len(sets))  # a legend and axis labels need a column
    title = round(14 * width)  # characters that fit a panel's width
    figure, grid = panel_grid(len(model_labels), len(sets), width, 0.75 * width + 0.65)
    panels = []
    for axes_row, (model, label) in zip(grid, model_labels.items(), strict=True):
        for axes, name in zip(axes_row, sets, strict=True):
            axes.set_title(fill(label, title) + "\n" + fill(plain(name), title), fontsize=7)
            panels.append((axes, scores[(scores["model"] == model) & (scores["prompt_set"] == name)]))
    return figure, panels


def scatter_by_label(axes: Axes, part: pd.DataFrame, x: str, y: str, *, size: float) -> None:
    """Draw the prompts of a panel at columns `x` and `y`, coloured and marked by class; `size` in square points."""
    for label in LABELS:
        points = part[part["label"] == label]
        axes.scatter(points[x], points[y], s=size, c=COLOUR[label], marker=MARKER[label], alpha=0.6, linewidths=0)


def class_legend(figure: Figure) -> None:
    """Put a legend of the two classes above the panels."""
    handles = [Line2D([], [], ls="", marker=MARKER[label], color=COLOUR[label], ms=4, label=label) for label in LABELS]
    figure.legend(handles=handles, loc="outside upper center", ncols=2)
