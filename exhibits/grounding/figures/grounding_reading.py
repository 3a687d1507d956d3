"""Where the schema word is read: what the keys and values of each block carry,
and what a patch after it recovers.
"""

from typing import Annotated, NamedTuple

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from exhibits.grounding.figures.style import LABELS
from exhibits.report.style import BLUE, COLOUR, ORANGE
from mechaware.instruments.grounding.names import condition_of
from mechaware.instruments.grounding.profiles import INTERACTION, READING
from mechaware.planted.sql.runs import group_of

READS = {
    "recovery": "results/grounding/recovery.parquet",
    "reading": "results/grounding/reading.csv",
}
SETTINGS = {"width": {"default": 7.0, "$ref": "#/$defs/width"}}

PRETRAINED = "pretrained"
MAX_TICKS = 8  # blocks that have room for a tick each


class LineStyle(NamedTuple):
    """How the lines of one sort of patch are drawn, and their label in the legend."""

    label: str
    colour: str
    marker: str
    dashes: str


KEYS_AND_VALUES = LineStyle("keys and values of this block", BLUE, "o", "-")
RESIDUAL = LineStyle("residual stream after this block", ORANGE, "^", "--")


def draw(
    *, recovery: pd.DataFrame, reading: Annotated[pd.DataFrame, READING], width: float
) -> Figure:
    """The share of the gap that denoising at the schema word recovers, by block.

    A panel per training condition, and one of pretrained models on the right. A run has two lines,
    with bootstrap intervals over pairs as bands: denoising the keys and values of one block
    (`cut_profile`), and denoising the residual stream after it (`recovery_profile`).
    """
    is_denoised_block = (reading["mode"] == "denoise") & (reading["block"] != INTERACTION)
    blocks = reading[is_denoised_block]
    cuts = blocks.assign(x=blocks["block"].astype(int))
    patches = recovery.rename(columns={"layer": "x", "recovered": "share"})
    runs = pd.concat([cuts["run"], patches["run"]]).unique()
    titles_of_runs = set(map(_panel_title, runs))
    titles = [title for title in (*LABELS.values(), PRETRAINED) if title in titles_of_runs]

    # Without a title there is one panel, which stays empty.
    figure, grid = plt.subplots(
        1, max(len(titles), 1), figsize=(width, 0.27 * width), sharey=True, squeeze=False
    )
    for axes, title in zip(grid[0], titles, strict=False):
        for table, style in ((cuts, KEYS_AND_VALUES), (patches, RESIDUAL)):
            _draw_lines(axes, table[table["run"].map(_panel_title) == title], style)
        axes.set(title=title, xlabel="block")
    grid[0][0].set(ylabel="gap recovered (%)", ylim=(-12, 112), yticks=(0, 50, 100))
    if not titles:
        grid[0][0].set_title("no pair passes R1")

    handles = []
    for style in (KEYS_AND_VALUES, RESIDUAL):
        handle = Line2D([], [], color=style.colour, marker=style.marker, ls=style.dashes, ms=4)
        handle.set_label(style.label)
        handles.append(handle)
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))
    return figure


def _panel_title(run: str) -> str:
    """The title of a run's panel; "" for controls and bases, which have none."""
    if group_of(run) == "pretrained":
        return PRETRAINED
    return LABELS.get(condition_of(run), "")


def _draw_lines(axes: Axes, table: pd.DataFrame, style: LineStyle) -> None:
    """A line with its band for each run, over the blocks `x`."""
    for _, part in table.groupby("run", sort=False):
        percents = 100 * part[["share", "low", "high"]]
        axes.plot(
            part["x"],
            percents["share"],
            color=style.colour,
            marker=style.marker,
            ms=2.5,
            ls=style.dashes,
        )
        axes.fill_between(
            part["x"], percents["low"], percents["high"], color=style.colour, alpha=0.15, lw=0
        )
    axes.axhline(0, color=COLOUR["faint"], lw=0.6, zorder=0)
    if table["x"].nunique() <= MAX_TICKS:
        axes.set_xticks(sorted(table["x"].unique()))
