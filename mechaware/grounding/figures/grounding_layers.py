"""The layers that recover most of the gap, and the TopLayers, in the pairs that pass all rules."""

from typing import Annotated

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from mechaware.grounding.figures.style import LABELS
from mechaware.grounding.names import condition_of
from mechaware.grounding.schemas import LAYERS
from mechaware.report.style import COLOUR, MARKER

READS = {"layers": "results/grounding/layers.csv"}
SETTINGS = {"width": {"default": 7.0, "$ref": "#/$defs/width"}}


def draw(*, layers: Annotated[pd.DataFrame, LAYERS], width: float) -> Figure:
    """Shares of a run's passing pairs, by layer: bars where it recovers most, markers where it is a TopLayer."""
    figure, axes = plt.subplots(figsize=(width, 0.3 * width))
    numbers = sorted(layers["layer"].unique())
    runs = list(layers["run"].unique())
    step = 0.8 / len(runs)
    for number, run in enumerate(runs):
        centres = np.arange(len(numbers)) - 0.4 + (number + 0.5) * step
        usage = layers[layers["run"] == run].set_index("layer").loc[numbers]
        _draw_run(axes, usage, condition_of(run), centres, 0.9 * step)
    axes.set_xticks(range(len(numbers)), [f"after block {layer}" for layer in numbers])
    axes.tick_params(axis="x", length=0)
    axes.set(ylabel="passing pairs (%)", ylim=(0, 106))
    passing = layers.drop_duplicates("run").set_index("run")["passing"].to_dict()
    figure.legend(handles=[_handle(run, passing[run]) for run in runs], loc="outside upper center", ncols=3)
    return figure


def _draw_run(axes: Axes, usage: pd.DataFrame, condition: str, centres: np.ndarray, width: float) -> None:
    """A run's bars with their counts of pairs, and its markers, at `centres`."""
    colour, marker = COLOUR[condition], MARKER[condition]
    percent_per_pair = 100 / max(usage["passing"].iloc[0], 1)
    axes.bar(centres, percent_per_pair * usage["best"], width, color=colour, alpha=0.75)
    is_top = (usage["top"] > 0).to_numpy()
    heights = (percent_per_pair * usage["top"]).to_numpy()[is_top]
    axes.plot(centres[is_top], heights, marker, color=colour, ms=4.5, mec="white", mew=0.6)
    for centre, count in zip(centres, usage["best"], strict=True):
        if count:
            axes.annotate(str(count), (centre, 2), ha="center", fontsize=6, color="white")


def _handle(run: str, passing: int) -> Line2D:
    """The run's entry in the legend, with the number of its pairs that pass."""
    condition = condition_of(run)
    label = f"{LABELS[condition]} ({passing} pass)"
    return Line2D([], [], ls="", marker=MARKER[condition], color=COLOUR[condition], ms=4, label=label)
