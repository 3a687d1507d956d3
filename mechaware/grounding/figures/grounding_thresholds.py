"""Heat maps of the share of pairs that pass all rules, over the thresholds tau and alpha."""

from collections.abc import Sequence
from textwrap import fill
from typing import Annotated

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from mechaware.grounding.figures.style import LABELS, kind_of
from mechaware.grounding.schemas import THRESHOLDS

READS = {"thresholds": "results/grounding/thresholds.csv"}
CONFIG = {"tau": "grounding/tau", "alpha": "grounding/alpha"}
SETTINGS = {"width": {"default": 7.0, "$ref": "#/$defs/width"}}


def draw(*, thresholds: Annotated[pd.DataFrame, THRESHOLDS], tau: float, alpha: float, width: float) -> Figure:
    """A heat map per training condition and group, the mean over its runs; the study's own thresholds are framed."""
    rates = thresholds.assign(kind=thresholds["run"].map(kind_of), percent=100 * thresholds["r3"] / thresholds["n"])
    kinds = [name for name in LABELS if name in set(rates["kind"])]
    figure, grid = plt.subplots(1, len(kinds), figsize=(width, 0.36 * width), sharex=True, sharey=True, squeeze=False)
    for axes, kind in zip(grid[0], kinds, strict=True):
        percents = rates[rates["kind"] == kind].pivot_table(index="tau", columns="alpha", values="percent")
        percents = percents.sort_index(ascending=False)
        _draw_heat_map(axes, percents)
        _frame(axes, list(map(float, percents.columns)), list(map(float, percents.index)), alpha, tau)
        axes.set_title(fill(LABELS[kind], 16), fontsize=7.5)
    grid[0][0].set_ylabel("tau (logits)")
    figure.supxlabel("alpha (share of the gap)", fontsize=8)
    return figure


def _draw_heat_map(axes: Axes, percents: pd.DataFrame) -> None:
    """A cell per pair of thresholds, with its number: tau by row, alpha by column."""
    axes.imshow(percents, vmin=0, vmax=100, cmap="Blues", aspect="auto")
    for (row, column), percent in np.ndenumerate(percents.to_numpy()):
        colour = "white" if percent > 60 else "black"
        axes.annotate(f"{percent:.0f}", (column, row), ha="center", va="center", fontsize=5.5, color=colour)
    axes.set_xticks(range(percents.shape[1]), [f"{alpha:g}" for alpha in percents.columns], rotation=90)
    axes.set_yticks(range(percents.shape[0]), [f"{tau:g}" for tau in percents.index])
    axes.tick_params(length=0)


def _frame(axes: Axes, alphas: Sequence[float], taus: Sequence[float], alpha: float, tau: float) -> None:
    """Frame the cell of `alpha` and `tau`, if the grid has it."""
    if alpha in alphas and tau in taus:
        corner = alphas.index(alpha) - 0.5, taus.index(tau) - 0.5
        axes.add_patch(Rectangle(corner, 1, 1, fill=False, ec="#D55E00", lw=1.4))
