"""Where the schema word is read: what the keys and values of each block carry, and what a patch after it recovers."""

from typing import Annotated

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from exhibits.grounding.figures.style import LABELS
from exhibits.report.style import BLUE, COLOUR, ORANGE
from mechaware.instruments.grounding.names import condition_of
from mechaware.instruments.grounding.summaries import READING
from mechaware.planted.sql.runs import group_of

READS = {
    "recovery": "results/grounding/recovery.parquet",
    "reading": "results/grounding/reading.csv",
}
SETTINGS = {"width": {"default": 7.0, "$ref": "#/$defs/width"}}

PRETRAINED = "pretrained"
LOOK = {
    "keys and values of this block": (BLUE, "o", "-"),
    "residual stream after this block": (ORANGE, "^", "--"),
}


def draw(
    *, recovery: pd.DataFrame, reading: Annotated[pd.DataFrame, READING], width: float
) -> Figure:
    """Denoising at the schema word, a line per run and place, a panel per condition, pretrained on the right.

    Bands are bootstrap intervals over pairs.
    """
    blocks = reading[reading["block"].str.isdigit() & (reading["mode"] == "denoise")]
    denoised = (
        blocks.assign(x=blocks["block"].astype(int)),
        recovery.rename(columns={"layer": "x", "recovered": "share"}),
    )
    found = {_panel(run) for table in denoised for run in table["run"]}
    groups = [title for title in (*LABELS.values(), PRETRAINED) if title in found]
    figure, grid = plt.subplots(
        1, max(len(groups), 1), figsize=(width, 0.27 * width), sharey=True, squeeze=False
    )
    for axes, group in zip(grid[0], groups, strict=False):
        for table, (colour, marker, dashes) in zip(denoised, LOOK.values(), strict=True):
            _draw_lines(axes, table[table["run"].map(_panel) == group], colour, marker, dashes)
        axes.set(title=group, xlabel="block")
    grid[0][0].set(ylabel="gap recovered (%)", ylim=(-12, 112), yticks=(0, 50, 100))
    if not groups:
        grid[0][0].set_title("no pair passes R1")
    handles = [
        Line2D([], [], color=colour, marker=marker, ls=dashes, ms=4, label=label)
        for label, (colour, marker, dashes) in LOOK.items()
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))
    return figure


def _panel(run: str) -> str:
    """The title of a run's panel; "" for controls and bases, which have none."""
    return LABELS.get(condition_of(run), PRETRAINED if group_of(run) == "pretrained" else "")


def _draw_lines(axes: Axes, table: pd.DataFrame, colour: str, marker: str, dashes: str) -> None:
    """A line with its band for each run."""
    for _, part in table.groupby("run", sort=False):
        axes.plot(part["x"], 100 * part["share"], color=colour, marker=marker, ms=2.5, ls=dashes)
        axes.fill_between(
            part["x"], 100 * part["low"], 100 * part["high"], color=colour, alpha=0.15, lw=0
        )
    axes.axhline(0, color=COLOUR["faint"], lw=0.6, zorder=0)
    if table["x"].nunique() <= 8:
        axes.set_xticks(sorted(table["x"].unique()))
