"""The share of the gap that patching recovers, by patched layer and intervention."""

from typing import Annotated

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mechaware.grounding.figures.style import LABELS, add_legend
from mechaware.grounding.names import CONDITIONS, CONTROLS, MODE_LABELS, condition_of
from mechaware.grounding.schemas import RECOVERY
from mechaware.report.style import COLOUR, MARKER, annotate_corner, panel_grid

READS = {"recovery": "results/grounding/recovery.csv"}
SETTINGS = {"width": {"default": 7.0, "$ref": "#/$defs/width"}}


def draw(*, recovery: Annotated[pd.DataFrame, RECOVERY], width: float) -> Figure:
    """A column per intervention, the trained models above the controls; bands are bootstrap intervals."""
    panel = width / len(MODE_LABELS)
    figure, grid = panel_grid(2, len(MODE_LABELS), panel, 0.76 * panel)
    for axes_row, group in zip(grid, (CONDITIONS, CONTROLS), strict=True):
        in_group = recovery["run"].map(condition_of).isin(list(group))
        for axes, mode in zip(axes_row, MODE_LABELS, strict=True):
            _draw_profiles(axes, recovery[in_group & (recovery["mode"] == mode)])
            axes.set(ylim=(-0.05, 1.08), yticks=(0, 0.5, 1), xticks=sorted(recovery["layer"].unique()))
            if not axes.lines:
                annotate_corner(axes, "no pair passes R1")
    for axes, label in zip(grid[0], MODE_LABELS.values(), strict=True):
        axes.set_title(label)
    grid[0][0].set_ylabel("trained models")
    grid[1][0].set_ylabel("controls")
    figure.supxlabel("patched after block", fontsize=8)
    figure.supylabel("share of the gap recovered", fontsize=8)
    drawn = set(map(condition_of, recovery["run"]))
    add_legend(figure, [name for name in LABELS if name in drawn])
    return figure


def _draw_profiles(axes: Axes, recovery: pd.DataFrame) -> None:
    """A line with its band for each run."""
    for run, part in recovery.groupby("run", sort=False):
        colour, marker = COLOUR[condition_of(str(run))], MARKER[condition_of(str(run))]
        axes.plot(part["layer"], part["recovered"], marker=marker, ms=3.5, color=colour)
        axes.fill_between(part["layer"], part["low"], part["high"], color=colour, alpha=0.2, lw=0)
