"""How often each judge is wrong on each criterion of the planted papers: YES that it misses, and false YES."""

from collections.abc import Mapping
from typing import Annotated

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from exhibits.claims.figures.panels import (
    MAX_TITLE,
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
    "sensitivity": ("planted YES called YES (sensitivity)", BLUE, "o"),
    "false_yes": ("planted NO called YES (false YES)", ORANGE, "^"),
}
ROWS = {"": "all criteria", **{code: f"{code} {name}" for code, name in CRITERIA.items()}}


def draw(
    *, planted: Annotated[pd.DataFrame, PLANTED], judge_labels: Mapping[str, str], width: float
) -> Figure:
    """The share of planted YES, and of planted NO, that each judge calls YES after the audit, with their intervals.

    A star marks criteria that the audit may lower.
    """
    judged = planted[(planted["stage"] == "audited") & planted["judge"].isin(list(judge_labels))]
    found = judged.loc[(judged["criterion"] == "") & (judged["n"] > 0), "judge"]
    figure, grid = panel_grid(max(len(found), 1), width, 4.7, sharey=True)
    for axes, judge in zip(grid, found, strict=False):
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
    """A row for each criterion with a marker for each rate; lines part the dimensions."""
    places = np.arange(len(ROWS))
    for shift, (rate, (_, colour, marker)) in zip((-0.17, 0.17), RATES.items(), strict=True):
        shares = 100 * judged[[rate, f"{rate}_low", f"{rate}_high"]].astype(float)
        draw_shares(
            axes, shares, places + shift, colour=colour, marker=marker, ms=3.5, clip_on=False
        )
        # The notes of the two rates are left and right of the middle, so that they do not overlap.
        for place in places[shares[rate].isna()]:
            where = (50 - 100 * shift, place + shift)
            axes.annotate(
                "not tested", where, va="center", ha="center", fontsize=MIN_FONT_SIZE, color=colour
            )
    sizes = [1, *(len(dimension.criteria) for dimension in DIMENSIONS)]
    for boundary in np.cumsum(sizes)[:-1]:
        axes.axhline(boundary - 0.5, color=COLOUR["faint"], lw=0.6)
    axes.set(xlim=(0, 100), xticks=(0, 25, 50, 75, 100))
    axes.tick_params(axis="y", length=0)
