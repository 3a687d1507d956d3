"""The claim-validity paper's Figure 5: predicted against expected tiers."""

from collections.abc import Mapping
from typing import Annotated

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from mechaware.claims.figures.panels import (
    MAX_COLUMNS,
    agreement_note,
    confusion,
    panel_grid,
    paper_panels,
    shortened,
)
from mechaware.claims.rubric.criteria import TIERS
from mechaware.claims.schemas import PAPERS, REPORTED_MAIN

READS = {
    "papers": "results/claims/summary/papers.csv",
    "reported_main": "config/reported/claims_main.csv",
}
SETTINGS = {"width": {"default": 7.0, "$ref": "#/$defs/width"}}


def draw(
    *,
    papers: Annotated[pd.DataFrame, PAPERS],
    reported_main: Annotated[pd.DataFrame, REPORTED_MAIN],
    judge_labels: Mapping[str, str],
    width: float,
) -> Figure:
    """How many papers have each pair of expected and predicted tier; those above the diagonal are over-scored."""
    panels = paper_panels(reported_main, papers, judge_labels)
    figure, grid = panel_grid(len(panels), width, 0.85 * width / min(len(panels), MAX_COLUMNS) + 0.4, sharey=True)
    for axes, (title, judged) in zip(grid, panels.items(), strict=True):
        _matrix(axes, confusion(judged))
        axes.set_title(f"{shortened(title, 34)}\n{agreement_note(judged)}", fontsize=7)
    figure.supxlabel("expected tier", fontsize=8)
    figure.supylabel("predicted tier", fontsize=8)
    return figure


def _matrix(axes: Axes, counts: np.ndarray) -> None:
    """The counts as a heat map, with frames around the cells of the diagonal."""
    names = [tier.short for tier in TIERS]
    axes.imshow(counts, cmap="Blues", origin="lower", vmin=0, vmax=max(1.4 * counts.max(), 1))
    for (row, column), count in np.ndenumerate(counts):
        if count:
            colour = "white" if count > 0.8 * counts.max() else "black"
            axes.annotate(str(count), (column, row), ha="center", va="center", color=colour)
    for tier in range(len(TIERS)):
        axes.add_patch(Rectangle((tier - 0.46, tier - 0.46), 0.92, 0.92, fill=False, ec="#007A5A", lw=1.3))
    axes.set_xticks(range(len(TIERS)), names, rotation=40, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(TIERS)), names)
    axes.tick_params(length=0)
    axes.spines[["top", "right"]].set_visible(True)
