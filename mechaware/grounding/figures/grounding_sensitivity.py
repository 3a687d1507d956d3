"""The schema-sensitivity gap of every pair, by category and training condition."""

from textwrap import fill

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mechaware.grounding.figures.style import DECIMAL, add_legend
from mechaware.grounding.names import CATEGORY_LABELS, CONDITIONS, condition_of
from mechaware.report.style import COLOUR, MARKER

READS = {"rules": "results/grounding/rules/{trained_run}.parquet"}
CONFIG = {"tau": "grounding/tau"}
SETTINGS = {"width": {"default": 7.0, "$ref": "#/$defs/width"}}


def draw(*, rules: pd.DataFrame, tau: float, width: float) -> Figure:
    """Points are pairs, each the mean over the seeds; beside them the mean of all, with the range of the seeds."""
    figure, axes = plt.subplots(figsize=(width, 0.35 * width))
    rules = rules.assign(condition=rules["run"].map(condition_of))
    step = 0.8 / len(CONDITIONS)
    for number, condition in enumerate(CONDITIONS):
        gaps = rules[rules["condition"] == condition]
        for x, category in enumerate(CATEGORY_LABELS):
            centre = x - 0.4 + (number + 0.5) * step
            of_category = gaps[(gaps["category"] == category) | (category == "overall")]
            _draw_strip(axes, of_category, condition, centre, step)
    _set_axes(axes, tau)
    add_legend(figure, list(CONDITIONS))
    return figure


def _draw_strip(axes: Axes, gaps: pd.DataFrame, condition: str, centre: float, step: float) -> None:
    """The pairs' gaps in a strip that is `step` wide around `centre`, their mean and its range at the right."""
    colour, marker = COLOUR[condition], MARKER[condition]
    by_pair, by_seed = gaps.groupby("pair")["delta"].mean(), gaps.groupby("run")["delta"].mean()
    offsets = step * (0.15 + 0.3 * (np.arange(len(by_pair)) % 7) / 6 - 0.3)
    axes.scatter(centre + offsets, np.sort(by_pair), s=6, c=colour, marker=marker, alpha=0.55, linewidths=0)
    mean = by_seed.mean()
    error = [[mean - by_seed.min()], [by_seed.max() - mean]]
    axes.errorbar(centre + 0.28 * step, mean, error, fmt=marker, color=colour, ms=4, mec="white", mew=0.6)


def _set_axes(axes: Axes, tau: float) -> None:
    """Categories below, gaps linear near 0 and logarithmic beyond, and a grey band where R1 fails."""
    axes.axhspan(-tau, tau, color=COLOUR["faint"], alpha=0.3, lw=0)
    axes.axhline(0, color=COLOUR["neutral"], lw=0.6)
    axes.axvline(len(CATEGORY_LABELS) - 1.5, color=COLOUR["faint"], lw=0.6)
    axes.set_xticks(range(len(CATEGORY_LABELS)), [fill(label, 12) for label in CATEGORY_LABELS.values()])
    axes.tick_params(axis="x", length=0)
    axes.set_yscale("symlog", linthresh=1)
    axes.yaxis.set_major_formatter(DECIMAL)
    axes.set(ylabel="schema-sensitivity gap (logits)", xlim=(-0.5, len(CATEGORY_LABELS) - 0.5))
