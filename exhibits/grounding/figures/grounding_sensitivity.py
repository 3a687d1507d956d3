"""The schema-sensitivity gap of every pair, by category and training condition."""

from collections.abc import Sequence
from textwrap import fill

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator

from exhibits.grounding.figures.style import DECIMAL, LABELS
from exhibits.report.charts import draw_intervals
from exhibits.report.style import COLOUR, MARKER, MIN_FONT_SIZE
from mechaware.instruments.grounding.names import (
    CATEGORIES,
    CATEGORY_LABELS,
    CONDITIONS,
    condition_of,
)

READS = {"rules": "results/grounding/rules.parquet"}
CONFIG = {"tau": "grounding/tau"}
SETTINGS = {"width": {"default": 7.0, "$ref": "#/$defs/width"}}


def draw(*, rules: pd.DataFrame, tau: float, width: float) -> Figure:
    """A point is a pair, at its mean gap over a condition's trained models (the seeds).

    To the right of a category's points in a condition is their mean, with a line from the lowest to
    the highest model's mean.
    """
    rules = rules.assign(condition=rules["run"].map(condition_of))
    rules = rules[rules["condition"].isin(list(CONDITIONS))]
    categories = [name for name in CATEGORIES if name in set(rules["category"])]
    pairs = rules.groupby(["condition", "category", "pair"], as_index=False)["delta"].mean()
    figure, axes = plt.subplots(figsize=(width, 0.33 * width))
    axes.set_yscale("symlog", linthresh=1)
    sns.stripplot(
        pairs,
        x="category",
        y="delta",
        hue="condition",
        order=categories,
        hue_order=list(CONDITIONS),
        palette=COLOUR,
        dodge=True,
        jitter=False,
        size=3,
        alpha=0.35,
        legend=False,
        ax=axes,
    )
    handles = []
    for number, condition in enumerate(CONDITIONS):
        of_condition = rules[rules["condition"] == condition]
        # `dodge` puts the points of the two conditions 0.2 left and right of a category; each mean
        # is 0.1 to the right of its points.
        _draw_means(axes, of_condition, condition, categories, shift=0.4 * number - 0.1)
        handle = Line2D([], [], ms=4, marker=MARKER[condition], color=COLOUR[condition])
        handle.set_label(LABELS[condition])
        handles.append(handle)
    _set_axes(axes, tau, categories)
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))
    return figure


def _draw_means(
    axes: Axes, gaps: pd.DataFrame, condition: str, categories: Sequence[str], *, shift: float
) -> None:
    """The mean of each category's pairs over all seeds,
    between the means of the lowest and the highest seed.
    """
    by_seed = gaps.groupby(["category", "run"])["delta"].mean().unstack().reindex(list(categories))
    places = np.arange(len(categories)) + shift
    draw_intervals(
        axes,
        by_seed.agg(["mean", "min", "max"], axis=1),
        places,
        upright=True,
        colour=COLOUR[condition],
        marker=MARKER[condition],
    )


def _set_axes(axes: Axes, tau: float, categories: Sequence[str]) -> None:
    """Categories below, gaps linear near 0 and logarithmic beyond,
    and a grey band where R1 fails.
    """
    axes.axhspan(-tau, tau, color=COLOUR["faint"], alpha=0.4, lw=0, zorder=0)
    axes.annotate(
        "R1 fails",
        (1, 0),
        (4, 0),
        xycoords=("axes fraction", "data"),
        textcoords="offset points",
        va="center",
        fontsize=MIN_FONT_SIZE,
        color=COLOUR["neutral"],
    )
    names = [fill(CATEGORY_LABELS[category], 12) for category in categories]
    axes.set_xticks(range(len(categories)), names)
    axes.tick_params(axis="x", length=0)

    sizes = [0.5, 1, 2, 5, 10, 20, 50]
    low, high = axes.get_ylim()
    ticks = [0.0]
    for size in sizes:
        ticks += [tick for tick in (-size, size) if low <= tick <= high]
    axes.set_yticks(ticks)
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(DECIMAL)
    axes.set(xlabel="", ylabel="schema-sensitivity gap (logits)")
