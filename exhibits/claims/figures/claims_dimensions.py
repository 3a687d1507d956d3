"""The claim-validity paper's Figure 3: dimension scores of system-level and component claims."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from exhibits.claims.figures.panels import (
    MAX_TITLE,
    MarkerStyle,
    name_markers,
    panel_grid,
    shortened,
)
from exhibits.report.charts import draw_intervals, name_rows
from exhibits.report.style import BLUE, ORANGE
from mechaware.core.stats.intervals import mean_over_groups
from mechaware.instruments.claims.rubric.criteria import DIMENSIONS

READS = {
    "claims": "results/claims/summary/claims.parquet",
    "truth": "results/claims/summary/truth.parquet",
}
CONFIG = {"confidence_level": "confidence_level"}
SETTINGS = {"width": {"default": 7.0, "$ref": "#/$defs/width"}}

# Stands where a judge's name would, for the planted claims themselves.
PLANTED_TRUTH = "planted truth"
CODES = [dimension.code for dimension in DIMENSIONS]
# By whether a claim is system-level.
LEVELS = {
    True: MarkerStyle("claims about the whole system", BLUE, "o"),
    False: MarkerStyle("claims about components", ORANGE, "^"),
}


def draw(
    *,
    claims: pd.DataFrame,
    truth: pd.DataFrame,
    judge_labels: Mapping[str, str],
    confidence_level: float,
    width: float,
) -> Figure:
    """Mean score, 0 to 3, in each dimension, with a t interval over papers.

    The first panel has the planted truth, without intervals, if papers are planted; then there is
    one panel per judge. A judge whose means are all equal has no panel: one that answers YES to all
    criteria has means of 3, and one that answers NO has means of 0.
    """
    means = _dimension_means(claims, truth, confidence_level=confidence_level)
    panels: list[tuple[str, pd.DataFrame]] = []
    for judge, label in {PLANTED_TRUTH: PLANTED_TRUTH, **judge_labels}.items():
        of_judge = means[means["judge"] == judge]
        if of_judge["mean"].nunique() > 1:
            panels.append((label, of_judge))

    figure, grid = panel_grid(max(len(panels), 1), width, 1.5, sharey=True)
    for axes, (label, of_judge) in zip(grid, panels, strict=False):
        _draw_means(axes, of_judge)
        axes.set_title(shortened(label, MAX_TITLE))
    rows = [f"{dimension.name} (weight {dimension.weight:g})" for dimension in DIMENSIONS]
    name_rows(grid[0], rows)
    name_markers(figure, LEVELS.values())
    figure.supxlabel("mean score in the dimension (0 to 3)", fontsize=8)
    return figure


def _dimension_means(
    claims: pd.DataFrame, truth: pd.DataFrame, *, confidence_level: float
) -> pd.DataFrame:
    """Mean score of each judge, kind of claim and dimension, with a t interval over papers.

    The interval needs at least six papers (`MIN_GROUPS`). The planted claims are under the judge
    `PLANTED_TRUTH`, without an interval. If there are planted papers, only the judges' claims about
    these papers count. A score that depends on criteria without a status is NaN, and does not
    count.

    Returns:
        One row for each mean, with the columns judge, system, dimension, mean (0 to 3), low, high.
    """
    if len(truth):
        claims = claims[claims["paper"].isin(truth["paper"])]
    everything = pd.concat([truth.assign(judge=PLANTED_TRUTH), claims])
    rows = []
    for (judge, system), part in everything.groupby(["judge", "system"]):
        for code in CODES:
            known = part.dropna(subset=[code])
            if known.empty:
                continue
            values = known[code].to_numpy(dtype=float)
            interval = None
            if judge != PLANTED_TRUTH:
                interval = mean_over_groups(values, known["paper"], confidence_level)
            low, high = interval or (None, None)
            rows.append((judge, bool(system), code, values.mean(), low, high))
    return pd.DataFrame(rows, columns=["judge", "system", "dimension", "mean", "low", "high"])


def _draw_means(axes: Axes, means: pd.DataFrame) -> None:
    """A row for each dimension, a marker for each kind of claim."""
    for shift, (system, style) in zip((-0.15, 0.15), LEVELS.items(), strict=True):
        rows = means[means["system"] == system].set_index("dimension").reindex(CODES)
        ends = rows[["mean", "low", "high"]]
        places = np.arange(len(CODES)) + shift
        draw_intervals(axes, ends, places, colour=style.colour, marker=style.marker)
    # Room for a marker at 0 or 3. An interval that goes further is cut at the edge.
    axes.set(xlim=(-0.1, 3.1), xticks=range(4))
    axes.tick_params(axis="y", length=0)
