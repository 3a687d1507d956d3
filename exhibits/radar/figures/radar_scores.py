"""RADAR's Figure 2, right: recall detection score against reasoning complexity index of prompts."""

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
    """A panel per model and prompt set; large markers are the means of recall and of reasoning.

    `width` is the width of a panel in inches (see `prompt_panels` for the least width).
    """
    figure, panels = prompt_panels(scores, model_labels, width)
    x = "reasoning_complexity_index"
    y = "recall_detection_score"
    for axes, part in panels:
        scatter_by_label(axes, part, x, y, size=marker_size)
        for label, points in part.groupby("label", sort=False):
            prompt_class = str(label)
            axes.plot(
                points[x].mean(),
                points[y].mean(),
                MARKER[prompt_class],
                ms=7.5,
                mfc=COLOUR[prompt_class],
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
    """A panel per model (rows) and prompt set (columns), titled, with its rows of `scores`.

    The title has the prompt set, below the model's label where there are several models. A panel is
    `width` inches wide, or wider if the figure would be narrower than 3.3 inches.
    """
    sets = list(scores["prompt_set"].unique())
    width = max(width, 3.3 / len(sets))  # inches; the legend and the axis labels need 3.3 in all
    height = 0.75 * width + 0.5  # inches
    figure, grid = plt.subplots(
        len(model_labels),
        len(sets),
        figsize=(width * len(sets), height * len(model_labels)),
        sharex=True,
        sharey=True,
        squeeze=False,
    )
    line_length = round(14 * width)  # of a title: 14 characters to an inch
    panels = []
    for axes_row, (model, model_label) in zip(grid, model_labels.items(), strict=True):
        of_model = scores[scores["model"] == model]
        for axes, prompt_set in zip(axes_row, sets, strict=True):
            lines = [display_name(prompt_set)]
            if len(model_labels) > 1:
                lines.insert(0, model_label)
            axes.set_title("\n".join(fill(line, line_length) for line in lines))
            panels.append((axes, of_model[of_model["prompt_set"] == prompt_set]))

    handles = []
    for label in LABELS:
        marker = MARKER[label]
        handle = Line2D([], [], ls="", ms=4, marker=marker, color=COLOUR[label], label=label)
        handles.append(handle)
    figure.legend(handles=handles, loc="outside upper center", ncols=2)
    return figure, panels


def scatter_by_label(axes: Axes, part: pd.DataFrame, x: str, y: str, *, size: float) -> None:
    """Draw the prompts of a panel at columns `x` and `y`, coloured and marked by class.

    `size` is the area of a marker, in square points.
    """
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
