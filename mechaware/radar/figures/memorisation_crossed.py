"""RADAR's probability of recall, by what an item demands and by whether its text was trained on."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mechaware.radar.memorisation.items import KINDS
from mechaware.report.charts import draw_intervals, name_line
from mechaware.report.style import COLOUR, MARKER

READS = {"crossed": "results/radar/memorisation/crossed.parquet"}
SETTINGS = {"width": {"default": 5.0, "$ref": "#/$defs/width"}}

TITLES = {"verbatim": "the fact or the rule\ngives the answer", "contradicted": "only memory gives\nthe planted answer"}


def draw(*, crossed: pd.DataFrame, width: float) -> Figure:
    """Mean P(recall) of items never seen and seen so many times, a line per kind, with bootstrap intervals."""
    panels = [(form, part) for form, part in crossed.groupby("form", sort=False)]
    ratios = [part["dose"].nunique() for _, part in panels]
    figure, grid = plt.subplots(
        1, len(panels), figsize=(width, 0.5 * width), sharey=True, width_ratios=ratios, squeeze=False
    )
    for axes, (form, part) in zip(grid[0], panels, strict=True):
        ends = _draw_kinds(axes, part)
        axes.set(title=TITLES[str(form)], xlabel="times seen")
    for kind, (x, y) in ends.items():
        name_line(axes, x, y, f"{kind} items", colour=COLOUR[kind])
    grid[0][0].set_ylabel("RADAR's P(recall)")
    return figure


def _draw_kinds(axes: Axes, part: pd.DataFrame) -> dict[str, tuple[float, float]]:
    """A line per kind; returns where each ends."""
    doses = sorted(part["dose"].unique())
    ends = {}
    for kind in KINDS:
        rows = part[part["kind"] == kind].sort_values("dose")
        places = np.searchsorted(doses, rows["dose"])
        look: dict[str, Any] = {"colour": COLOUR[kind], "marker": MARKER[kind], "ls": "-", "lw": 0.8}
        draw_intervals(axes, rows[["mean", "low", "high"]], places, upright=True, **look)
        ends[kind] = (float(places[-1]), float(rows["mean"].iloc[-1]))
    axes.axhline(0.5, color=COLOUR["faint"], lw=0.8, zorder=0)
    axes.set_xticks(range(len(doses)), ["never" if dose == 0 else str(dose) for dose in doses])
    axes.set(ylim=(0, 1), xlim=(-0.4, len(doses) - 0.6))
    return ends
