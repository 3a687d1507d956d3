"""The claim-validity paper's Figures 2 and 4: every paper's score, its single runs,
and the tier that was expected.
"""

from collections.abc import Mapping
from typing import Annotated

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from exhibits.claims.figures.panels import (
    MAX_TITLE,
    TOP_CVS,
    agreement_note,
    panel_grid,
    paper_panels,
    shortened,
)
from exhibits.claims.schemas import REPORTED_MAIN, REPORTED_SINGLE_RUN
from exhibits.report.charts import draw_intervals, name_rows
from exhibits.report.style import COLOUR, MIN_FONT_SIZE
from mechaware.instruments.claims.rubric.criteria import TIERS, tier_index

READS = {
    "papers": "results/claims/summary/papers.parquet",
    "reported_main": "config/reported/claims_main.csv",
    "reported_single_run": "config/reported/claims_single_run.csv",
}
SETTINGS = {"width": {"default": 7.0, "$ref": "#/$defs/width"}}

ROW_HEIGHT = 0.165  # inches
BOUNDS = (*(tier.boundary for tier in TIERS), TOP_CVS)


def draw(
    *,
    papers: pd.DataFrame,
    reported_main: Annotated[pd.DataFrame, REPORTED_MAIN],
    reported_single_run: Annotated[pd.DataFrame, REPORTED_SINGLE_RUN],
    judge_labels: Mapping[str, str],
    width: float,
) -> Figure:
    """A panel per source of scores, a row per paper: its score, drawn upon a bar that spans its
    expected tier.

    A line spans the scores of the single runs.
    """
    ranges = reported_single_run[["paper", "single_low", "single_high"]]
    printed = reported_main.merge(ranges, on="paper", how="left", validate="one_to_one")
    panels = paper_panels(printed, papers, judge_labels)
    most = max(len(panel) for panel in panels.values())
    height = ROW_HEIGHT * most + 0.9  # inches; the rest is for the title and the axis
    figure, grid = panel_grid(len(panels), width, height, sharey=False)
    for axes, (title, panel) in zip(grid, panels.items(), strict=True):
        _draw_papers(axes, panel)
        axes.set_title(f"{shortened(title, MAX_TITLE)}\n{agreement_note(panel)}")
        axes.set_ylim(max(most, 1) - 0.5, -0.5)
    handles: list[Patch | Line2D] = [
        Line2D(
            [],
            [],
            marker="o",
            color=COLOUR["right"],
            ms=4.5,
            label="score, with the range of the single runs",
        ),
        Patch(fc=COLOUR["faint"], label="expected tier"),
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=2)
    return figure


def _draw_papers(axes: Axes, papers: pd.DataFrame) -> None:
    """A row per paper, from the top: its score and range, drawn upon a bar from end to end of its
    expected tier.

    Lines and ticks are at the boundaries of tiers.
    """
    places = np.arange(len(papers))
    for place, expected in enumerate(papers["expected_tier"]):
        if expected:
            rank = tier_index(expected)
            low = BOUNDS[rank]
            high = BOUNDS[rank + 1]
            axes.barh(place, high - low, 0.8, low, color=COLOUR["faint"])
    draw_intervals(axes, papers[["cvs", "single_low", "single_high"]], places)
    for unscored in np.flatnonzero(papers["cvs"].isna()):
        axes.annotate(
            "unscored",
            (0.2, unscored),
            va="center",
            fontsize=MIN_FONT_SIZE,
            color=COLOUR["neutral"],
        )
    name_rows(axes, [shortened(str(name), 17) for name in papers["paper"]])
    for bound in BOUNDS[1:-1]:
        axes.axvline(bound, color=COLOUR["faint"], lw=0.6, zorder=0)
    axes.set(xlim=(-0.3, TOP_CVS), xticks=BOUNDS, xlabel="Claim Validity Score")
