"""How far each judge errs on each criterion of the planted papers, and in which direction."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from mechaware.claims.figures.panels import panel_grid, shortened
from mechaware.claims.rubric.criteria import CRITERIA, DIMENSIONS, LEAK_PRONE
from mechaware.claims.study.planted import criterion_bias
from mechaware.report.charts import draw_intervals, name_rows
from mechaware.report.style import BLUE, COLOUR, ORANGE

READS = {"criteria": "results/claims/summary/criteria.parquet"}
CONFIG = {"confidence_level": "confidence_level"}
SETTINGS = {"width": {"default": 7.0, "$ref": "#/$defs/width"}}

# The vote and the audit differ little: the first and the last stage are shown.
STAGES = {"single": ("single runs", ORANGE, "^"), "audited": ("after the vote and the audit", BLUE, "o")}
CODES = list(CRITERIA)


def draw(
    *,
    criteria: pd.DataFrame,
    judge_labels: Mapping[str, str],
    confidence_level: float,
    width: float,
) -> Figure:
    """The mean signed error, judge minus planted truth, of every criterion, with its interval.

    A star marks criteria that the audit may lower.
    """
    bias = criterion_bias(criteria, level=confidence_level)
    labels = {judge: label for judge, label in judge_labels.items() if (bias["judge"] == judge).any()}
    figure, grid = panel_grid(max(len(labels), 1), width, 4.6, sharey=True)
    for axes, (judge, label) in zip(grid, labels.items(), strict=False):
        _draw_errors(axes, bias[bias["judge"] == judge])
        axes.set_title(shortened(label, 34))
    name_rows(grid[0], [f"{code} {name}{' *' if code in LEAK_PRONE else ''}" for code, name in CRITERIA.items()])
    handles = [
        Line2D([], [], ls="", marker=marker, color=colour, ms=4.5, label=label)
        for label, colour, marker in STAGES.values()
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=2)
    figure.supxlabel("too strict   ←   mean status minus truth   →   too generous", fontsize=8)
    return figure


def _draw_errors(axes: Axes, bias: pd.DataFrame) -> None:
    """A row for each criterion with a marker for each stage; lines part the dimensions."""
    for shift, (stage, (_, colour, marker)) in zip((-0.17, 0.17), STAGES.items(), strict=True):
        means = bias[bias["stage"] == stage].set_index("criterion").reindex(CODES)
        look: dict[str, Any] = {"colour": colour, "marker": marker, "ms": 3.5}
        draw_intervals(axes, means[["mean", "low", "high"]], np.arange(len(CODES)) + shift, **look)
    axes.axvline(0, color=COLOUR["neutral"], lw=0.6)
    for boundary in np.cumsum([len(dimension.criteria) for dimension in DIMENSIONS])[:-1]:
        axes.axhline(boundary - 0.5, color=COLOUR["faint"], lw=0.6)
    axes.set(xlim=(-1.05, 1.05))
    axes.set_xticks((-1, -0.5, 0, 0.5, 1), ("-1", "-0.5", "0", "0.5", "1"))
    axes.tick_params(axis="y", length=0)
