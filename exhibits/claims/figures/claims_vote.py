"""The share of planted papers in the right tier, by vote and by the rate of errors downwards."""

from typing import Annotated, NamedTuple

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from exhibits.claims.schemas import VOTE
from exhibits.report.style import BLUE, COLOUR, MIN_FONT_SIZE, ORANGE
from mechaware.planted.papers.vote_errors import break_even

READS = {"votes": "results/tables/claims_vote.csv"}
SETTINGS = {"width": {"default": 7.0, "$ref": "#/$defs/width"}}


class _Line(NamedTuple):
    """How a vote is drawn."""

    colour: str
    marker: str


# The votes, by name; the legend has the names.
LINES = {
    "minimum": _Line(BLUE, "o"),
    "median": _Line(ORANGE, "^"),
    "one run": _Line(COLOUR["neutral"], "s"),
}


def draw(*, votes: Annotated[pd.DataFrame, VOTE], width: float) -> Figure:
    """A panel for each rate of errors upwards (statuses that a run calls too high), and one where
    runs share half of all errors.

    Only tiers of the papers' own claims are drawn, and only where no planted leak is credited.
    """
    is_drawn = (votes["claims"] == "paper") & (votes["leaked"] == 0)
    panels = [rows for _, rows in votes[is_drawn].groupby(["shared", "up"])]
    figure, grid = plt.subplots(1, len(panels), figsize=(width, 0.36 * width), sharey=True)
    for axes, rows in zip(grid, panels, strict=True):
        _draw_votes(axes, rows)
        shared, up = rows[["shared", "up"]].iloc[0]
        half_shared = ", half shared" if shared else ""
        axes.set_title(f"{100 * up:g}% up{half_shared}")
    grid[0].set_ylabel("papers in the right tier (%)")
    figure.supxlabel("statuses that a run calls too low (%)", fontsize=8)
    figure.legend(*grid[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return figure


def _draw_votes(axes: Axes, rows: pd.DataFrame) -> None:
    """A line for each vote, and a dashed line at the rate where minimum and median are equal."""
    for vote, line in LINES.items():
        of_vote = rows[rows["vote"] == vote]
        # Intervals stay within 0 and 1, so near 1 the upper half is the shorter one.
        below = of_vote["exact"] - of_vote["exact_low"]
        above = of_vote["exact_high"] - of_vote["exact"]
        axes.errorbar(
            100 * of_vote["down"],
            100 * of_vote["exact"],
            yerr=[100 * below, 100 * above],
            label=vote,
            color=line.colour,
            marker=line.marker,
            ms=3.5,
            elinewidth=0.6,
        )
    equal = break_even(rows)
    if equal is not None:
        axes.axvline(100 * equal, color=COLOUR["neutral"], ls="--", lw=0.8)
        axes.annotate(
            f"{100 * equal:.1f}%",
            # At the bottom of the dashed line, 3 points to its right.
            (100 * equal, 0.02),
            xycoords=("data", "axes fraction"),
            xytext=(3, 0),
            textcoords="offset points",
            fontsize=MIN_FONT_SIZE,
        )
    # Linear near 0, where most of the rates are.
    axes.set_xscale("symlog", linthresh=1)
    axes.set_xticks([0, 0.5, 1, 2, 5, 10], labels=["0", "0.5", "1", "2", "5", "10"])
    axes.minorticks_off()
    axes.set_xlim(-0.1, 11)
