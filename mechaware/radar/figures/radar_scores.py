"""RADAR's Figure 2, right: recall detection score against reasoning complexity index of every prompt."""

from collections.abc import Mapping
from typing import Annotated

import pandas as pd
from matplotlib.figure import Figure

from mechaware.radar.figures.panels import prompt_panels, scatter_by_label
from mechaware.radar.schemas import SCORES
from mechaware.report.style import COLOUR, MARKER

READS = {"scores": "results/radar/{model}/scores/{evaluated}.csv"}
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
    scores: Annotated[pd.DataFrame, SCORES],
    model_labels: Mapping[str, str],
    width: float,
    marker_size: float,
) -> Figure:
    """A panel per model and prompt set, each `width` inches wide; the means of the two classes are drawn large."""
    figure, panels = prompt_panels(scores, model_labels, width)
    for axes, part in panels:
        x, y = "reasoning_complexity_index", "recall_detection_score"
        scatter_by_label(axes, part, x, y, size=marker_size)
        for label, points in part.groupby("label", sort=False):
            mean = points[x].mean(), points[y].mean()
            axes.plot(*mean, MARKER[str(label)], ms=7.5, mfc=COLOUR[str(label)], mec="black", mew=0.9)
        axes.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03))
    figure.supxlabel("reasoning complexity index (RCI)", fontsize=8)
    figure.supylabel("recall detection score (RDS)", fontsize=8)
    return figure
