"""Where the schema word's information is: the gap that denoising recovers, by position and layer."""

from typing import Annotated

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from mechaware.grounding.figures.style import LABELS
from mechaware.grounding.names import condition_of, group_of, run_label
from mechaware.grounding.schemas import RESIDUAL_MAP
from mechaware.report.tables import fixed

READS = {"residual_map": "results/grounding/residual_map.csv"}
SETTINGS = {
    "width": {"default": 7.0, "$ref": "#/$defs/width"},
    "control": {
        "description": "The control that is shown beside the models.",
        "default": "grounded_2",
        "type": "string",
    },
}


def draw(*, residual_map: Annotated[pd.DataFrame, RESIDUAL_MAP], control: str, width: float) -> Figure:
    """A panel per model: positions by layer, 100 where the clean state there brings back the whole gap.

    A cell is the median over pairs, and the mean over the seeds of the condition `schema`.
    """
    panels = _panels(residual_map, control)
    figure, grid = plt.subplots(1, len(panels), figsize=(width, 0.33 * width), sharey=True, squeeze=False)
    for axes, (title, shares) in zip(grid[0], panels.items(), strict=True):
        image = _draw_heat_map(axes, 100 * shares)
        axes.set_title(title, fontsize=7.5)
    figure.supxlabel("patched after block (0: the embedding)", fontsize=8)
    figure.colorbar(image, ax=list(grid[0]), label="gap recovered (%)", fraction=0.03, pad=0.01)
    return figure


def _panels(residual_map: pd.DataFrame, control: str) -> dict[str, pd.DataFrame]:
    """Shares by position and layer of each panel; missing where no pair of a run has a gap."""
    chosen = {}
    for run in residual_map["run"].unique():
        if condition_of(run) == "schema":
            chosen[run] = LABELS["schema"]
        elif run == control or group_of(run) == "pretrained":
            chosen[run] = run_label(run).replace(", ", ",\n")
    named = residual_map.assign(panel=residual_map["run"].map(chosen)).dropna(subset="panel")
    positions = list(residual_map["position"].unique())
    return {
        str(title): part.pivot_table(index="position", columns="layer", values="recovered", dropna=False).loc[positions]
        for title, part in named.groupby("panel", sort=False)
    }


def _draw_heat_map(axes: Axes, percents: pd.DataFrame) -> AxesImage:
    """A cell per position and layer, with its number where there are few layers; empty where the share is missing."""
    image = axes.imshow(percents, vmin=0, vmax=100, cmap="Blues", aspect="auto")
    if percents.shape[1] <= 8:
        for (row, column), percent in np.ndenumerate(percents.to_numpy()):
            colour = "white" if percent > 60 else "black"
            text = "" if np.isnan(percent) else fixed(percent, 0)
            axes.annotate(text, (column, row), ha="center", va="center", fontsize=6, color=colour)
    layers = list(percents.columns)
    ticks = range(len(layers)) if len(layers) <= 8 else (0, len(layers) // 2, len(layers) - 1)
    axes.set_xticks(list(ticks), [str(layers[tick]) for tick in ticks])
    axes.set_yticks(range(percents.shape[0]), list(percents.index))
    axes.tick_params(length=0)
    return image
