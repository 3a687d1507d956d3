"""Where the schema word is read: what the keys and values of each block carry,
and what a patch after it recovers.
"""

from typing import Annotated

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from exhibits.grounding.figures.style import LABELS
from exhibits.report.style import BLUE, COLOUR, ORANGE
from mechaware.instruments.grounding.names import condition_of
from mechaware.instruments.grounding.profiles import READING
from mechaware.planted.sql.runs import group_of

READS = {
    "recovery": "results/grounding/recovery.parquet",
    "reading": "results/grounding/reading.csv",
}
SETTINGS = {"width": {"default": 7.0, "$ref": "#/$defs/width"}}

PRETRAINED = "pretrained"
MAX_TICKS = 8  # blocks that have room for a tick each
LOOK = {
    "keys and values of this block": (BLUE, "o", "-"),
    "residual stream after this block": (ORANGE, "^", "--"),
}


def draw(
    *, recovery: pd.DataFrame, reading: Annotated[pd.DataFrame, READING], width: float
) -> Figure:
    """Denoising at the schema word, a line per run and place, a panel per condition, pretrained on
    the right.

    Bands are bootstrap intervals over pairs.
    """
    blocks = reading[reading["block"].str.isdigit() & (reading["mode"] == "denoise")]
    cut_blocks = blocks.assign(x=blocks["block"].astype(int))
    patched_states = recovery.rename(columns={"layer": "x", "recovered": "share"})
    denoised = (cut_blocks, patched_states)  # in the order of LOOK
    runs = pd.concat([cut_blocks["run"], patched_states["run"]]).unique()
    found = set(map(_panel, runs))
    titles = [*LABELS.values(), PRETRAINED]
    groups = [title for title in titles if title in found]
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

    handles = []
    for label, (colour, marker, dashes) in LOOK.items():
        handles.append(Line2D([], [], color=colour, marker=marker, ls=dashes, ms=4, label=label))
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))
    return figure


def _panel(run: str) -> str:
    """The title of a run's panel; "" for controls and bases, which have none."""
    if group_of(run) == "pretrained":
        return PRETRAINED
    return LABELS.get(condition_of(run), "")


def _draw_lines(axes: Axes, table: pd.DataFrame, colour: str, marker: str, dashes: str) -> None:
    """A line with its band for each run."""
    for _, part in table.groupby("run", sort=False):
        percents = 100 * part[["share", "low", "high"]]
        axes.plot(part["x"], percents["share"], color=colour, marker=marker, ms=2.5, ls=dashes)
        axes.fill_between(
            part["x"], percents["low"], percents["high"], color=colour, alpha=0.15, lw=0
        )
    axes.axhline(0, color=COLOUR["faint"], lw=0.6, zorder=0)
    if table["x"].nunique() <= MAX_TICKS:
        axes.set_xticks(sorted(table["x"].unique()))
