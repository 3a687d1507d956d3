"""The grounding study's figures, drawn from small tables."""

from collections.abc import Mapping, Sequence
from textwrap import fill

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.ticker import NullFormatter, StrMethodFormatter

from mechaware.grounding.names import CATEGORY_LABELS, CONDITIONS, CONTROLS, MODE_LABELS, condition_of
from mechaware.report.style import COLOUR, MARKER, annotate_corner, panel_grid

LABELS: Mapping[str, str] = {**{name: f"trained: {label}" for name, label in CONDITIONS.items()}, **CONTROLS}

PLAIN = StrMethodFormatter("{x:g}")  # axes on a logarithmic scale would write powers


def draw_training(history: pd.DataFrame, *, width: float) -> Figure:
    """Held-out loss and exact match of every run by step, one colour per condition."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(width, 0.3 * width))
    for run, part in history.groupby("run", sort=False):
        condition = condition_of(str(run))
        line = {"color": COLOUR[condition], "marker": MARKER[condition], "ms": 2.5}
        left.plot(part["step"], part["held_out_loss"], **line)
        right.plot(part["step"], 100 * part["held_out_exact_match"], **line)
    left.set(xlabel="training step", ylabel="held-out loss (nats per token)", yscale="log")
    left.yaxis.set_major_formatter(PLAIN)
    left.yaxis.set_minor_formatter(NullFormatter())
    right.set(xlabel="training step", ylabel="held-out exact match (%)", ylim=(-3, 103))
    _legend(figure, sorted({condition_of(run) for run in history["run"]}, key=list(LABELS).index))
    return figure


def draw_sensitivity(rules: pd.DataFrame, summary: pd.DataFrame, *, tau: float, width: float) -> Figure:
    """The schema-sensitivity gap of every pair by category and model; means with their intervals beside the points."""
    categories = list(CATEGORY_LABELS)
    figure, axes = plt.subplots(figsize=(width, 0.35 * width))
    runs = list(rules["run"].unique())
    step = 0.8 / len(runs)
    for place, run in enumerate(runs):
        colour, marker = COLOUR[condition_of(run)], MARKER[condition_of(run)]
        means = summary[(summary["run"] == run) & (summary["quantity"] == "delta")].set_index("category")
        for x, category in enumerate(categories):
            centre = x - 0.4 + (place + 0.5) * step
            part = rules[rules["run"] == run]
            gaps = np.sort(part.loc[(part["category"] == category) | (category == "overall"), "delta"])
            spread = centre + step * (0.15 + 0.3 * (np.arange(len(gaps)) % 7) / 6 - 0.3)
            axes.scatter(spread, gaps, s=6, c=colour, marker=marker, alpha=0.55, linewidths=0)
            mean = means.loc[category]
            error = [[mean["value"] - mean["low"]], [mean["high"] - mean["value"]]]
            axes.errorbar(
                centre + 0.28 * step, mean["value"], error, fmt=marker, color=colour, ms=4, mec="white", mew=0.6
            )
    axes.axhspan(-tau, tau, color=COLOUR["faint"], alpha=0.3, lw=0)
    axes.axhline(0, color=COLOUR["neutral"], lw=0.6)
    axes.axvline(len(categories) - 1.5, color=COLOUR["faint"], lw=0.6)
    axes.set_xticks(range(len(categories)), [fill(label, 12) for label in CATEGORY_LABELS.values()])
    axes.tick_params(axis="x", length=0)
    axes.set_yscale("symlog", linthresh=1)
    axes.yaxis.set_major_formatter(PLAIN)
    axes.set(ylabel="schema-sensitivity gap (logits)", xlim=(-0.5, len(categories) - 0.5))
    _legend(figure, list(dict.fromkeys(map(condition_of, runs))))
    return figure


def draw_recovery(profile: pd.DataFrame, *, width: float) -> Figure:
    """The share of the gap that each layer recovers: a column per intervention, trained models above controls."""
    modes = list(MODE_LABELS)
    figure, grid = panel_grid(2, len(modes), width / len(modes), 0.76 * width / len(modes))
    for axes_row, wanted in zip(grid, (CONDITIONS, CONTROLS), strict=True):
        for axes, mode in zip(axes_row, modes, strict=True):
            for run, part in profile[profile["mode"] == mode].groupby("run", sort=False):
                condition = condition_of(str(run))
                if condition in wanted:
                    axes.plot(
                        part["layer"], part["recovered"], marker=MARKER[condition], ms=3.5, color=COLOUR[condition]
                    )
                    axes.fill_between(
                        part["layer"], part["low"], part["high"], color=COLOUR[condition], alpha=0.2, lw=0
                    )
            axes.set(ylim=(-0.05, 1.08), yticks=(0, 0.5, 1), xticks=sorted(profile["layer"].unique()))
            if not axes.lines:
                annotate_corner(axes, "no pair passes R1")
    for axes, mode in zip(grid[0], modes, strict=True):
        axes.set_title(MODE_LABELS[mode])
    grid[0][0].set_ylabel("trained models")
    grid[1][0].set_ylabel("controls")
    figure.supxlabel("patched after block", fontsize=8)
    figure.supylabel("share of the gap recovered", fontsize=8)
    drawn = dict.fromkeys(map(condition_of, profile["run"]))
    _legend(figure, [name for name in LABELS if name in drawn])
    return figure


def draw_layers(usage: pd.DataFrame, *, width: float) -> Figure:
    """Which layer recovers most (bars) and which are among the TopLayers (markers), in the pairs that pass."""
    runs = list(usage["run"].unique())
    figure, axes = plt.subplots(figsize=(width, 0.3 * width))
    step = 0.8 / len(runs)
    layers = sorted(usage["layer"].unique())
    for place, run in enumerate(runs):
        part = usage[usage["run"] == run].set_index("layer").loc[layers]
        passing = part["passing"].iloc[0]
        x = np.arange(len(layers)) - 0.4 + (place + 0.5) * step
        condition = condition_of(run)
        share = 100 / max(passing, 1)
        axes.bar(x, share * part["best"], 0.9 * step, color=COLOUR[condition], alpha=0.75)
        in_top = (part["top"] > 0).to_numpy()
        heights = (share * part["top"]).to_numpy()[in_top]
        axes.plot(x[in_top], heights, MARKER[condition], color=COLOUR[condition], ms=4.5, mec="white", mew=0.6)
        for position, count in zip(x, part["best"], strict=True):
            if count:
                axes.annotate(str(count), (position, 2), ha="center", fontsize=6, color="white")
    axes.set_xticks(range(len(layers)), [f"after block {layer}" for layer in layers])
    axes.tick_params(axis="x", length=0)
    axes.set(ylabel="passing pairs (%)", ylim=(0, 106))
    passing = usage.drop_duplicates("run").set_index("run")["passing"]
    labels = {run: f"{LABELS[condition_of(run)]} ({passing[run]} pass)" for run in runs}
    handles = [
        Line2D([], [], ls="", marker=MARKER[condition_of(run)], color=COLOUR[condition_of(run)], ms=4, label=label)
        for run, label in labels.items()
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=3)
    return figure


def draw_thresholds(grid: pd.DataFrame, *, tau: float, alpha: float, width: float) -> Figure:
    """The share of pairs that pass R3 over the thresholds, a panel per condition and control; ours framed."""
    conditions = [name for name in LABELS if name in set(map(condition_of, grid["run"]))]
    rate = grid.assign(condition=grid["run"].map(condition_of), rate=100 * grid["r3"] / grid["n"])
    figure, panels = plt.subplots(
        1, len(conditions), figsize=(width, 0.36 * width), sharex=True, sharey=True, squeeze=False
    )
    for axes, condition in zip(panels[0], conditions, strict=True):
        of = rate[rate["condition"] == condition]
        image = of.pivot_table(index="tau", columns="alpha", values="rate").sort_index(ascending=False)
        axes.imshow(image, vmin=0, vmax=100, cmap="Blues", aspect="auto")
        for (row, column), value in np.ndenumerate(image.to_numpy()):
            colour = "white" if value > 60 else "black"
            axes.annotate(f"{value:.0f}", (column, row), ha="center", va="center", fontsize=5.5, color=colour)
        _frame(axes, list(map(float, image.columns)), list(map(float, image.index)), alpha, tau)
        axes.set_xticks(range(image.shape[1]), [f"{value:g}" for value in image.columns], rotation=90)
        axes.set_yticks(range(image.shape[0]), [f"{value:g}" for value in image.index])
        axes.tick_params(length=0)
        axes.set_title(fill(LABELS[condition], 16), fontsize=7.5)
    panels[0][0].set_ylabel("tau (logits)")
    figure.supxlabel("alpha (share of the gap)", fontsize=8)
    return figure


def _frame(axes: Axes, alphas: Sequence[float], taus: Sequence[float], alpha: float, tau: float) -> None:
    """Frame the cell of the thresholds that the study reports, if the grid has it."""
    if alpha in alphas and tau in taus:
        corner = alphas.index(alpha) - 0.5, taus.index(tau) - 0.5
        axes.add_patch(Rectangle(corner, 1, 1, fill=False, ec="#D55E00", lw=1.4))


def _legend(figure: Figure, conditions: Sequence[str]) -> None:
    handles = [Line2D([], [], marker=MARKER[name], color=COLOUR[name], ms=4, label=LABELS[name]) for name in conditions]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))
