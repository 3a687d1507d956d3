"""How often each judge misses a YES or gives a false YES, by criterion of the planted papers."""

from collections.abc import Mapping
from typing import Annotated

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from exhibits.claims.figures.panels import (
    MAX_TITLE,
    MarkerStyle,
    draw_shares,
    name_markers,
    panel_grid,
    shortened,
)
from exhibits.claims.schemas import PLANTED
from exhibits.report.charts import name_rows
from exhibits.report.style import BLUE, COLOUR, MIN_FONT_SIZE, ORANGE
from mechaware.instruments.claims.rubric.criteria import CRITERIA, DIMENSIONS, LEAK_PRONE

READS = {"planted": "results/tables/claims_planted.csv"}
SETTINGS = {"width": {"default": 7.0, "$ref": "#/$defs/width"}}

RATES = {
    "sensitivity": MarkerStyle("planted YES called YES (sensitivity)", BLUE, "o"),
    "false_yes": MarkerStyle("planted NO called YES (false YES)", ORANGE, "^"),
}
# By the cell of `planted` in the column `criterion`, which is empty for all criteria together.
ROWS = {"": "all criteria", **{code: f"{code} {name}" for code, name in CRITERIA.items()}}


def draw(
    *, planted: Annotated[pd.DataFrame, PLANTED], judge_labels: Mapping[str, str], width: float
) -> Figure:
    """The share of planted YES, and of planted NO, that each judge calls YES after the audit.

    Each share has its interval. A judge with no status after the audit has no panel. A star marks
    the criteria that the audit may lower.
    """
    judged = planted[(planted["stage"] == "audited") & planted["judge"].isin(list(judge_labels))]
    judges = judged.loc[(judged["criterion"] == "") & (judged["n"] > 0), "judge"]
    figure, grid = panel_grid(max(len(judges), 1), width, 4.7, sharey=True)
    # Without judges the only panel stays empty: the grid is then longer than `judges`.
    for axes, judge in zip(grid, judges, strict=False):
        of_judge = judged[judged["judge"] == judge].set_index("criterion")
        _draw_rates(axes, of_judge.reindex(list(ROWS)))
        axes.set_title(shortened(judge_labels[judge], MAX_TITLE))
    rows = []
    for code, name in ROWS.items():
        rows.append(f"{name} *" if code in LEAK_PRONE else name)
    name_rows(grid[0], rows)
    name_markers(figure, RATES.values())
    figure.supxlabel("statuses (%)", fontsize=8)
    return figure


def _draw_rates(axes: Axes, judged: pd.DataFrame) -> None:
    """A row for each criterion with a marker for each rate; lines separate the dimensions."""
    places = np.arange(len(ROWS))
    for shift, (rate, style) in zip((-0.17, 0.17), RATES.items(), strict=True):
        shares = 100 * judged[[rate, f"{rate}_low", f"{rate}_high"]].astype(float)
        draw_shares(
            axes,
            shares,
            places + shift,
            colour=style.colour,
            marker=style.marker,
            ms=3.5,
            clip_on=False,
        )
        # The two rates' notes are at 67% and at 33%, so that they do not overlap.
        note_at = 50 - 100 * shift
        for place in places[shares[rate].isna()]:
            axes.annotate(
                "not tested",
                (note_at, place + shift),
                va="center",
                ha="center",
                fontsize=MIN_FONT_SIZE,
                color=style.colour,
            )
    # The row of all criteria comes first, then the rows of each dimension.
    sizes = [1, *(len(dimension.criteria) for dimension in DIMENSIONS)]
    for boundary in np.cumsum(sizes)[:-1]:
        axes.axhline(boundary - 0.5, color=COLOUR["faint"], lw=0.6)
    axes.set(xlim=(0, 100), xticks=(0, 25, 50, 75, 100))
    axes.tick_params(axis="y", length=0)
