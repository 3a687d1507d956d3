"""Do rules follow how well a model does its task? Exact match and the pairs that pass R1 to R3, for every model."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from exhibits.grounding.figures.style import LABELS
from exhibits.report.style import COLOUR, MARKER
from mechaware.instruments.grounding.names import CONDITIONS

READS = {"rules": "results/grounding/rules.parquet", "trained": "results/grounding/trained.parquet"}
SETTINGS = {"width": {"default": 7.0, "$ref": "#/$defs/width"}}

PANELS = {"r1": "R1", "r2": "R1 and R2", "r3": "R1 to R3"}


def draw(*, rules: pd.DataFrame, trained: pd.DataFrame, width: float) -> Figure:
    """A panel per rule, a point per model; points of one seed are joined, and open where the criterion is not met."""
    names = list(PANELS)
    shares = rules.astype(dict.fromkeys(names, float)).groupby("run")[names].mean()
    models = trained.join(shares, on="run")
    figure, grid = plt.subplots(
        1, len(PANELS), figsize=(width, 0.4 * width), sharex=True, sharey=True
    )
    for axes, (rule, label) in zip(grid, PANELS.items(), strict=True):
        axes.set(title=label, ylim=(-4, 104))
        for _, seed in models.groupby("seed"):
            _draw_seed(axes, seed, rule)
    grid[0].set_ylabel("pairs that pass (%)")
    figure.supxlabel("exact match on test requests, asked as in training (%)", fontsize=8)
    figure.legend(handles=_handles(models), loc="outside upper center", ncols=4)
    return figure


def _draw_seed(axes: Axes, seed: pd.DataFrame, rule: str) -> None:
    """The models of one seed at one rule, joined by a line."""
    axes.plot(100 * seed["exact_match"], 100 * seed[rule], color=COLOUR["faint"], lw=0.8, zorder=0)
    for _, model in seed.iterrows():
        colour = COLOUR[model["condition"]]
        axes.plot(
            100 * model["exact_match"],
            100 * model[rule],
            marker=MARKER[model["condition"]],
            color=colour,
            markerfacecolor=colour if model["met_criterion"] else "none",
            ms=5,
            ls="",
        )


def _handles(models: pd.DataFrame) -> list[Line2D]:
    """One for each condition, and one for open points where there are any."""
    handles = []
    for name in CONDITIONS:
        handle = Line2D([], [], ls="", ms=5, marker=MARKER[name], color=COLOUR[name])
        handle.set_label(LABELS[name])
        handles.append(handle)
    if not models["met_criterion"].all():
        neutral = COLOUR["neutral"]
        opened = Line2D([], [], ls="", ms=5, marker="o", color=neutral, markerfacecolor="none")
        opened.set_label("criterion not met")
        handles.append(opened)
    return handles
