"""The claim-validity paper's Figure 5: predicted against expected tiers."""

from collections.abc import Mapping
from typing import Annotated

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from exhibits.claims.figures.panels import (
    MAX_COLUMNS,
    MAX_TITLE,
    agreement_note,
    confusion,
    panel_grid,
    paper_panels,
    shortened,
)
from exhibits.claims.schemas import REPORTED_MAIN
from exhibits.report.charts import draw_heat_map
from mechaware.instruments.claims.rubric.criteria import TIERS

READS = {
    "papers": "results/claims/summary/papers.parquet",
    "reported_main": "config/reported/claims_main.csv",
}
SETTINGS = {"width": {"default": 7.0, "$ref": "#/$defs/width"}}


def draw(
    *,
    papers: pd.DataFrame,
    reported_main: Annotated[pd.DataFrame, REPORTED_MAIN],
    judge_labels: Mapping[str, str],
    width: float,
) -> Figure:
    """How many papers have each pair of expected and predicted tier; the diagonal is framed.

    A panel per source of scores. Both axes rise from Proposed to Validated, so that the diagonal,
    the papers in their expected tier, is from bottom left to top right. Empty cells have no number.
    """
    panels = paper_panels(reported_main, papers, judge_labels)
    names = [tier.short for tier in TIERS]
    height = 0.85 * width / min(len(panels), MAX_COLUMNS)
    figure, grid = panel_grid(len(panels), width, height, sharey=True)
    for axes, (title, judged) in zip(grid, panels.items(), strict=True):
        counts = pd.DataFrame(confusion(judged), index=names, columns=names)
        # A heat map draws the first row at the top: reversed, so that the highest tier is there.
        counts = counts.iloc[::-1]
        shown = counts.astype(object).where(counts > 0, "")
        largest_count = float(counts.to_numpy().max())
        draw_heat_map(axes, counts, high=largest_count, annot=shown, fmt="", linewidths=0.5)
        for rank in range(len(names)):
            # The column and row of a tier's cell on the diagonal; rows are counted from the top.
            corner = (rank, len(names) - 1 - rank)
            frame = Rectangle(corner, 1, 1, fill=False, ec="black", lw=1, clip_on=False, zorder=3)
            axes.add_patch(frame)
        axes.set_title(f"{shortened(title, MAX_TITLE)}\n{agreement_note(judged)}")
        axes.set_xticks(axes.get_xticks(), names, rotation=45, ha="right", rotation_mode="anchor")
        axes.set_xlabel("expected tier")
    grid[0].set_ylabel("predicted tier")
    return figure
