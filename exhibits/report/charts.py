"""Parts of several figures: heat maps, points with intervals, names of rows and of lines."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes

from exhibits.report.style import COLOUR, HEAT, MIN_FONT_SIZE


def draw_heat_map(
    axes: Axes, table: pd.DataFrame, *, low: float = 0, high: float = 100, **options: Any
) -> None:
    """A cell for each number of `table`, darker for a higher number; missing numbers are blank.

    The colours range from `low` to `high`. `options` go to seaborn's `heatmap`.
    """
    options = {"cmap": HEAT, "cbar": False, "annot_kws": {"fontsize": MIN_FONT_SIZE}} | options
    sns.heatmap(table, ax=axes, vmin=low, vmax=high, **options)
    axes.set(xlabel="", ylabel="")
    axes.tick_params(length=0)


def draw_intervals(
    axes: Axes,
    table: pd.DataFrame,
    places: np.ndarray,
    *,
    colour: str = COLOUR["right"],
    marker: str = "o",
    upright: bool = False,
    **options: Any,
) -> None:
    """A marker for each value, and a line from the lower to the upper end of its interval.

    The intervals are horizontal, at the heights `places`; if `upright`, they are vertical, at the
    x positions `places`. `table` has three columns: value, lower end, upper end. Missing values and
    intervals are left out. `options` go to matplotlib's `plot`, which draws the markers.
    """
    value, low, high = table.columns
    markers: dict[str, Any] = {"ls": "", "ms": 4.5, "mew": 0, "marker": marker, "color": colour}
    markers |= options
    if upright:
        axes.vlines(places, table[low], table[high], color=colour, lw=1.1)
        axes.plot(places, table[value], **markers)
    else:
        axes.hlines(places, table[low], table[high], color=colour, lw=1.1)
        axes.plot(table[value], places, **markers)


def name_rows(axes: Axes, names: Sequence[str]) -> None:
    """Write `names` beside rows at the heights 0, 1, 2, ... from the top, without ticks."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(max(len(names), 1) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)


def name_line(
    axes: Axes, x: float, y: float, name: str, *, colour: str = "black", above: float = 0
) -> None:
    """Write a line's name 5 points right of its end (`x`, `y`), shifted up by `above` points."""
    axes.annotate(
        name,
        (x, y),
        (5, above),
        textcoords="offset points",
        va="center",
        fontsize=MIN_FONT_SIZE,
        color=colour,
        annotation_clip=False,
    )
