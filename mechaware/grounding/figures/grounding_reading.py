"""Where the schema word is read: the gap that a patch after each block recovers, and what leaves in each block."""

from typing import Annotated

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mechaware.grounding.figures.style import LABELS, add_legend, kind_of
from mechaware.grounding.names import group_of
from mechaware.grounding.schemas import READING, RECOVERY
from mechaware.report.style import COLOUR, MARKER, annotate_corner

READS = {"recovery": "results/grounding/recovery.csv", "reading": "results/grounding/reading.csv"}
SETTINGS = {"width": {"default": 7.0, "$ref": "#/$defs/width"}}

COLUMNS = ("patch after block", "keys and values of block")


def draw(
    *, recovery: Annotated[pd.DataFrame, RECOVERY], reading: Annotated[pd.DataFrame, READING], width: float
) -> Figure:
    """Denoising, a line per run: the residual stream after each block (left) and each block's keys and values (right).

    Trained models above, pretrained ones below; bands are bootstrap intervals over pairs.
    """
    tables = [
        recovery.rename(columns={"layer": "x", "recovered": "share"}),
        reading[reading["block"].str.isdigit()].assign(x=lambda rows: rows["block"].astype(int)),
    ]
    denoised = [table[table["mode"] == "denoise"] for table in tables]
    groups = [group for group in ("trained", "pretrained") if (denoised[0]["run"].map(group_of) == group).any()]
    rows = groups or ["trained"]
    figure, grid = plt.subplots(
        len(rows), 2, figsize=(width, 0.27 * width * len(rows)), sharex="row", sharey=True, squeeze=False
    )
    for axes_row, group in zip(grid, rows, strict=True):
        for axes, table in zip(axes_row, denoised, strict=True):
            _draw_lines(axes, table[table["run"].map(group_of) == group])
        axes_row[0].set_ylabel(f"{group} models\ngap recovered (%)")
    for axes, title in zip(
        grid[0], ("residual stream at the schema word", "keys and values of the schema word"), strict=True
    ):
        axes.set_title(title)
    for axes, label in zip(grid[-1], COLUMNS, strict=True):
        axes.set_xlabel(label)
    kinds = {kind_of(run) for table in denoised for run in table["run"]}
    add_legend(figure, [kind for kind in LABELS if kind in kinds - {"grounded", "shortcut"}])
    return figure


def _draw_lines(axes: Axes, table: pd.DataFrame) -> None:
    """A line with its band for each run; few-shot runs are dashed."""
    for run, part in table.groupby("run", sort=False):
        kind = kind_of(str(run))
        dashes = "--" if str(run).endswith(".few-shot") else "-"
        axes.plot(part["x"], 100 * part["share"], color=COLOUR[kind], marker=MARKER[kind], ms=2.5, ls=dashes)
        axes.fill_between(part["x"], 100 * part["low"], 100 * part["high"], color=COLOUR[kind], alpha=0.2, lw=0)
    axes.set(ylim=(-12, 112), yticks=(0, 50, 100))
    if not axes.lines:
        annotate_corner(axes, "no pair passes R1")
    elif table["x"].nunique() <= 8:
        axes.set_xticks(sorted(table["x"].unique()))
