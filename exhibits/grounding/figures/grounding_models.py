"""Exact match, and the pairs that pass R1 to R3, of every trained model."""

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

# A pair passes `r2` only if it passes `r1`, and `r3` only if it passes `r2`.
PANELS = {"r1": "R1", "r2": "R1 and R2", "r3": "R1 to R3"}


def draw(*, rules: pd.DataFrame, trained: pd.DataFrame, width: float) -> Figure:
    """A panel per rule, with a point per model: its exact match and its share of pairs that pass.

    A line joins the two models of one seed, with and without the schema. Both points are open if
    the model with the schema did not reach the criterion that ends its training. `rules` has a row
    per model and pair, `trained` a row per model.
    """
    names = list(PANELS)
    passed = rules.astype(dict.fromkeys(names, float))
    shares = passed.groupby("run")[names].mean()
    models = trained.join(shares, on="run")
    figure, grid = plt.subplots(
        1, len(PANELS), figsize=(width, 0.4 * width), sharex=True, sharey=True
    )
    for axes, (rule, label) in zip(grid, PANELS.items(), strict=True):
        # From 0 to 100, with room for whole points at both ends.
        axes.set(title=label, ylim=(-4, 104))
        for _, models_of_seed in models.groupby("seed"):
            _draw_seed(axes, models_of_seed, rule)
    grid[0].set_ylabel("pairs that pass (%)")
    figure.supxlabel("exact match on test requests, asked as in training (%)", fontsize=8)
    figure.legend(handles=_handles(models), loc="outside upper center", ncols=4)
    return figure


def _draw_seed(axes: Axes, models: pd.DataFrame, rule: str) -> None:
    """The models of one seed, joined by a line; `rule` is the column of shares that pass."""
    axes.plot(
        100 * models["exact_match"], 100 * models[rule], color=COLOUR["faint"], lw=0.8, zorder=0
    )
    for _, model in models.iterrows():
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
    """The legend's entries: one for each condition, and one for open points if there are any."""
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
