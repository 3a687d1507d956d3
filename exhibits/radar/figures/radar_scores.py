"""RADAR's Figure 2, right: recall detection score against reasoning complexity index of every prompt."""

from collections.abc import Mapping
from textwrap import fill

import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from exhibits.report.style import COLOUR, MARKER
from mechaware.instruments.radar.names import display_name
from mechaware.instruments.radar.prompts import LABELS

READS = {"scores": "results/radar/{model}/scores/{evaluated}.parquet"}
SETTINGS = {
    "width": {"default": 1.65, "$ref": "#/$defs/width"},
    "marker_size": {
        "default": 14,
        "description": "Area of a marker, in square points.",
        "type": "number",
        "exclusiveMinimum": 0,
    },
}


def draw(
    *,
    scores: pd.DataFrame,
    model_labels: Mapping[str, str],
    width: float,
    marker_size: float,
) -> Figure:
    """A panel per model and prompt set, each `width` inches wide; the means of the two classes are drawn large."""
    figure, panels = prompt_panels(scores, model_labels, width)
    x = "reasoning_complexity_index"
    y = "recall_detection_score"
    for axes, part in panels:
        scatter_by_label(axes, part, x, y, size=marker_size)
        for name, points in part.groupby("label", sort=False):
            label = str(name)
            axes.plot(
                points[x].mean(),
                points[y].mean(),
                MARKER[label],
                ms=7.5,
                mfc=COLOUR[label],
                mec="black",
                mew=0.9,
            )
        axes.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03))
    figure.supxlabel("reasoning complexity index (RCI)", fontsize=8)
    figure.supylabel("recall detection score (RDS)", fontsize=8)
    return figure


def prompt_panels(
    scores: pd.DataFrame, model_labels: Mapping[str, str], width: float
) -> tuple[Figure, list[tuple[Axes, pd.DataFrame]]]:
    """A panel per model (rows) and prompt set (columns), titled, with the rows of `scores` that belong to it.

    The model is named where there are several.
    """
    sets = list(scores["prompt_set"].unique())
    width = max(width, 3.3 / len(sets))  # a legend and axis labels need a column
    size = (width * len(sets), (0.75 * width + 0.5) * len(model_labels))
    figure, grid = plt.subplots(
        len(model_labels), len(sets), figsize=size, sharex=True, sharey=True, squeeze=False
    )
    panels = []
    for axes_row, (model, label) in zip(grid, model_labels.items(), strict=True):
        of_model = scores[scores["model"] == model]
        for axes, name in zip(axes_row, sets, strict=True):
            lines = [display_name(name)]
            if len(model_labels) > 1:
                lines.insert(0, label)
            axes.set_title("\n".join(fill(line, round(14 * width)) for line in lines))
            panels.append((axes, of_model[of_model["prompt_set"] == name]))

    handles = []
    for name in LABELS:
        handle = Line2D([], [], ls="", ms=4, marker=MARKER[name], color=COLOUR[name], label=name)
        handles.append(handle)
    figure.legend(handles=handles, loc="outside upper center", ncols=2)
    return figure, panels


def scatter_by_label(axes: Axes, part: pd.DataFrame, x: str, y: str, *, size: float) -> None:
    """Draw the prompts of a panel at columns `x` and `y`, coloured and marked by class; `size` in square points."""
    sns.scatterplot(
        part,
        x=x,
        y=y,
        hue="label",
        style="label",
        palette=COLOUR,
        markers=MARKER,
        s=size,
        alpha=0.5,
        lw=0,
        legend=False,
        ax=axes,
    )
    axes.set(xlabel="", ylabel="")
