"""How far each judge errs on each criterion of the planted papers, and in which direction."""

from collections.abc import Mapping
from typing import Annotated

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from mechaware.claims.figures.panels import note_absence, panel_grid, shortened
from mechaware.claims.rubric.criteria import CRITERIA, DIMENSIONS, LEAK_PRONE
from mechaware.claims.schemas import JUDGED_CRITERIA
from mechaware.claims.study.means import criterion_bias
from mechaware.claims.study.planted import STAGES
from mechaware.report.style import COLOUR

READS = {"criteria": "results/claims/summary/criteria.csv"}
CONFIG = {"confidence_level": "confidence_level", "bootstrap_resamples": "bootstrap_resamples"}
SETTINGS = {"width": {"default": 7.0, "$ref": "#/$defs/width"}}

STAGE_COLOUR = {"single": "#D55E00", "voted": "#009E73", "audited": "k"}
STAGE_MARKER = {"single": "o", "voted": "D", "audited": "x"}
LEAK_PRONE_COLOUR = "#FBE3C0"
CODES = list(CRITERIA)


def draw(
    *,
    criteria: Annotated[pd.DataFrame, JUDGED_CRITERIA],
    judge_labels: Mapping[str, str],
    confidence_level: float,
    bootstrap_resamples: int,
    seed: int,
    width: float,
) -> Figure:
    """The mean signed error, judge minus planted truth, of every criterion at each stage, with its interval."""
    bias = criterion_bias(criteria, level=confidence_level, resamples=bootstrap_resamples, seed=seed)
    figure, grid = panel_grid(len(judge_labels), width, 5.4, sharey=True)
    for axes, (judge, label) in zip(grid, judge_labels.items(), strict=True):
        judged = bias[bias["judge"] == judge]
        _errors(axes, judged)
        axes.set_title(shortened(label, 34))
        if judged.empty:
            note_absence(axes, "no claim matched to a planted one")
    handles: list[Patch | Line2D] = [
        Line2D([], [], ls="", marker=STAGE_MARKER[stage], color=STAGE_COLOUR[stage], ms=4, label=label)
        for stage, label in STAGES.items()
    ]
    handles.append(Patch(fc=LEAK_PRONE_COLOUR, label="leak-prone criterion"))
    figure.legend(handles=handles, loc="outside upper center", ncols=4)
    figure.supxlabel(
        "mean signed error, judge minus truth: too strict to the left, too generous to the right", fontsize=8
    )
    return figure


def _errors(axes: Axes, bias: pd.DataFrame) -> None:
    """A row for each criterion with a mark for each stage; lines part the dimensions."""
    for row in (CODES.index(code) for code in LEAK_PRONE):
        axes.axhspan(row - 0.5, row + 0.5, color=LEAK_PRONE_COLOUR, lw=0)
    for shift, stage in zip((-0.27, 0, 0.27), STAGES, strict=True):
        means = bias[bias["stage"] == stage].set_index("criterion").reindex(CODES)
        y = np.arange(len(CODES)) + shift
        error = [means["mean"] - means["low"], means["high"] - means["mean"]]
        marker, colour = STAGE_MARKER[stage], STAGE_COLOUR[stage]
        axes.errorbar(means["mean"], y, xerr=error, fmt=marker, color=colour, ms=3, mew=0.9, elinewidth=0.8)
    axes.axvline(0, color=COLOUR["neutral"], lw=0.6)
    for boundary in np.cumsum([len(dimension.criteria) for dimension in DIMENSIONS])[:-1]:
        axes.axhline(boundary - 0.5, color=COLOUR["faint"], lw=0.6)
    axes.set(xlim=(-1.05, 1.05), xticks=(-1, -0.5, 0, 0.5, 1), ylim=(len(CODES) - 0.5, -0.5))
    axes.set_xticks((-1, -0.5, 0, 0.5, 1), ("-1", "-0.5", "0", "0.5", "1"))
    axes.set_yticks(range(len(CODES)), [f"{code} {name}" for code, name in CRITERIA.items()])
    axes.tick_params(axis="y", length=0)
