"""RADAR's Figure 2, right: recall detection score against reasoning complexity index of every prompt."""

from collections.abc import Mapping
from typing import Annotated

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from mechaware.radar.figures.panels import class_legend, prompt_panels, scatter_by_label
from mechaware.radar.prompts import LABELS
from mechaware.radar.schemas import SCORES
from mechaware.report.style import COLOUR, MARKER, annotate_corner

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
        axes.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.45), yticks=np.linspace(0, 1, 5))
        annotate_corner(axes, _mean_by_label(part, "recall_detection_score"))
    class_legend(figure)
    figure.supxlabel("reasoning complexity index (RCI)", fontsize=8)
    figure.supylabel("recall detection score (RDS)", fontsize=8)
    return figure


def _mean_by_label(part: pd.DataFrame, score: str) -> str:
    means = part.groupby("label")[score].mean()
    return "\n".join(f"mean RDS, {label}: {means[label]:.2f}" for label in LABELS if label in means)
